"""The use case `query`: answers a question with citable passages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

from citeloom.application.collection import FilterTranslation, bound_collection
from citeloom.application.retrieval.question import Question, QuestionWords, WordWeightCache
from citeloom.application.retrieval.reranking import Rerank, Reranking
from citeloom.application.retrieval.result import QueryResult, passages_of
from citeloom.application.retrieval.search import (
    Fuse,
    PseudoRelevanceFeedback,
    Quotations,
    Retrieve,
    Search,
    TermStatisticsCache,
    first_searches,
)
from citeloom.application.retrieval.terms import (
    LanguageCache,
    QuestionTerms,
    unread_language,
    words_alone,
)
from citeloom.domain.errors import HybridNotSupported
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.candidates import Candidates, Stage, StageName
from citeloom.domain.retrieval.coverage import Coverage
from citeloom.domain.retrieval.filters import Filters
from citeloom.domain.retrieval.ordering import (
    DiversifyByPage,
    DiversifyByWork,
    Fold,
    Fusion,
    Group,
    Limit,
    MinScore,
    WholeWords,
    WithinDocumentRerank,
)
from citeloom.domain.retrieval.passage import IndexQuery, SparseVector
from citeloom.domain.retrieval.rare_words import RareWords

if TYPE_CHECKING:
    from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
    from citeloom.application.ports.runtime import Clock
    from citeloom.application.ports.vector_index import VectorReader
    from citeloom.application.requests.passages import QueryRequest
    from citeloom.domain.project import Collection, Project

_NO_TERMS = SparseVector(indices=(), values=())
_GROUPING_DEPTH = 5
"""How many chunks are retrieved for each document to return."""
_DEPTH = 30
"""How many chunks are put in order together, however many of them are returned: so few passages are
the first of many, and the first ten are the same whether ten are asked for or twenty.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Answers questions from the collection of one project: embeds, finds candidates, puts them in
    order and chooses among them, stage by stage.

    Without a `fusion`, reciprocal rank fusion is used, inside the store if it supports that. With
    `reranking`, a reranker puts the best passages in order.
    """

    project: Project
    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    index: VectorReader
    clock: Clock
    fusion: Fusion | None = None
    reranking: Reranking | None = None
    _statistics: TermStatisticsCache = field(
        default_factory=TermStatisticsCache, init=False, repr=False, compare=False
    )
    _languages: LanguageCache = field(
        default_factory=LanguageCache, init=False, repr=False, compare=False
    )
    _weights: WordWeightCache = field(
        default_factory=WordWeightCache, init=False, repr=False, compare=False
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
        collection = bound_collection(self.index, self.project)
        filters = FilterTranslation(reader=self.index, project=self.project)
        question = self._question(request, self.search_in(collection), filters)

        candidates = Candidates(text=request.text, query=question.query)
        for stage in self._finding(question):
            candidates = candidates if candidates.settled else candidates.after(stage)
        candidates = candidates.with_further()
        for stage in self._choosing(question):
            candidates = candidates.after(stage)

        query, terms = question.query, question.terms
        notes = candidates.notes or (() if candidates.hits else filters.notes(request.filters))
        if query.dense:
            languages = terms.languages if terms else ()
            notes = (*notes, *unread_language(request.text, collection, languages))
        remote = self.project.remote if query.dense else None
        return QueryResult(
            project=self.project.id,
            query=request.text,
            mode=query.mode,
            models={"dense": collection.dense_model, "sparse": collection.sparse_model},
            fusion=str(question.search.fusion_of(query)) if query.mode is Mode.HYBRID else None,
            feedback=candidates.feedback,
            passages=passages_of(candidates, question, self.project),
            stages=candidates.trace,
            reranked=candidates.reranked,
            works_found=candidates.works,
            references_configured=self.project.has_references,
            embedded_by=remote.host if remote else None,
            notes=notes,
            duration_ms=round((self.clock.monotonic() - started) * 1000, 1),
            correlation_id=uuid4().hex[:12],
        )

    def _finding(self, question: Question) -> list[Stage]:
        """The stages that find candidates and put them in order, each beside the condition on which
        it runs; they end where one has settled the answer.
        """
        request, search, words = question.request, question.search, question.words
        policy, hybrid = self.project.retrieval, question.query.mode is Mode.HYBRID
        reranking = None if StageName.RERANK in request.without else self.reranking
        to_rerank = reranking.candidates if reranking else 1
        depth = min(max(_DEPTH, to_rerank), policy.candidates)
        retrieve = Retrieve(
            search=search,
            least=depth if hybrid else policy.candidates if request.words else to_rerank,
            with_ranks=request.explain,
            words=words if hybrid else None,
            terms_alone=hybrid and policy.feedback > 0,
            required=question.required,
        )
        expand = PseudoRelevanceFeedback(search=search, depth=policy.feedback)
        rerank = Rerank(reranking=reranking, clock=self.clock) if reranking else None
        meaning = question.query.dense or ()
        return _enabled(
            request,
            (hybrid, Quotations(search=search)),
            (hybrid and policy.feedback > 0, expand),
            (True, retrieve),
            (True, Fuse(search=search, depth=depth if hybrid else None)),
            (hybrid, WithinDocumentRerank(question=meaning, words=words)),
            (hybrid, Coverage(question=meaning, words=words)),
            (rerank is not None, rerank),
            (hybrid and policy.diversify_by_page, DiversifyByPage()),
        )

    def _choosing(self, question: Question) -> list[Stage]:
        """The stages that choose passages among the candidates, likewise."""
        request, words = question.request, question.words
        policy, hybrid = self.project.retrieval, question.query.mode is Mode.HYBRID
        top_k = request.top_k or policy.top_k
        least = policy.min_score if request.min_score is None else request.min_score
        return _enabled(
            request,
            (bool(request.words), WholeWords(required=tuple(request.words))),
            (policy.fold_duplicates, Fold()),
            (least is not None, MinScore(least=least or 0.0)),
            (hybrid, DiversifyByWork()),
            (hybrid, RareWords(words=words, top_k=top_k)),
            (request.by_document, Group()),
            (True, Limit(top_k=top_k)),
        )

    def _question(
        self, request: QueryRequest, search: Search, filters: FilterTranslation
    ) -> Question:
        """The question, whose first searches have been made in one exchange with the store: with
        the terms of the languages that are known of the collection, and again where it turns out to
        hold another.
        """
        query = self._index_query(request, search.collection, filters)
        plain = Question(request=request, query=query, search=search)
        if self.sparse is None or not search.collection.hybrid:
            self._look_ahead(plain)
            return plain
        known = self._languages.known(search.collection)
        everything = filters.selection(Filters())
        question = plain.in_languages(known, self.sparse, self._weights, everything)
        self._look_ahead(question)
        languages = self._languages(search)
        if languages != known:
            question = plain.in_languages(languages, self.sparse, self._weights, everything)
            self._look_ahead(question)
        return question

    def _look_ahead(self, question: Question) -> None:
        stages = self._finding(question)
        searches = first_searches(stages, question.request.text, question.query)
        question.search.look_ahead(searches, question.lookups)

    def _index_query(
        self, request: QueryRequest, collection: Collection, filters: FilterTranslation
    ) -> IndexQuery:
        """The query, still without its terms, in the mode of the request or else that of the
        collection.
        """
        policy, mode = self.project.retrieval, Mode(request.mode) if request.mode else None
        if mode is None:
            mode = Mode.HYBRID if collection.hybrid else Mode.DENSE
            by_words = words_alone(request.text, collection.dense_model)
            if collection.hybrid and self.sparse and by_words:
                mode = Mode.SPARSE
        if mode is not Mode.DENSE and (self.sparse is None or not collection.hybrid):
            raise HybridNotSupported(
                f"project '{self.project.id}' has no sparse vectors, so it cannot be queried "
                f"in {mode.value} mode",
                "Use --mode dense, or set hybrid_enabled and a sparse_model and rebuild: "
                f"citeloom ingest --project {self.project.id} --rebuild",
            )
        limit = request.top_k or policy.top_k
        limit *= _GROUPING_DEPTH if request.by_document else 1
        return IndexQuery(
            selection=filters.selection(request.filters),
            mode=mode,
            limit=limit,
            dense=self.dense.embed_query(request.text) if mode is not Mode.SPARSE else None,
            sparse=_NO_TERMS if mode is not Mode.DENSE else None,
            candidates=max(policy.candidates, limit),
            rrf_k=policy.rrf_k,
        )

    def search_in(self, collection: Collection) -> Search:
        """The search that queries are made of."""
        return Search(
            reader=self.index,
            collection=collection,
            statistics=self._statistics,
            fusion=self.fusion,
        )

    def question_words(self, search: Search) -> QuestionWords | None:
        """What looks up the words of questions; None without a sparse model."""
        if self.sparse is None or not search.collection.hybrid:
            return None
        terms = QuestionTerms(sparse=self.sparse, languages=self._languages(search))
        return QuestionWords(search=search, terms=terms, known=self._weights)


def _enabled(request: QueryRequest, *stages: tuple[bool, Stage | None]) -> list[Stage]:
    """The stages whose condition is true, and that the request does not switch off."""
    return [
        stage
        for applies, stage in stages
        if applies and stage is not None and stage.name not in request.without
    ]
