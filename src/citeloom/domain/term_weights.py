"""How much each term of a sparse query counts, for stores that do not know how rare terms are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from citeloom.domain.passage import SparseVector


@dataclass(frozen=True, slots=True, kw_only=True)
class TermStatistics:
    """How many chunks there are, and how many of them have each term."""

    chunks: int
    having: Mapping[int, int]

    @classmethod
    def of(cls, vectors: Iterable[SparseVector]) -> TermStatistics:
        """The statistics of chunks with these vectors."""
        chunks, having = 0, Counter[int]()
        for vector in vectors:
            chunks += 1
            having.update(vector.indices)
        return cls(chunks=chunks, having=having)

    def weigh(self, query: SparseVector) -> SparseVector:
        """The query with each term's value times its inverse document frequency."""
        values = (
            value * inverse_document_frequency(self.chunks, self.having.get(index, 0))
            for index, value in zip(query.indices, query.values)
        )
        return replace(query, values=tuple(values))


def inverse_document_frequency(chunks: int, having: int) -> float:
    """ln(1 + (chunks - having + 0.5) / (having + 0.5)), never negative (Robertson and Zaragoza
    2009, with 1 added as in Lucene).
    """
    return math.log(1 + (chunks - having + 0.5) / (having + 0.5))
