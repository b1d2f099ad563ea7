"""The use case `query`: a question, answered with passages one can cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from citeloom.application.binding import bound_collection
from citeloom.application.neighbours import neighbours
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.ranking import Ranking, ranked
from citeloom.domain.chunk import ChunkKind
from citeloom.domain.errors import HybridNotSupported
from citeloom.domain.opening import in_both_fields
from citeloom.domain.passage import (
    Hit,
    IndexQuery,
    Passage,
    Ranked,
    Selection,
    SparseVector,
    trim,
)
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection, Project
from citeloom.domain.quotation import holds_verbatim

_GROUPING_DEPTH = 5
"""To find `k` documents, so many times `k` chunks are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRequest:
    """A question and how to answer it; what is None follows the project's retrieval policy.

    `selection` narrows the chunks; reference lists are left out unless its `kinds` ask for them or
    the text quotes one. `context` adds so many neighbours on each side; `explain` tells where the
    dense and the sparse side placed each passage.
    """

    text: str
    selection: Selection
    mode: Mode | None = None
    top_k: int | None = None
    min_score: float | None = None
    by_document: bool = False
    context: int = 0
    explain: bool = False
    full_text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """The passages found, best first, and how they were found.

    `feedback` are the ids of the chunks that a hybrid query was expanded by.
    """

    project: str
    query: str
    mode: Mode
    models: dict[str, str | None]
    fusion: str | None
    feedback: tuple[str, ...]
    passages: tuple[Passage, ...]
    duration_ms: float
    correlation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Answers questions from one project's collection, and from no other."""

    project: Project
    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    index: VectorIndex
    clock: Clock

    def __call__(self, request: QueryRequest) -> QueryResult:
        """Find passages.

        Raises `InvalidProject` when nothing was ingested yet, `EmbeddingMismatch` when the
        collection has other models, `HybridNotSupported` when it has no sparse vectors.
        """
        started = self.clock.monotonic()
        collection = bound_collection(self.index, self.project)
        mode = self._mode(request, collection)
        query = self._index_query(request, mode)
        ranking = ranked(self.index, self.project, query, request.text)
        passages = [
            self._passage(request, hit, quoted=hit.stored.chunk.id in ranking.quoted)
            for hit in self._hits(request, ranking)
        ]
        if request.explain:
            passages = self._explained(passages, ranking.query)
        policy = self.project.retrieval
        return QueryResult(
            project=self.project.id,
            query=request.text,
            mode=mode,
            models={"dense": collection.dense_model, "sparse": collection.sparse_model},
            fusion=f"rrf k={policy.rrf_k}" if mode is Mode.HYBRID else None,
            feedback=ranking.feedback,
            passages=tuple(passages),
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

    def _index_query(self, request: QueryRequest, mode: Mode) -> IndexQuery:
        policy = self.project.retrieval
        limit = request.top_k or policy.top_k
        if request.by_document:
            limit *= _GROUPING_DEPTH
        return IndexQuery(
            selection=_of_body(request.selection),
            mode=mode,
            limit=limit,
            dense=self.dense.embed_query(request.text) if mode is not Mode.SPARSE else None,
            sparse=self._terms(request.text) if mode is not Mode.DENSE else None,
            candidates=max(policy.candidates, limit),
            rrf_k=policy.rrf_k,
        )

    def _terms(self, text: str) -> SparseVector | None:
        return in_both_fields(self.sparse.embed_query(text)) if self.sparse else None

    def _hits(self, request: QueryRequest, ranking: Ranking) -> list[Hit]:
        hits = list(ranking.hits)
        least = self.project.retrieval.min_score if request.min_score is None else request.min_score
        if least is not None:
            hits = [hit for hit in hits if hit.score >= least]
        if request.by_document:
            hits = _best_of_each_document(hits)
        return hits[: request.top_k or self.project.retrieval.top_k]

    def _passage(self, request: QueryRequest, hit: Hit, *, quoted: bool) -> Passage:
        text, trimmed = hit.stored.chunk.text, False
        if not request.full_text:
            text, trimmed = trim(text, self.project.retrieval.max_chars_per_chunk)
        before, after = neighbours(self.index, self.project, hit.stored, request.context)
        return Passage(
            stored=hit.stored,
            score=hit.score,
            text=text,
            trimmed=trimmed,
            verbatim=quoted or holds_verbatim(hit.stored.chunk.text, request.text),
            before=before,
            after=after,
        )

    def _explained(self, passages: Sequence[Passage], query: IndexQuery) -> list[Passage]:
        dense, sparse = self._ranks(query, Mode.DENSE), self._ranks(query, Mode.SPARSE)
        return [
            replace(
                passage,
                dense=dense.get(passage.stored.chunk.id),
                sparse=sparse.get(passage.stored.chunk.id),
            )
            for passage in passages
        ]

    def _ranks(self, query: IndexQuery, mode: Mode) -> dict[str, Ranked]:
        """The ranks one side alone gives, as deep as the query looked."""
        vector = query.dense if mode is Mode.DENSE else query.sparse
        if vector is None:
            return {}
        alone = replace(query, mode=mode, limit=query.candidates)
        hits = self.index.search(self.project.collection, alone)
        return {
            hit.stored.chunk.id: Ranked(rank=rank, score=hit.score)
            for rank, hit in enumerate(hits, start=1)
        }


def _of_body(selection: Selection) -> Selection:
    """The selection without reference lists, unless it says itself which kinds it wants."""
    if selection.kinds:
        return selection
    return replace(selection, without_kinds=(ChunkKind.REFERENCE,))


def _best_of_each_document(hits: Sequence[Hit]) -> list[Hit]:
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.stored.chunk.doc_id, hit)
    return list(best.values())
