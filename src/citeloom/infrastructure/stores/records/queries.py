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
    """One side on its own, or two sides fused; `where` holds for each of them.

    Found points come with the payload `keys`, all of them if none is named, and these `vectors`; of
    sparse ones a store may leave out all but the `terms`, if there are any.
    """

    sides: tuple[Nearest, ...]
    where: Filter
    fusion: Fusion | None = None
    vectors: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    terms: frozenset[int] | None = None

    @property
    def with_vectors(self) -> bool:
        """Whether any vector is requested."""
        return bool(self.vectors)


def search_for(
    query: IndexQuery, keys: tuple[str, ...] = (), *, hybrid: bool = True
) -> Search | None:
    """The search for a query, whose results have the payload `keys`; None where no chunk can match:
    a sparse vector without terms matches nothing, alone or as one side of a hybrid query. Only a
    `hybrid` collection has sparse vectors to return.
    """
    sides: list[Nearest] = []
    if query.mode is not Mode.SPARSE and query.dense is not None:
        sides.append(Nearest(DENSE, list(map(float, query.dense))))
    if query.mode is not Mode.DENSE and query.sparse is not None and query.sparse.indices:
        sides.append(Nearest(SPARSE, query.sparse))
    if not sides:
        return None
    return Search(
        tuple(sides),
        selecting(query.selection),
        _fusion(query),
        vectors=_vectors(query, keys, hybrid=hybrid),
        keys=keys,
        terms=_terms(query, keys),
    )


def _terms(query: IndexQuery, keys: tuple[str, ...]) -> frozenset[int] | None:
    """The terms that matter in results: of a match by words alone, those of the words."""
    if keys and query.mode is Mode.SPARSE and query.sparse is not None:
        return frozenset(query.sparse.indices)
    return query.terms


def _vectors(query: IndexQuery, keys: tuple[str, ...], *, hybrid: bool) -> tuple[str, ...]:
    """The vectors that results bring along: of a match by words alone, its terms."""
    if not query.with_vectors:
        return ()
    if keys and query.mode is Mode.SPARSE:
        return (SPARSE,)
    return (DENSE, SPARSE) if hybrid else (DENSE,)


def best(
    limit: int,
    ask: Callable[[int], Sequence[Found]],
    first: Sequence[Found] | None = None,
) -> list[Found]:
    """The `limit` best of what `ask` finds for a limit, ties in the order of the chunk ids; `first`
    is what it found for `with_margin(limit)`, if it has been asked that already.

    The store leaves open which of several equal hits it returns at the cut, so more are asked for
    until the cut does not fall among equals.
    """
    asked = with_margin(limit)
    found = ask(asked) if first is None else first
    while len(found) == asked and found[-1].score == found[limit - 1].score:
        asked *= 2
        found = ask(asked)
    return in_order(found)[:limit]


def with_margin(limit: int) -> int:
    """How many to ask for, so that it is seen whether the cut falls among equals."""
    return limit + _MARGIN


def in_order(found: Sequence[Found]) -> list[Found]:
    """Best first, ties in the order of the chunk ids."""
    return sorted(found, key=lambda one: (-one.score, one.chunk_id))


def _fusion(query: IndexQuery) -> Fusion | None:
    if query.mode is not Mode.HYBRID:
        return None
    return Fusion(k=query.rrf_k, candidates=max(query.candidates, query.limit))
