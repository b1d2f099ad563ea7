"""The use case `query`: answers a question with citable passages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from uuid import uuid4

from citeloom.application.binding import bound_collection
from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.application.ports.runtime import Clock
from citeloom.application.ports.vector_index import VectorReader
from citeloom.application.retrieval.candidates import Candidates, QueryRequest, Reranked, StageTrace
from citeloom.application.retrieval.coverage import (
    NO_WORDS,
    QuestionWords,
    WeighedWords,
    WorkCoverage,
)
from citeloom.application.retrieval.explanation import Explanation, rankings, ranks
from citeloom.application.retrieval.pipeline import retrieval_for, searches_ahead
from citeloom.application.retrieval.quotations import neighbours
from citeloom.application.retrieval.reranking import Rerank, Reranking
from citeloom.application.retrieval.search import (
    LanguageCache,
    QuestionTerms,
    Search,
    TermStatisticsCache,
    WordWeightCache,
    further_languages,
    unread_language,
)
from citeloom.application.retrieval.selection import FilterTranslation
from citeloom.domain.documents.sentences import holds_verbatim
from citeloom.domain.errors import HybridNotSupported
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection, Project
from citeloom.domain.retrieval.coverage import VERBATIM, QueryCoverage
from citeloom.domain.retrieval.feedback import in_document_context_field
from citeloom.domain.retrieval.filters import Filters
from citeloom.domain.retrieval.passage import (
    DenseVector,
    Hit,
    IndexQuery,
    Passage,
    Selection,
    trim,
)
from citeloom.domain.retrieval.ranking import Fusion, work_of

_GROUPING_DEPTH = 5
"""How many chunks are retrieved for each document to return."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """The passages found, best first, and how they were found.

    `feedback` are the ids of the chunks used for query expansion, `stages` the trace of each stage,
    `reranked` what a reranker did, `works_found` the number of works among the passages that were
    compared, shown or not. `references_configured` is False where the project has no references at
    all. `notes` are messages for the user, such as an unknown filter or a floor that nothing
    passed. `embedded_by` is the host that the question was sent to for its vector, if it was.
    """

    project: str
    query: str
    mode: Mode
    models: dict[str, str | None]
    fusion: str | None
    feedback: tuple[str, ...]
    passages: tuple[Passage, ...]
    stages: tuple[StageTrace, ...] = ()
    reranked: Reranked | None = None
    works_found: int = 0
    references_configured: bool = True
    embedded_by: str | None = None
    notes: tuple[str, ...] = ()
    duration_ms: float
    correlation_id: str

    @property
    def fit(self) -> QueryCoverage | None:
        """How well the first passage's work fits the question; None without passages."""
        return self.passages[0].fit if self.passages else None

    @property
    def works_shown(self) -> int:
        """The number of works that the passages are of."""
        return len({work_of(passage.stored) for passage in self.passages})

    @property
    def reranked_by(self) -> str | None:
        """The host that the question and passages were sent to, to be put in order, if any."""
        return self.reranked.sent_to if self.reranked else None

    @property
    def destinations(self) -> tuple[str, ...]:
        """Every host that the question went to, alone or with passages."""
        return tuple(dict.fromkeys(filter(None, (self.reranked_by, self.embedded_by))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Answers questions from the collection of one project.

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
        filters = FilterTranslation(reader=self.index, project=self.project)
        collection = bound_collection(self.index, self.project)
        mode = self._mode(request, collection)
        search = self.search_in(collection)
        query, terms = self._index_query_and_terms(request, mode, search, filters)
        words = cache(lambda: self._words_of(request.text, search, terms, filters))
        policy = self.project.retrieval
        required = terms.terms_of(request.words) if terms and request.words else None
        rerank = self._rerank()
        retrieval = retrieval_for(search, policy, request, query, words, rerank, required)
        candidates = retrieval(Candidates(text=request.text, query=query))
        known = words if collection.hybrid and self.sparse else None
        fits = WorkCoverage(words=known)(candidates)
        why = self._explanation(candidates, search, known) if request.explain else None
        remote = self.project.remote if query.dense else None
        unread = self._unread(request, query, collection, terms)
        stored = [hit.stored for hit in candidates.hits]
        around = neighbours(self.index, collection.name, stored, request.context)
        return QueryResult(
            project=self.project.id,
            query=request.text,
            mode=mode,
            models={"dense": collection.dense_model, "sparse": collection.sparse_model},
            fusion=str(search.fusion_of(query)) if mode is Mode.HYBRID else None,
            feedback=candidates.feedback,
            passages=tuple(
                replace(
                    self._passage(request, hit, candidates, fits, why), before=before, after=after
                )
                for hit, (before, after) in zip(candidates.hits, around)
            ),
            stages=candidates.trace,
            reranked=candidates.reranked,
            works_found=candidates.works,
            references_configured=self.project.has_references,
            embedded_by=remote.host if remote else None,
            notes=(*self._notes(request, candidates, filters), *unread),
            duration_ms=round((self.clock.monotonic() - started) * 1000, 1),
            correlation_id=uuid4().hex[:12],
        )

    def _notes(
        self, request: QueryRequest, candidates: Candidates, filters: FilterTranslation
    ) -> tuple[str, ...]:
        return candidates.notes or (() if candidates.hits else filters.notes(request.filters))

    def _unread(
        self,
        request: QueryRequest,
        query: IndexQuery,
        collection: Collection,
        terms: QuestionTerms | None,
    ) -> tuple[str, ...]:
        """A note on a question in a language that the dense model does not read."""
        if query.dense is None:
            return ()
        return unread_language(request.text, collection, terms.languages if terms else ())

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

    def _index_query_and_terms(
        self, request: QueryRequest, mode: Mode, search: Search, filters: FilterTranslation
    ) -> tuple[IndexQuery, QuestionTerms | None]:
        """The query for the store, and what makes the question's terms.

        What the first stages search for is searched for here, at once: with the terms of the
        languages that are known, and again where the collection turns out to hold another.
        """
        dense = self.dense.embed_query(request.text) if mode is not Mode.SPARSE else None
        selection = filters.selection(request.filters)
        terms = self._known_terms(search)
        query = self._index_query(request, mode, selection, dense, terms)
        self._look_ahead(request, query, search, terms, filters)
        known, terms = terms, self._question_terms(search)
        if terms and known and terms.languages != known.languages:
            query = self._index_query(request, mode, selection, dense, terms)
            self._look_ahead(request, query, search, terms, filters)
        return query, terms

    def _look_ahead(
        self,
        request: QueryRequest,
        query: IndexQuery,
        search: Search,
        terms: QuestionTerms | None,
        filters: FilterTranslation,
    ) -> None:
        """Make the first searches of a question in one exchange with the store."""
        first = searches_ahead(search, self.project.retrieval, request, query, self._rerank())
        if terms is None:
            search.look_ahead(first)
            return
        words = self._question_words(search, terms)
        lookups = words.lookups(request.text, filters.selection(Filters()))
        search.look_ahead(first, [*lookups, further_languages(search.collection, terms.languages)])

    def _index_query(
        self,
        request: QueryRequest,
        mode: Mode,
        selection: Selection,
        dense: DenseVector | None,
        terms: QuestionTerms | None,
    ) -> IndexQuery:
        policy = self.project.retrieval
        limit, by_words = request.top_k or policy.top_k, mode is not Mode.DENSE
        if request.by_document:
            limit *= _GROUPING_DEPTH
        return IndexQuery(
            selection=selection,
            mode=mode,
            limit=limit,
            dense=dense,
            sparse=in_document_context_field(terms.vector(request.text))
            if terms and by_words
            else None,
            candidates=max(policy.candidates, limit),
            rrf_k=policy.rrf_k,
        )

    def _rerank(self) -> Rerank | None:
        return Rerank(reranking=self.reranking, clock=self.clock) if self.reranking else None

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
        terms = self._question_terms(search)
        return self._question_words(search, terms) if terms else None

    def _question_terms(self, search: Search) -> QuestionTerms | None:
        if self.sparse is None or not search.collection.hybrid:
            return None
        return QuestionTerms(sparse=self.sparse, languages=self._languages(search))

    def _known_terms(self, search: Search) -> QuestionTerms | None:
        """As `_question_terms`, of the languages that are known without a search."""
        if self.sparse is None or not search.collection.hybrid:
            return None
        known = self._languages.known(search.collection)
        return QuestionTerms(sparse=self.sparse, languages=known)

    def _question_words(self, search: Search, terms: QuestionTerms) -> QuestionWords:
        return QuestionWords(search=search, terms=terms, known=self._weights)

    def _words_of(
        self, text: str, search: Search, terms: QuestionTerms | None, filters: FilterTranslation
    ) -> WeighedWords:
        if terms is None:
            return NO_WORDS
        return self._question_words(search, terms)(text, filters.selection(Filters()))

    def _explanation(
        self, candidates: Candidates, search: Search, words: Callable[[], WeighedWords] | None
    ) -> Explanation:
        search.look_ahead([], rankings(candidates.query))
        return Explanation(
            candidates=candidates,
            dense=ranks(candidates.query, search, Mode.DENSE),
            sparse=ranks(candidates.query, search, Mode.SPARSE),
            words=words,
        )

    def _passage(
        self,
        request: QueryRequest,
        hit: Hit,
        candidates: Candidates,
        fits: Mapping[str, QueryCoverage],
        why: Explanation | None,
    ) -> Passage:
        chunk = hit.stored.chunk
        text, trimmed = chunk.text, False
        if not request.full_text:
            text, trimmed = trim(text, self.project.retrieval.max_chars_per_chunk)
        label = self.project.citation_label
        verbatim = chunk.id in candidates.quoted or holds_verbatim(chunk.text, request.text)
        return Passage(
            stored=hit.stored,
            score=hit.score,
            text=text,
            trimmed=trimmed,
            verbatim=verbatim,
            fit=VERBATIM if verbatim else fits.get(chunk.doc_id),
            dense=why.dense.get(chunk.id) if why else None,
            sparse=why.sparse.get(chunk.id) if why else None,
            reranked=candidates.reranked.ranks.get(chunk.id) if candidates.reranked else None,
            why=why(hit) if why else (),
            citation_label=label.of(hit.stored) if label else None,
            duplicates=tuple(folded.stored for folded in candidates.folded.get(chunk.id, ())),
        )
