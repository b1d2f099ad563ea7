"""Search in one collection, and the stages that ask it: quotations, expansion, retrieval,
fusion.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from citeloom.application.ports.vector_index import Capability, VectorReader
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.candidates import Candidates, RetrievalStage, StageName, with_others
from citeloom.domain.retrieval.coverage import NO_WORDS, WeighedWords
from citeloom.domain.retrieval.ordering import Fusion, Scored
from citeloom.domain.retrieval.passage import (
    Hit,
    IndexQuery,
    Match,
    Ranked,
    Selection,
    SparseVector,
    StoredChunk,
)
from citeloom.domain.retrieval.rare_words import (
    rare_form_weights,
    rare_word_holders,
    rare_word_queries,
)
from citeloom.domain.retrieval.sparse import TermStatistics, in_either_field, own_terms
from citeloom.domain.text.verbatim import holds_verbatim, may_be_quotation, may_run_on, runs_on

if TYPE_CHECKING:
    from datetime import datetime

    from citeloom.application.open_project import OpenProject
    from citeloom.domain.project import Collection

# Searches, with what the store cannot do itself done here.


class TermStatisticsCache:
    """Term statistics by collection, kept until its generation, its number of chunks or the time
    it was last `written` changes.

    Counting reads every vector of the collection once; checking that the cache is valid costs one
    `count` for each query.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[Hashable, TermStatistics]] = {}

    def __call__(
        self, reader: VectorReader, collection: Collection, written: datetime | None = None
    ) -> TermStatistics:
        everything = Selection(project_id=collection.project_id)
        state = (collection.generation, reader.count(collection.name, everything), written)
        known = self._known.get(collection.name)
        if known is None or known[0] != state:
            chunks = reader.examine(collection.name, everything)
            vectors = (chunk.sparse for chunk in chunks if chunk.sparse is not None)
            known = state, TermStatistics.of(vectors)
            self._known[collection.name] = known
        return known[1]


_ANY = SparseVector.of({})
Sides = tuple[tuple[Hit, ...], ...]
"""The rankings of a query: one, or the dense and the sparse one before fusion."""


@dataclass(slots=True)
class _Results:
    hits: dict[object, tuple[Hit, ...]] = field(default_factory=dict)
    matches: dict[object, tuple[Match, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Searches one collection for one question. A `fusion` replaces the store's own for hybrid
    queries. The same search is made once.
    """

    reader: VectorReader
    collection: Collection
    statistics: Callable[[VectorReader, Collection], TermStatistics]
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
        return self.fusion is None and Capability.FUSION in self.reader.capabilities

    def fusion_of(self, query: IndexQuery) -> Fusion:
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


def search_in(project: OpenProject, collection: Collection) -> Search:
    @cache
    def written() -> datetime | None:
        times = (entry.updated_at for entry in project.entries())
        return max(filter(None, times), default=None)

    def statistics(reader: VectorReader, collection: Collection) -> TermStatistics:
        return project.kept(TermStatisticsCache)(reader, collection, written())

    return Search(
        reader=project.index,
        collection=collection,
        statistics=statistics,
        fusion=project.fusion,
    )


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
    places = [stored.chunk.chunk_idx for stored in chunks]
    selections = [
        Selection(
            project_id=stored.project_id,
            doc_id=stored.chunk.doc_id,
            chunks=(max(here - distance, 0), here + distance),
            without_kinds=(ChunkKind.HIDDEN,),
        )
        for stored, here in zip(chunks, places)
    ]
    around = []
    for here, near in zip(places, reader.scroll_batch(collection, selections)):
        ordered = sorted(near, key=lambda stored: stored.chunk.chunk_idx)
        before = tuple(stored for stored in ordered if stored.chunk.chunk_idx < here)
        after = tuple(stored for stored in ordered if stored.chunk.chunk_idx > here)
        around.append((before, after))
    return around


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
    sides = ((Mode.DENSE, query.dense), (Mode.SPARSE, query.sparse))
    return [_ranking(query, mode) for mode, vector in sides if vector is not None]


def _ranking(query: IndexQuery, mode: Mode) -> IndexQuery:
    return replace(query, mode=mode, limit=query.candidates, with_vectors=False)


# Quotations first.


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotations:
    """Puts hits that contain the question verbatim first, if it may be a quotation.

    Who pastes a sentence wants the place where it stands, and fusion puts what both sides find
    fairly good before it (ADR 7).
    If there are any, the answer is settled: they come first, then the query's other hits. Otherwise
    verbatim hits in excluded kinds, such as reference lists, precede the hits of later stages.
    """

    search: Search
    name: ClassVar[StageName] = StageName.QUOTATIONS

    def __call__(self, candidates: Candidates) -> Candidates:
        text, query = candidates.text, candidates.query
        if not may_be_quotation(text):
            return replace(candidates, detail="the question is no quotation")
        deep = _deep(query)
        hits, quoted = self._found(deep, text)
        if quoted:
            return replace(
                candidates,
                query=deep,
                hits=tuple(sorted(hits, key=lambda hit: hit.stored.chunk.id not in quoted)),
                quoted=quoted,
                settled=True,
                detail=f"{len(quoted)} hold the text word for word; nothing else is searched",
            )
        kinds = deep.selection.without_kinds
        if not kinds:
            return replace(candidates, detail="no passage holds the text word for word")
        hits, quoted = self._found(_apart(deep), candidates.text)
        quotations = tuple(hit for hit in hits if hit.stored.chunk.id in quoted)
        names = " or ".join(kind.value for kind in kinds)
        detail = f"{len(quotations)} hold the text word for word, of kind {names}"
        return replace(candidates, hits=quotations, quoted=quoted, detail=detail)

    @staticmethod
    def ahead(text: str, query: IndexQuery) -> tuple[IndexQuery, ...]:
        if not may_be_quotation(text):
            return ()
        deep = _deep(query)
        return (deep, _apart(deep)) if deep.selection.without_kinds else (deep,)

    def _found(self, query: IndexQuery, text: str) -> tuple[list[Hit], frozenset[str]]:
        """The query's hits, and the ids of those that contain `text`, alone or with a neighbour."""
        hits = self.search(query)
        quoted = frozenset(
            hit.stored.chunk.id for hit in hits if holds_verbatim(hit.stored.chunk.text, text)
        )
        if quoted:
            return hits, quoted
        # the larger part in a hit, and the rest in its neighbour
        parts = [hit.stored for hit in hits if may_run_on(hit.stored.chunk.text, text)]
        around = neighbours(self.search.reader, self.search.collection.name, parts, 1)
        return hits, frozenset(
            stored.chunk.id
            for stored, (before, after) in zip(parts, around)
            if any(runs_on(near.chunk.text, stored.chunk.text, text) for near in before)
            or any(runs_on(stored.chunk.text, near.chunk.text, text) for near in after)
        )


def _deep(query: IndexQuery) -> IndexQuery:
    return replace(query, limit=max(query.limit, query.candidates))


def _apart(query: IndexQuery) -> IndexQuery:
    """The same among the kinds that the query leaves out."""
    kinds = query.selection.without_kinds
    return replace(query, selection=replace(query.selection, kinds=kinds, without_kinds=()))


# Expansion of the query by its best hits.

_AS_ASKED = 12
"""How many hits of the query as asked are kept; the nearest by meaning is nearly always one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudoRelevanceFeedback:
    """Expands the query by pseudo-relevance feedback from its `depth` best hits.

    Passages that answer use other words than the question, and the best hits tell which (ADR 8).
    """

    search: Search
    depth: int
    name: ClassVar[StageName] = StageName.EXPAND

    def __call__(self, candidates: Candidates) -> Candidates:
        unexpanded = self.search(self.ahead(candidates.query))
        best = unexpanded[: self.depth]
        return replace(
            candidates,
            unexpanded=tuple(unexpanded),
            query=expand_query(candidates.query, best),
            feedback=tuple(hit.stored.chunk.id for hit in best),
            detail=f"by the {len(best)} best passages of the query as asked",
        )

    def ahead(self, query: IndexQuery) -> IndexQuery:
        return replace(query, limit=max(self.depth, _AS_ASKED), with_vectors=True)


_DENSE_SHARE = 0.5
"""How far the vector moves towards the mean of the hits."""
_SPARSE_SHARE = 0.6
"""The weight of all new terms together, in that of the query's own."""
_TERMS = 30
"""How many terms of the hits are added."""


def expand_query(query: IndexQuery, hits: Sequence[Hit]) -> IndexQuery:
    """The query moved towards the hits, which have their vectors; the first weighs 1, the second
    1/2, the third 1/3.

    The dense vector by Rocchio (1971) with a share of 0.5, the sparse one by RM3 (Abdul-Jaleel et
    al. 2004) with 30 terms and a share of 0.6: the query itself keeps the larger weight in both.
    """
    weights = [1 / rank for rank in range(1, len(hits) + 1)]
    dense = [(hit.dense, w) for hit, w in zip(hits, weights) if hit.dense is not None]
    sparse = [(own_terms(hit.sparse), w) for hit, w in zip(hits, weights) if hit.sparse]
    moved, total = query.dense, sum(weight for _, weight in dense)
    for vector, weight in dense if moved else ():
        step = _DENSE_SHARE * weight / total
        moved = [here + step * there for here, there in zip(moved or (), vector)]
    terms = _with_terms(query.sparse, sparse) if query.sparse and sparse else query.sparse
    return replace(query, dense=moved, sparse=terms)


def _with_terms(query: SparseVector, hits: Sequence[tuple[SparseVector, float]]) -> SparseVector:
    """The query's terms with the heaviest terms of the hits, which share part of its weight."""
    gathered: dict[int, float] = {}
    for vector, weight in hits:
        for index, value in zip(vector.indices, vector.values):
            gathered[index] = gathered.get(index, 0.0) + weight * value
    chosen = sorted(gathered, key=lambda index: (-gathered[index], index))[:_TERMS]
    whole = sum(gathered[index] for index in chosen)
    share = _SPARSE_SHARE * sum(own_terms(query).values) / whole if whole else 0.0
    terms = query.weights
    for index in chosen:
        terms[index] = terms.get(index, 0.0) + share * gathered[index]
    return SparseVector.of(terms)


# Retrieval and fusion.

_REQUIRED = 100.0
"""The weight of a required term, so that passages without one come last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve:
    """Searches the store for `least` hits, or for more where the limit or the number of candidates
    says so; in the same exchange for passages with rare ones of the `words`, for those with
    `required` terms, and `with_ranks` for the ranks of an explanation. With `terms_alone` the hits'
    sparse vectors have the terms of the words, and may lack others; `vectors` makes those of texts.
    """

    search: Search
    least: int = 1
    with_ranks: bool = False
    words: Callable[[], WeighedWords] | None = None
    terms_alone: bool = False
    required: SparseVector | None = None
    vectors: Callable[[Sequence[StoredChunk]], list[SparseVector]] | None = None
    name: ClassVar[StageName] = StageName.RETRIEVE

    def __call__(self, candidates: Candidates) -> Candidates:
        query = self.ahead(candidates.query)
        words = self.words() if self.words else NO_WORDS
        if self.terms_alone:
            query = replace(query, terms=in_either_field(words.term_weights))
        rare = rare_word_queries(query, words)
        required = []
        if self.required is not None and query.sparse is not None:
            # passages with the required terms, those with the query's terms first
            weights = query.sparse.weights
            weights.update((index, _REQUIRED) for index in self.required.indices)
            sparse = SparseVector.of(weights)
            limit = max(query.candidates, query.limit)
            required.append(replace(query, mode=Mode.SPARSE, sparse=sparse, limit=limit))
        self.search.look_ahead(
            [query, *rare.values(), *required], rankings(query) if self.with_ranks else ()
        )
        sides = self.search.sides(query)
        counts = " and ".join(str(len(side)) for side in sides)
        hits = {word: self.search(search) for word, search in rare.items()}
        holders = self._with_vectors(rare_word_holders(hits, words), sides)
        return replace(
            candidates,
            query=query,
            sides=sides,
            rare=holders,
            form_weights=rare_form_weights(hits, holders, words),
            required=tuple(hit for search in required for hit in self.search(search)),
            detail=f"{counts} by {query.mode.value} search",
        )

    def _with_vectors(
        self, holders: Mapping[str, tuple[Hit, ...]], sides: Sides
    ) -> dict[str, tuple[Hit, ...]]:
        """The holders of rare words with sparse vectors: those that they came with or have among
        the sides, else what is made of their text, without the terms of their work's opening.
        """
        everywhere = (hit for hits in (*sides, *holders.values()) for hit in hits)
        known = {hit.stored.chunk.id: hit.sparse for hit in everywhere if hit.sparse is not None}
        bare = {
            hit.stored.chunk.id: hit.stored
            for hits in holders.values()
            for hit in hits
            if hit.stored.chunk.id not in known
        }
        if bare and self.vectors is not None:
            known.update(zip(bare, self.vectors([*bare.values()])))
        return {
            word: tuple(replace(hit, sparse=known.get(hit.stored.chunk.id)) for hit in hits)
            for word, hits in holders.items()
        }

    def ahead(self, query: IndexQuery) -> IndexQuery:
        limit = max(query.limit, min(self.least, query.candidates))
        return replace(query, limit=limit, with_vectors=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuse:
    """Fuses the sides into one ranking, after the hits found so far, by 1 / (60 + rank) unless
    another `Fusion` is set (ADR 7); those after the first `depth`, and those with rare words, are
    not put in order any further.
    """

    search: Search
    depth: int | None = None
    name: ClassVar[StageName] = StageName.FUSE

    def __call__(self, candidates: Candidates) -> Candidates:
        hits = self.search.fuse(candidates.sides, candidates.query)
        by = "the store" if self.search.store_fuses else "the application"
        fused = candidates.query.mode is Mode.HYBRID
        detail = (
            f"{self.search.fusion_of(candidates.query)}, by {by}" if fused else "one side alone"
        )
        depth = len(hits) if self.depth is None else self.depth
        return replace(
            candidates,
            hits=(*candidates.hits, *hits[:depth]),
            further=tuple(
                with_others(with_others(hits, candidates.rare_hits), candidates.required)[depth:]
            ),
            sides=(),
            detail=detail,
        )


def first_searches(
    stages: Iterable[RetrievalStage], text: str, query: IndexQuery
) -> list[IndexQuery]:
    """The searches that the first of the stages make, as far as they are known beforehand."""
    searches: list[IndexQuery] = []
    for stage in stages:
        if isinstance(stage, Quotations):
            searches += stage.ahead(text, query)
        elif isinstance(stage, PseudoRelevanceFeedback | Retrieve):
            return [*searches, stage.ahead(query)]
    return searches
