"""The port to the measures of information retrieval."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol

from citeloom.domain.evaluation import Measure


class RankingMeasures(Protocol):
    """Measures rankings as the field's own tools do.

    nDCG has the grade as gain and log2(rank + 1) as discount; recall is the share of what is
    qrels; MRR is one by the rank of the first find; hit is whether there is one.
    """

    @abstractmethod
    def __call__(
        self,
        qrels: Mapping[str, Mapping[str, int]],
        rankings: Mapping[str, Sequence[str]],
        measures: Sequence[Measure],
    ) -> dict[str, dict[Measure, float]]:
        """By question, each measure of its ranking, 0 for one that has no ranking.

        `qrels` are the grades (1 and up) of what each question is after, `rankings` what was
        found, best first, nothing twice.
        """
        ...
