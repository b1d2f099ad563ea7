"""An index that fuses hybrid queries otherwise than its engine does, for trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.fusion import Fusion
from citeloom.domain.passage import Hit, IndexQuery
from citeloom.domain.policies import Mode

_SideKey = tuple[str, Mode, int, bool, tuple[float, ...], object, object]


@dataclass(frozen=True, slots=True)
class Sides:
    """The sides of hybrid queries, each searched once however many ways they are fused."""

    index: VectorIndex
    found: dict[_SideKey, list[Hit]] = field(default_factory=dict)

    def search(self, name: str, query: IndexQuery) -> list[Hit]:
        """The hits of a query that asks one side."""
        dense = tuple(query.dense or ()) if query.mode is Mode.DENSE else ()
        sparse = query.sparse if query.mode is Mode.SPARSE else None
        key = (
            name,
            query.mode,
            query.limit,
            query.with_vectors,
            dense,
            sparse,
            query.selection,
        )
        if key not in self.found:
            self.found[key] = self.index.search(name, query)
        return self.found[key]


@dataclass(frozen=True, slots=True)
class _FusedIndex:
    """The index of `sides`, save that hybrid queries are fused by `fusion`."""

    sides: Sides
    fusion: Fusion

    def search(self, name: str, query: IndexQuery) -> list[Hit]:
        if query.mode is not Mode.HYBRID:
            return self.sides.index.search(name, query)
        depth = max(query.candidates, query.limit)
        dense, sparse = (
            self.sides.search(name, replace(query, mode=mode, limit=depth))
            for mode in (Mode.DENSE, Mode.SPARSE)
        )
        hits = {hit.stored.chunk.id: hit for hit in (*dense, *sparse)}
        merged = self.fusion.merge(_scored(dense), _scored(sparse))[: query.limit]
        return [replace(hits[name], score=score) for name, score in merged]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sides.index, name)


def fused_otherwise(sides: Sides, fusion: Fusion) -> VectorIndex:
    """The index with another fusion; whatever is no hybrid query goes to it as it is."""
    return cast("VectorIndex", _FusedIndex(sides, fusion))


def _scored(hits: Sequence[Hit]) -> list[tuple[str, float]]:
    return [(hit.stored.chunk.id, hit.score) for hit in hits]
