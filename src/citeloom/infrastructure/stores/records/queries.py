"""Filters and queries of an index as nearest-neighbour searches and their fusion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, nextafter
from typing import Protocol, TypeVar

from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.filters import ADDED_DAY, Operator, Where, section_key
from citeloom.domain.retrieval.ordering import reciprocal_ranks
from citeloom.domain.retrieval.passage import IndexQuery, Selection, SparseVector
from citeloom.infrastructure.stores.records.metadata_payload import METADATA, NUMBER
from citeloom.infrastructure.stores.records.schema import DENSE, SPARSE

# What is particular to Qdrant's engine, on a server as in process.

EXACT_BELOW_KB = 100_000
"""Vectors of a segment up to this size are compared one by one, which is exact and takes
milliseconds; above it the graph answers, which may miss a few.
"""

RANK_BASE = 1
"""Qdrant counts ranks from 0, so its k is one more than that of the literature."""


# A selection of chunks as conditions on point payloads.


@dataclass(frozen=True, slots=True)
class MatchAny:
    """The field has one of these values, or an array field holds one."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The number lies within the bounds, both included."""

    key: str
    lowest: float | None
    highest: float | None


Condition = MatchAny | Between


@dataclass(frozen=True, slots=True)
class Filter:
    """All `must` conditions hold and no `must_not` condition; the point's id is in `only` (None is
    any) and not in `never`.
    """

    must: tuple[Condition, ...]
    must_not: tuple[Condition, ...] = ()
    only: frozenset[str] | None = None
    never: frozenset[str] = frozenset()

    def among(self, point_ids: frozenset[str]) -> Filter:
        """This filter, limited to these points."""
        return replace(self, only=point_ids)

    def without(self, point_ids: frozenset[str]) -> Filter:
        """This filter without these points."""
        return replace(self, never=point_ids)


def selecting(selection: Selection) -> Filter:
    """The filter that matches exactly the selected chunks."""
    project = MatchAny("project_id", (selection.project_id,))
    unequal = {
        comparison for comparison in selection.where if comparison.operator is Operator.NOT_EQUAL
    }
    holding = [
        _on_metadata(comparison) for comparison in selection.where if comparison not in unequal
    ]
    must = (project, *_conditions(selection), *holding)
    never = [_on_metadata(comparison) for comparison in selection.where if comparison in unequal]
    if selection.without_kinds:
        never.append(_kind_among(selection.without_kinds))
    return Filter(must, tuple(never))


def _conditions(selection: Selection) -> Iterator[Condition]:
    for key in ("doc_id", "citekey", "source_path"):
        value = getattr(selection, key)
        if value is not None:
            yield MatchAny(key, (value,))
    for key, values in selection.scopes:
        yield MatchAny(key, values)
    if selection.added_since is not None:
        yield Between(ADDED_DAY, selection.added_since.toordinal(), None)
    if selection.year_from is not None or selection.year_to is not None:
        yield Between("year", selection.year_from, selection.year_to)
    if selection.kinds:
        yield _kind_among(selection.kinds)
    if selection.section:
        yield MatchAny("section_keys", (section_key(selection.section),))
    if selection.chunks is not None:
        yield Between("chunk_idx", *selection.chunks)


def _on_metadata(where: Where) -> Condition:
    """The condition on the field; that of `!=` is the one of `=`, which must not hold."""
    if isinstance(where.value, tuple):
        return MatchAny(where.field if where.on_chunk else METADATA + where.field, where.value)
    number = float(where.value)
    lowest = {Operator.MORE: nextafter(number, inf)}.get(where.operator, number)
    highest = {Operator.LESS: nextafter(number, -inf)}.get(where.operator, number)
    return Between(
        NUMBER + where.field,
        None if where.operator in (Operator.LESS, Operator.AT_MOST) else lowest,
        None if where.operator in (Operator.MORE, Operator.AT_LEAST) else highest,
    )


def _kind_among(kinds: tuple[ChunkKind, ...]) -> MatchAny:
    return MatchAny("kind", tuple(kind.value for kind in kinds))


# A question to the index as nearest-neighbour searches and their fusion.

ID_ALONE = ("chunk_id",)
"""The payload key of what a search is to find no more of."""

MARGIN = 2
"""How many hits more are searched for than are asked for."""


class Scored(Protocol):
    """A search result with its score."""

    @property
    def score(self) -> float:
        """The score; higher is better."""

    @property
    def chunk_id(self) -> str:
        """The chunk's id."""


Found = TypeVar("Found", bound=Scored)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest points by one named vector."""

    using: str
    vector: list[float] | SparseVector


@dataclass(frozen=True, slots=True)
class RankFusion:
    """Reciprocal rank fusion of `candidates` points a side: 1 / (`k` + rank), ranks from 1."""

    k: int
    candidates: int


@dataclass(frozen=True, slots=True)
class IndexSearch:
    """One side on its own, or two sides fused; `where` holds for each of them.

    Found points come with the payload `keys`, all of them if none is named, and these `vectors`; of
    sparse ones a store may leave out all but the `terms`, if there are any.
    """

    sides: tuple[Nearest, ...]
    where: Filter
    fusion: RankFusion | None = None
    vectors: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    terms: frozenset[int] | None = None

    @property
    def with_vectors(self) -> bool:
        """Whether any vector is requested."""
        return bool(self.vectors)


def search_for(
    query: IndexQuery, keys: tuple[str, ...] = (), *, hybrid: bool = True
) -> IndexSearch | None:
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
    for_match = bool(keys) and query.mode is Mode.SPARSE
    terms = query.terms
    if for_match and query.sparse is not None:
        terms = frozenset(query.sparse.indices)  # of a match by words alone, those of the words
    vectors = (DENSE, SPARSE) if hybrid else (DENSE,)
    if query.sparse_alone or for_match:
        vectors = (SPARSE,)
    fusion = None
    if query.mode is Mode.HYBRID:
        fusion = RankFusion(k=query.rrf_k, candidates=max(query.candidates, query.limit))
    return IndexSearch(
        tuple(sides),
        selecting(query.selection),
        fusion,
        vectors=vectors if query.with_vectors else (),
        keys=keys,
        terms=terms,
    )


def best(
    limit: int,
    ask: Callable[[int], Sequence[Found]],
    first: Sequence[Found] | None = None,
) -> list[Found]:
    """The `limit` best hits of `ask`, ties in the order of the chunk ids; `first` is its result for
    `with_margin(limit)`, if that is known already.

    A store may return any of several hits of equal score at its limit, so the limit is doubled
    until the hit after the limit has a lower score.
    """
    most = with_margin(limit)
    hits = ask(most) if first is None else first
    while len(hits) == most and hits[-1].score == hits[limit - 1].score:
        most *= 2
        hits = ask(most)
    return in_order(hits)[:limit]


def fused(
    search: IndexSearch,
    limit: int,
    ask: Callable[[IndexSearch, int], Sequence[Found]],
) -> list[tuple[Found, float]]:
    """The `limit` best hits of a fusion with their scores, ties in the order of the chunk ids on
    each side and between them, which an engine that fuses leaves to the order of storing. `ask` is
    asked for each side alone, with no more than the ids.
    """
    sides = [best(most - MARGIN, partial(ask, alone)) for alone, most in side_searches(search)]
    return _merged(search, sides)[:limit]


def fused_from(
    search: IndexSearch,
    limit: int,
    ask: Callable[[IndexSearch, int], Sequence[Found]],
    sides: Sequence[Sequence[Found]],
) -> list[tuple[Found, float]]:
    """As `fused`, where the `sides` are known as `side_searches` asks for them: hits that tie with
    some that were not seen count for nothing, unless the others do not suffice.
    """
    asked = [most for _, most in side_searches(search)]
    whole = all(len(side) < most for side, most in zip(sides, asked))
    seen = [
        in_order(side if len(side) < most else [hit for hit in side if hit.score > side[-1].score])
        for side, most in zip(sides, asked)
    ]
    merged = _merged(search, seen)
    return merged[:limit] if whole or len(merged) >= limit else fused(search, limit, ask)


def _merged(search: IndexSearch, sides: Iterable[Sequence[Found]]) -> list[tuple[Found, float]]:
    hits: dict[str, Found] = {}
    scores: dict[str, float] = {}
    k, candidates = (search.fusion.k, search.fusion.candidates) if search.fusion else (0, 0)
    for side in sides:
        ranked = side[:candidates]
        hits |= {hit.chunk_id: hit for hit in ranked}
        ranks = reciprocal_ranks([(hit.chunk_id, hit.score) for hit in ranked], k)
        for chunk_id, score in ranks.items():
            scores[chunk_id] = scores.get(chunk_id, 0.0) + score
    order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    return [(hits[chunk_id], scores[chunk_id]) for chunk_id in order]


def side_searches(search: IndexSearch) -> list[tuple[IndexSearch, int]]:
    """The searches for each side of a fusion, with no more than the ids, and how many of them are
    asked for first; none where nothing is fused.
    """
    if search.fusion is None:
        return []
    return [
        (
            replace(search, sides=(side,), fusion=None, vectors=(), keys=ID_ALONE),
            with_margin(search.fusion.candidates),
        )
        for side in search.sides
    ]


def with_margin(limit: int) -> int:
    """The limit to search with, so that hits tied with the last one can be seen."""
    return limit + MARGIN


def in_order(hits: Sequence[Found]) -> list[Found]:
    """Best first, ties in the order of the chunk ids."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))
