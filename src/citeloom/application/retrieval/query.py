"""The use case `query`: answers a question with citable passages."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from uuid import uuid4

from citeloom.application.binding import bound_collection
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.application.ports.vector_reader import VectorReader
from citeloom.application.retrieval.candidates import Candidates, StageTrace
from citeloom.application.retrieval.neighbours import neighbours
from citeloom.application.retrieval.pipeline import retrieval_for
from citeloom.application.retrieval.request import QueryRequest
from citeloom.application.retrieval.search import Search
from citeloom.application.retrieval.selection import FilterTranslation
from citeloom.application.retrieval.term_statistics import KnownStatistics
from citeloom.domain.errors import HybridNotSupported
from citeloom.domain.fusion import Fusion
from citeloom.domain.opening import in_both_fields
from citeloom.domain.passage import Hit, IndexQuery, Passage, Ranked, Selection, SparseVector, trim
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection, Project
from citeloom.domain.quotation import holds_verbatim

__all__ = ["Query", "QueryRequest", "QueryResult"]

_GROUPING_DEPTH = 5
"""How many chunks are retrieved for each document to return."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """The passages found, best first, and how they were found.

    `feedback` are the ids of the chunks used for query expansion, `stages` the trace of each stage,
    `notes` messages for the user, such as an unknown filter or a floor that nothing passed.
    """

    project: str
    query: str
    mode: Mode
    models: dict[str, str | None]
    fusion: str | None
    feedback: tuple[str, ...]
    passages: tuple[Passage, ...]
    stages: tuple[StageTrace, ...] = ()
    notes: tuple[str, ...] = ()
    duration_ms: float
    correlation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Answers questions from the collection of one project.

    Without a `fusion`, reciprocal rank fusion is used, inside the store if it supports that.
    """

    project: Project
    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    index: VectorReader
    clock: Clock
    fusion: Fusion | None = None
    _statistics: KnownStatistics = field(
        default_factory=KnownStatistics, init=False, repr=False, compare=False
    )

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes that the project supports."""
        return (Mode.DENSE,) if self.sparse is None else tuple(Mode)

    def __call__(self, request: QueryRequest) -> QueryResult:
        """Find passages.

        Raises `InvalidProject` if nothing has been ingested yet, `EmbeddingMismatch` if the
        collection has other models, `HybridNotSupported` if it has no sparse vectors.
        """
        started = self.clock.monotonic()
        filters = FilterTranslation(reader=self.index, project=self.project)
        collection = bound_collection(self.index, self.project)
        mode = self._mode(request, collection)
        query = self._index_query(request, mode, filters.selection(request.filters))
        search = self.search_in(collection)
        retrieval = retrieval_for(search, self.project.retrieval, request, mode)
        found = retrieval(Candidates(text=request.text, query=query))
        sides = self._both_sides(found.query, search) if request.explain else ({}, {})
        notes = found.notes or (() if found.hits else filters.notes(request.filters))
        return QueryResult(
            project=self.project.id,
            query=request.text,
            mode=mode,
            models={"dense": collection.dense_model, "sparse": collection.sparse_model},
            fusion=str(search.fusion_of(query)) if mode is Mode.HYBRID else None,
            feedback=found.feedback,
            passages=tuple(self._passage(request, hit, found, sides) for hit in found.hits),
            stages=found.trace,
            notes=notes,
            duration_ms=round((self.clock.monotonic() - started) * 1000, 1),
            correlation_id=uuid4().hex[:12],
        )

    def _mode(self, request: QueryRequest, collection: Collection) -> Mode:
        mode = request.mode or (Mode.HYBRID if collection.hybrid else Mode.DENSE)
        if mode is not Mode.DENSE and (self.sparse is None or not collection.hybrid):
            raise HybridNotSupported(
                f"project '{self.project.id}' has no sparse vectors, so it cannot be queried "
                f"in {mode.value} mode",
                "Use --mode dense, or set hybrid_enabled and a sparse_model and rebuild: "
                f"citeloom ingest --project {self.project.id} --rebuild",
            )
        return mode

    def _index_query(self, request: QueryRequest, mode: Mode, selection: Selection) -> IndexQuery:
        policy = self.project.retrieval
        limit = request.top_k or policy.top_k
        if request.by_document:
            limit *= _GROUPING_DEPTH
        return IndexQuery(
            selection=selection,
            mode=mode,
            limit=limit,
            dense=self.dense.embed_query(request.text) if mode is not Mode.SPARSE else None,
            sparse=self._terms(request.text) if mode is not Mode.DENSE else None,
            candidates=max(policy.candidates, limit),
            rrf_k=policy.rrf_k,
        )

    def _terms(self, text: str) -> SparseVector | None:
        return in_both_fields(self.sparse.embed_query(text)) if self.sparse else None

    def search_in(self, collection: Collection) -> Search:
        """The search that queries are made of."""
        return Search(
            reader=self.index,
            collection=collection,
            statistics=self._statistics,
            fusion=self.fusion,
        )

    def _passage(
        self, request: QueryRequest, hit: Hit, found: Candidates, sides: tuple[_Ranks, _Ranks]
    ) -> Passage:
        chunk = hit.stored.chunk
        text, trimmed = chunk.text, False
        if not request.full_text:
            text, trimmed = trim(text, self.project.retrieval.max_chars_per_chunk)
        label = self.project.citation_label
        before, after = neighbours(self.index, self.project.collection, hit.stored, request.context)
        return Passage(
            stored=hit.stored,
            score=hit.score,
            text=text,
            trimmed=trimmed,
            verbatim=chunk.id in found.quoted or holds_verbatim(chunk.text, request.text),
            dense=sides[0].get(chunk.id),
            sparse=sides[1].get(chunk.id),
            before=before,
            after=after,
            citation_label=label.of(hit.stored) if label else None,
            duplicates=tuple(folded.stored for folded in found.folded.get(chunk.id, ())),
        )

    def _both_sides(self, query: IndexQuery, search: Search) -> tuple[_Ranks, _Ranks]:
        """The ranks of chunks in the dense and in the sparse search alone."""
        return _ranks(query, search, Mode.DENSE), _ranks(query, search, Mode.SPARSE)


_Ranks = dict[str, Ranked]


def _ranks(query: IndexQuery, search: Search, mode: Mode) -> _Ranks:
    """The ranks of chunks in one side alone, up to the query's number of candidates."""
    vector = query.dense if mode is Mode.DENSE else query.sparse
    if vector is None:
        return {}
    hits = search(replace(query, mode=mode, limit=query.candidates))
    return {
        hit.stored.chunk.id: Ranked(rank=rank, score=hit.score)
        for rank, hit in enumerate(hits, start=1)
    }
