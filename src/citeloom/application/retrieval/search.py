"""Search in one collection, with what the store cannot do itself done here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citeloom.application.ports.vector_reader import Capability, VectorReader
from citeloom.application.retrieval.term_statistics import KnownStatistics
from citeloom.domain.fusion import Fusion, Scored
from citeloom.domain.passage import Hit, IndexQuery
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection

Sides = tuple[tuple[Hit, ...], ...]
"""The rankings of a query: one, or the dense and the sparse one before fusion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Searches one collection. A `fusion` replaces the store's own for hybrid queries."""

    reader: VectorReader
    collection: Collection
    statistics: KnownStatistics
    fusion: Fusion | None = None

    def __call__(self, query: IndexQuery) -> list[Hit]:
        """The hits of a query, best first."""
        return self.fuse(self.sides(query), query)

    def sides(self, query: IndexQuery) -> Sides:
        """The query's rankings: one if the store fuses them, else one for each side."""
        query = self._weighted(query)
        if query.mode is not Mode.HYBRID or self.store_fuses:
            return (self._hits(query),)
        depth = max(query.candidates, query.limit)
        both = (replace(query, mode=mode, limit=depth) for mode in (Mode.DENSE, Mode.SPARSE))
        return tuple(map(self._hits, both))

    def fuse(self, sides: Sides, query: IndexQuery) -> list[Hit]:
        """The sides fused into one ranking, up to the query's limit."""
        if len(sides) == 1:
            return list(sides[0])
        dense, sparse = sides
        hits = {hit.stored.chunk.id: hit for hit in (*dense, *sparse)}
        merged = self.fusion_of(query).merge(_scored(dense), _scored(sparse))
        return [replace(hits[name], score=score) for name, score in merged[: query.limit]]

    @property
    def store_fuses(self) -> bool:
        """Whether the store fuses hybrid queries."""
        return self.fusion is None and Capability.FUSION in self.reader.capabilities

    def fusion_of(self, query: IndexQuery) -> Fusion:
        """The fusion of the query."""
        return self.fusion or Fusion(k=query.rrf_k)

    def _weighted(self, query: IndexQuery) -> IndexQuery:
        """The query with its terms weighted by IDF, where the store does not do that."""
        if query.sparse is None or Capability.IDF in self.reader.capabilities:
            return query
        statistics = self.statistics(self.reader, self.collection)
        return replace(query, sparse=statistics.weigh(query.sparse))

    def _hits(self, query: IndexQuery) -> tuple[Hit, ...]:
        return tuple(self.reader.search(self.collection.name, query))


def _scored(hits: Sequence[Hit]) -> list[Scored]:
    return [(hit.stored.chunk.id, hit.score) for hit in hits]
