"""Measures of information retrieval, as a port."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol

from citeloom.domain.evaluation import Measure


class RankingMeasures(Protocol):
    """Measures rankings as the field's own tools do.

    nDCG has the grade as gain and log2(rank + 1) as discount; recall is the share of the relevant
    documents found; MRR is 1 / the rank of the first relevant one; hit is whether there is one.
    """

    @abstractmethod
    def __call__(
        self,
        qrels: Mapping[str, Mapping[str, int]],
        rankings: Mapping[str, Sequence[str]],
        measures: Sequence[Measure],
    ) -> dict[str, dict[Measure, float]]:
        """Each measure by question; 0 for a question without a ranking.

        `qrels` grades the relevant documents of each question (1 and up); `rankings` lists the
        documents found, best first, without duplicates.
        """
        ...
