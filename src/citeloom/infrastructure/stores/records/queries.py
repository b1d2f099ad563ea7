"""A question to the index as nearest-neighbour searches and their fusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from citeloom.domain.passage import IndexQuery, SparseVector
from citeloom.domain.policies import Mode
from citeloom.infrastructure.stores.records.filters import Filter, selecting
from citeloom.infrastructure.stores.records.schema import DENSE, SPARSE

_MARGIN = 2


class Scored(Protocol):
    """What a search finds."""

    @property
    def score(self) -> float:
        """How good it is; more is better."""
        ...

    @property
    def chunk_id(self) -> str:
        """The chunk it is."""
        ...


Found = TypeVar("Found", bound=Scored)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest points by one named vector."""

    using: str
    vector: list[float] | SparseVector


@dataclass(frozen=True, slots=True)
class Fusion:
    """Reciprocal rank fusion of `candidates` points a side: 1 / (`k` + rank), ranks from 1."""

    k: int
    candidates: int


@dataclass(frozen=True, slots=True)
class Search:
    """One side on its own, or two sides fused; `where` holds for each of them."""

    sides: tuple[Nearest, ...]
    where: Filter
    fusion: Fusion | None = None
    with_vectors: bool = False


def search_for(query: IndexQuery) -> Search | None:
    """The search for a query; None where no chunk can match: a sparse vector without terms matches
    nothing, alone or as one side of a hybrid query.
    """
    sides: list[Nearest] = []
    if query.mode is not Mode.SPARSE and query.dense is not None:
        sides.append(Nearest(DENSE, list(map(float, query.dense))))
    if query.mode is not Mode.DENSE and query.sparse is not None and query.sparse.indices:
        sides.append(Nearest(SPARSE, query.sparse))
    if not sides:
        return None
    return Search(
        tuple(sides), selecting(query.selection), _fusion(query), with_vectors=query.with_vectors
    )


def best(limit: int, ask: Callable[[int], Sequence[Found]]) -> list[Found]:
    """The `limit` best of what `ask` finds for a limit, ties in the order of the chunk ids.

    The store leaves open which of several equal hits it returns at the cut, so more are asked for
    until the cut does not fall among equals.
    """
    asked = limit + _MARGIN
    found = ask(asked)
    while len(found) == asked and found[-1].score == found[limit - 1].score:
        asked *= 2
        found = ask(asked)
    return sorted(found, key=lambda one: (-one.score, one.chunk_id))[:limit]


def _fusion(query: IndexQuery) -> Fusion | None:
    if query.mode is not Mode.HYBRID:
        return None
    return Fusion(k=query.rrf_k, candidates=max(query.candidates, query.limit))
