"""Search in one collection, with what the store cannot do itself done here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from citeloom.application.ports.vector_index import Capability, VectorReader
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.fusion import Fusion, Scored
from citeloom.domain.retrieval.passage import (
    Hit,
    IndexQuery,
    Match,
    Ranked,
    Selection,
    SparseVector,
    StoredChunk,
)
from citeloom.domain.retrieval.sparse import TermStatistics


class TermStatisticsCache:
    """Term statistics by collection, kept until its generation or its number of chunks changes.

    Counting reads every vector of the collection once; checking that the cache is valid costs one
    `count` for each query. Documents replaced chunk by chunk are not noticed.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[str, int], TermStatistics]] = {}

    def __call__(self, reader: VectorReader, collection: Collection) -> TermStatistics:
        """The statistics of the collection's sparse vectors."""
        everything = Selection(project_id=collection.project_id)
        state = (collection.generation, reader.count(collection.name, everything))
        known = self._known.get(collection.name)
        if known is None or known[0] != state:
            chunks = reader.examine(collection.name, everything)
            vectors = (chunk.sparse for chunk in chunks if chunk.sparse is not None)
            known = state, TermStatistics.of(vectors)
            self._known[collection.name] = known
        return known[1]


_ANY = SparseVector(indices=(), values=())


Sides = tuple[tuple[Hit, ...], ...]
"""The rankings of a query: one, or the dense and the sparse one before fusion."""


@dataclass(slots=True)
class _Results:
    """The results of the searches made so far, by their queries."""

    hits: dict[object, tuple[Hit, ...]] = field(default_factory=dict)
    matches: dict[object, tuple[Match, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Searches one collection for one question. A `fusion` replaces the store's own for hybrid
    queries. The same search is made once.
    """

    reader: VectorReader
    collection: Collection
    statistics: TermStatisticsCache
    fusion: Fusion | None = None
    _results: _Results = field(default_factory=_Results, init=False, repr=False, compare=False)

    def __call__(self, query: IndexQuery) -> list[Hit]:
        """The hits of a query, best first."""
        return self.fuse(self.sides(query), query)

    def match(self, query: IndexQuery) -> tuple[Match, ...]:
        """The matches of a query, best first, without their text."""
        self.look_ahead([], [query])
        return self._results.matches[_key(query)]

    def look_ahead(self, queries: Sequence[IndexQuery], matches: Sequence[IndexQuery] = ()) -> None:
        """Make searches that are still to come, and have not been made, in one exchange with the
        store.
        """
        known = self._results
        sides = {_key(side): side for query in queries for side in self._sides_of(query)}
        missing = {key: side for key, side in sides.items() if key not in known.hits}
        alone = {_key(query): query for query in matches if _key(query) not in known.matches}
        if not missing and not alone:
            return
        weighted = [self._weighted(query) for query in alone.values()]
        results = self.reader.search_batch(self.collection.name, [*missing.values()], weighted)
        known.hits.update((key, tuple(hits)) for key, hits in zip(missing, results.hits))
        known.matches.update((key, tuple(matches)) for key, matches in zip(alone, results.matches))

    def sides(self, query: IndexQuery) -> Sides:
        """The query's rankings: one if the store fuses them, else one for each side."""
        self.look_ahead([query])
        return tuple(self._results.hits[_key(side)] for side in self._sides_of(query))

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

    def _sides_of(self, query: IndexQuery) -> tuple[IndexQuery, ...]:
        """What the store is asked for a query."""
        query = self._weighted(query)
        if query.mode is not Mode.HYBRID or self.store_fuses:
            return (query,)
        depth = max(query.candidates, query.limit)
        return tuple(replace(query, mode=mode, limit=depth) for mode in (Mode.DENSE, Mode.SPARSE))

    def _weighted(self, query: IndexQuery) -> IndexQuery:
        """The query with its terms weighted by IDF, where the store does not do that."""
        if query.sparse is None or Capability.IDF in self.reader.capabilities:
            return query
        statistics = self.statistics(self.reader, self.collection)
        return replace(query, sparse=statistics.weigh(query.sparse))


def _key(query: IndexQuery) -> object:
    """What tells queries apart; the vector may be of a type that has no hash."""
    dense = None if query.dense is None else tuple(query.dense)
    return (
        replace(query, dense=None, mode=Mode.SPARSE, sparse=_ANY),
        query.mode,
        dense,
        query.sparse,
    )


def _scored(hits: Sequence[Hit]) -> list[Scored]:
    return [(hit.stored.chunk.id, hit.score) for hit in hits]


# The neighbouring chunks in a document.

Neighbours = tuple[tuple[StoredChunk, ...], tuple[StoredChunk, ...]]
"""The chunks before and after one in its document, in reading order."""


def neighbours(
    reader: VectorReader, collection: str, chunks: Sequence[StoredChunk], distance: int
) -> list[Neighbours]:
    """The neighbours of each chunk, up to `distance` before and after it, in one exchange with the
    store.
    """
    if distance < 1 or not chunks:
        return [((), ()) for _ in chunks]
    around = reader.scroll_batch(collection, [_around(stored, distance) for stored in chunks])
    return [_before_and_after(stored, neighbour) for stored, neighbour in zip(chunks, around)]


def _around(stored: StoredChunk, distance: int) -> Selection:
    here = stored.chunk.chunk_idx
    return Selection(
        project_id=stored.project_id,
        doc_id=stored.chunk.doc_id,
        chunks=(max(here - distance, 0), here + distance),
        without_kinds=(ChunkKind.HIDDEN,),
    )


def _before_and_after(stored: StoredChunk, around: Sequence[StoredChunk]) -> Neighbours:
    here = stored.chunk.chunk_idx
    ordered = sorted(around, key=lambda neighbour: neighbour.chunk.chunk_idx)
    return (
        tuple(neighbour for neighbour in ordered if neighbour.chunk.chunk_idx < here),
        tuple(neighbour for neighbour in ordered if neighbour.chunk.chunk_idx > here),
    )


# The ranks of chunks in either side of a search, for explanations.


def ranks(query: IndexQuery, search: Search, mode: Mode) -> dict[str, Ranked]:
    """The ranks of chunks in one side alone, up to the query's number of candidates."""
    vector = query.dense if mode is Mode.DENSE else query.sparse
    if vector is None:
        return {}
    matches = search.match(_ranking(query, mode))
    return {
        match.chunk_id: Ranked(rank=rank, score=match.score)
        for rank, match in enumerate(matches, start=1)
    }


def rankings(query: IndexQuery) -> list[IndexQuery]:
    """The searches for the ranks in the sides of a query."""
    sides = ((Mode.DENSE, query.dense), (Mode.SPARSE, query.sparse))
    return [_ranking(query, mode) for mode, vector in sides if vector is not None]


def _ranking(query: IndexQuery, mode: Mode) -> IndexQuery:
    return replace(query, mode=mode, limit=query.candidates, with_vectors=False)
