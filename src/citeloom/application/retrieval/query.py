"""The use case `query`: answers a question with citable passages, and says why each is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import PurePath
from uuid import uuid4

from citeloom.application.collection import FilterTranslation, bound_collection
from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.application.ports.runtime import Clock
from citeloom.application.ports.vector_index import VectorReader
from citeloom.application.retrieval.candidates import (
    Candidates,
    Fuse,
    PseudoRelevanceFeedback,
    QueryRequest,
    Quotations,
    Reranked,
    Retrieve,
    Stage,
    StageName,
    StageTrace,
)
from citeloom.application.retrieval.coverage import (
    NO_WORDS,
    QuestionWords,
    WeighedWords,
    terms_of_work,
    wording_by_letters,
)
from citeloom.application.retrieval.ordering import (
    Coverage,
    Diversify,
    Fold,
    Group,
    Limit,
    MinScore,
    RareWords,
    Rerank,
    Reranking,
    WholeWords,
    WithinDocumentRerank,
    Works,
)
from citeloom.application.retrieval.search import (
    LanguageCache,
    QuestionTerms,
    Search,
    TermStatisticsCache,
    WordWeightCache,
    further_languages,
    neighbours,
    rankings,
    ranks,
    unread_language,
    words_alone,
)
from citeloom.domain.documents.text import holds_verbatim, holds_word, words_with_signs
from citeloom.domain.errors import HybridNotSupported
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection, Project
from citeloom.domain.retrieval.feedback import in_document_context_field, matched_terms
from citeloom.domain.retrieval.filters import Filters
from citeloom.domain.retrieval.passage import (
    Hit,
    IndexQuery,
    Passage,
    Ranked,
    SparseVector,
    trim,
)
from citeloom.domain.retrieval.ranking import Fusion, work_of
from citeloom.domain.retrieval.words import VERBATIM, QueryCoverage, fit_of

_GROUPING_DEPTH = 5
"""How many chunks are retrieved for each document to return."""
_DEPTH = 30
"""How many chunks are put in order together, however many of them are returned: so few passages are
the first of many, and the first ten are the same whether ten are asked for or twenty.
"""


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
        collection = bound_collection(self.index, self.project)
        filters = FilterTranslation(reader=self.index, project=self.project)
        search = self.search_in(collection)

        question = self._embedded(request, self._mode(request, collection), search, filters)
        query, terms = question.query, question.terms

        find, choose = self._stages(question)
        candidates = Candidates(text=request.text, query=query)
        for stage in find:
            candidates = candidates if candidates.settled else candidates.after(stage)
        candidates = candidates.with_further()
        for stage in choose:
            candidates = candidates.after(stage)

        words = question.words if terms else None
        fits = fit_of_works(candidates, words)
        why = Explanation.of(candidates, search, words) if request.explain else None
        notes = candidates.notes or (() if candidates.hits else filters.notes(request.filters))
        if query.dense:
            languages = terms.languages if terms else ()
            notes = (*notes, *unread_language(request.text, collection, languages))
        stored = [hit.stored for hit in candidates.hits]
        around = neighbours(self.index, collection.name, stored, request.context)
        remote = self.project.remote if query.dense else None
        return QueryResult(
            project=self.project.id,
            query=request.text,
            mode=query.mode,
            models={"dense": collection.dense_model, "sparse": collection.sparse_model},
            fusion=str(search.fusion_of(query)) if query.mode is Mode.HYBRID else None,
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
            notes=notes,
            duration_ms=round((self.clock.monotonic() - started) * 1000, 1),
            correlation_id=uuid4().hex[:12],
        )

    def _stages(self, question: _Question) -> tuple[list[Stage], list[Stage]]:
        """The stages that find candidates and put them in order, until the answer is settled, and
        those that then choose among them; each stands beside the condition on which it runs.
        """
        request, search, words = question.request, question.search, question.words
        policy, hybrid = self.project.retrieval, question.query.mode is Mode.HYBRID
        meaning, top_k = question.query.dense or (), request.top_k or policy.top_k
        least_score = policy.min_score if request.min_score is None else request.min_score
        reranking = None if StageName.RERANK in request.without else self.reranking
        rerank = Rerank(reranking=reranking, clock=self.clock) if reranking else None
        reranked = reranking.candidates if reranking else 1
        depth = min(max(_DEPTH, reranked), policy.candidates)
        retrieve = Retrieve(
            search=search,
            least=depth if hybrid else policy.candidates if request.words else reranked,
            with_vectors=True,
            with_ranks=request.explain,
            words=words if hybrid else None,
            terms_alone=hybrid and policy.feedback > 0,
            required=question.required,
        )
        expand = PseudoRelevanceFeedback(search=search, depth=policy.feedback)
        find: list[tuple[object, Stage | None]] = [
            (hybrid, Quotations(search=search)),
            (hybrid and policy.feedback, expand),
            (True, retrieve),
            (True, Fuse(search=search, depth=depth if hybrid else None)),
            (hybrid, WithinDocumentRerank(question=meaning, weights=lambda: words().term_weights)),
            (hybrid, Coverage(question=meaning, words=words)),
            (rerank, rerank),
            (hybrid and policy.diversify_by_page, Diversify()),
        ]
        choose: list[tuple[object, Stage | None]] = [
            (request.words, WholeWords(required=request.words)),
            (policy.fold_duplicates, Fold()),
            (least_score is not None, MinScore(least=least_score or 0.0)),
            (hybrid, Works()),
            (hybrid, RareWords(words=words, top_k=top_k)),
            (request.by_document, Group()),
            (True, Limit(top_k=top_k)),
        ]
        return _enabled(find, request), _enabled(choose, request)

    def _mode(self, request: QueryRequest, collection: Collection) -> Mode:
        mode = request.mode or (Mode.HYBRID if collection.hybrid else Mode.DENSE)
        if request.mode is None and collection.hybrid and self.sparse is not None:
            mode = Mode.SPARSE if words_alone(request.text, collection) else mode
        if mode is not Mode.DENSE and (self.sparse is None or not collection.hybrid):
            raise HybridNotSupported(
                f"project '{self.project.id}' has no sparse vectors, so it cannot be queried "
                f"in {mode.value} mode",
                "Use --mode dense, or set hybrid_enabled and a sparse_model and rebuild: "
                f"citeloom ingest --project {self.project.id} --rebuild",
            )
        return mode

    def _embedded(
        self, request: QueryRequest, mode: Mode, search: Search, filters: FilterTranslation
    ) -> _Question:
        """The question as a query for the store, whose first searches have been made in one
        exchange with it: with the terms of the languages that are known, and again where the
        collection turns out to hold another.
        """
        policy, limit = self.project.retrieval, request.top_k or self.project.retrieval.top_k
        limit *= _GROUPING_DEPTH if request.by_document else 1
        query = partial(
            IndexQuery,
            selection=filters.selection(request.filters),
            mode=mode,
            limit=limit,
            dense=self.dense.embed_query(request.text) if mode is not Mode.SPARSE else None,
            candidates=max(policy.candidates, limit),
            rrf_k=policy.rrf_k,
        )
        if self.sparse is None or not search.collection.hybrid:
            question = _Question(request=request, query=query(), search=search)
            search.look_ahead(question.first_searches(self._stages(question)[0]))
            return question
        everything, vector = filters.selection(Filters()), None
        languages = self._languages.known(search.collection)
        while True:
            terms = QuestionTerms(sparse=self.sparse, languages=languages)
            if mode is not Mode.DENSE:
                vector = in_document_context_field(terms.vector(request.text))
            words = QuestionWords(search=search, terms=terms, known=self._weights)
            question = _Question(
                request=request,
                query=query(sparse=vector),
                search=search,
                terms=terms,
                words=cache(partial(words, request.text, everything)),
            )
            search.look_ahead(
                question.first_searches(self._stages(question)[0]),
                [
                    *words.lookups(request.text, everything),
                    further_languages(search.collection, languages),
                ],
            )
            languages = self._languages(search)
            if languages == terms.languages:
                return question

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
        signs_too = all(holds_word(chunk.text, word) for word in words_with_signs(request.text))
        verbatim = chunk.id in candidates.quoted or (
            signs_too and holds_verbatim(chunk.text, request.text)
        )
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A request as a query for the store, with its terms and words as the collection has them."""

    request: QueryRequest
    query: IndexQuery
    search: Search
    terms: QuestionTerms | None = None
    words: Callable[[], WeighedWords] = lambda: NO_WORDS

    @property
    def required(self) -> SparseVector | None:
        """The terms of the words that a passage must have."""
        words = self.request.words
        return self.terms.terms_of(words) if self.terms and words else None

    def first_searches(self, stages: Iterable[Stage]) -> list[IndexQuery]:
        """The searches that the first of the stages make, as far as they are known."""
        searches: list[IndexQuery] = []
        for stage in stages:
            if isinstance(stage, Quotations):
                searches += stage.ahead(self.request.text, self.query)
            elif isinstance(stage, PseudoRelevanceFeedback | Retrieve):
                return [*searches, stage.ahead(self.query)]
        return searches


def _enabled(stages: Iterable[tuple[object, Stage | None]], request: QueryRequest) -> list[Stage]:
    return [
        stage
        for applies, stage in stages
        if applies and stage is not None and stage.name not in request.without
    ]


# How well the works found fit the question, and why each passage is where it is.


def fit_of_works(
    candidates: Candidates, words: Callable[[], WeighedWords] | None
) -> dict[str, QueryCoverage]:
    """The fit of each work by its doc_id, judged by all of its passages that were found; none where
    the question is a quotation.

    `words` gives the question's words as they stand in the library; without it they are compared by
    their letters.
    """
    if candidates.settled:
        return {}
    works = {hit.stored.chunk.doc_id: hit.stored for hit in reversed(candidates.hits)}
    fits = {}
    for doc_id, stored in works.items():
        of_work = [
            hit for hit in candidates.pool or candidates.hits if hit.stored.chunk.doc_id == doc_id
        ]
        if words is None:
            texts = [hit.stored.chunk.text for hit in of_work]
            wording = wording_by_letters(candidates.text, texts)
        else:
            wording = words().wording(terms_of_work(of_work, words().term_weights))
        citation, file = stored.citation, PurePath(stored.source_path).name
        fits[doc_id] = fit_of(wording, f"@{citation.citekey}" if citation else file)
    return fits


Ranks = Mapping[str, Ranked]
"""The ranks of chunks in one side of the search, by chunk id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Explains the passages of one answer: `dense` and `sparse` are the ranks in either side."""

    candidates: Candidates
    dense: Ranks
    sparse: Ranks
    words: Callable[[], WeighedWords] | None

    @classmethod
    def of(
        cls, candidates: Candidates, search: Search, words: Callable[[], WeighedWords] | None
    ) -> Explanation:
        """The explanation of candidates, whose ranks are searched for."""
        query = candidates.query
        search.look_ahead([], rankings(query))
        dense, sparse = ranks(query, search, Mode.DENSE), ranks(query, search, Mode.SPARSE)
        return cls(candidates=candidates, dense=dense, sparse=sparse, words=words)

    def __call__(self, hit: Hit) -> tuple[str, ...]:
        """The reasons for the place of a hit, the most telling first."""
        return tuple(self._reasons(hit))

    def _reasons(self, hit: Hit) -> Iterator[str]:
        chunk_id = hit.stored.chunk.id
        if chunk_id in self.candidates.quoted:
            yield "has the question word for word, and such passages come first"
        yield f"in the whole search {self._sides(chunk_id)}"
        yield from self._place(chunk_id)
        yield from self._matched_words(hit)
        for word, holders in self.candidates.rare.items():
            if chunk_id in {hit.stored.chunk.id for hit in holders}:
                others = len(holders) - 1
                which = "no other passage has" if not others else f"{others} more have"
                yield f"has '{word}', which {which}: such a word keeps a place"
        done = self.candidates.reranked
        ranked = done.ranks.get(chunk_id) if done else None
        if done and ranked:
            before = ordinal(done.before.index(chunk_id) + 1)
            yield (
                f"{ordinal(ranked.rank)} of {done.passages} by {done.by} ({ranked.score:.3f}), "
                f"{before} before"
            )
        yield from self._turn(chunk_id)
        if chunk_id in self.candidates.feedback:
            count = len(self.candidates.feedback)
            yield f"one of the {count} passages the question was expanded by"

    def _sides(self, chunk_id: str) -> str:
        sides = (("by meaning", self.dense), ("by words", self.sparse))
        ranked = [(how, ranks.get(chunk_id)) for how, ranks in sides]
        return ", ".join(
            f"{ordinal(rank.rank)} {how} ({rank.score:.3f})" if rank else f"not found {how}"
            for how, rank in ranked
        )

    def _place(self, chunk_id: str) -> Iterator[str]:
        placing = self.candidates.placings.get(chunk_id)
        if placing is None:
            return
        if placing.of == 1:
            yield "the only passage found of its work"
            return
        words = f"{ordinal(placing.by_words)} by words" if placing.by_words else "without its words"
        yield (
            f"among the {placing.of} passages found of its work "
            f"{ordinal(placing.by_meaning)} by meaning, {words}"
        )

    def _matched_words(self, hit: Hit) -> Iterator[str]:
        vector = next(
            (
                candidate.sparse
                for candidate in self.candidates.pool
                if candidate.stored is hit.stored
            ),
            None,
        )
        if vector is None or self.words is None:
            return
        matched = matched_terms(vector, self.words().term_weights)
        own = self._named(matched.own.keys())
        opening = [word for word in self._named(matched.opening) if word not in own]
        if own:
            yield f"has {_quoted(own)}"
        if opening:
            yield f"its work's opening has {_quoted(opening)}"

    def _named(self, indices: AbstractSet[int]) -> list[str]:
        """The question's words whose terms are held."""
        words = self.words() if self.words else NO_WORDS
        return [word for word in words.forms if words.has(indices, word)]

    def _turn(self, chunk_id: str) -> Iterator[str]:
        before, after = _rank(self.candidates.pool, chunk_id), _rank(self.candidates.hits, chunk_id)
        if before is None or after is None or before == after:
            return
        yield f"{ordinal(before)} before the pages took turns and repeated texts were folded"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`."""
    teen = number % 100 in range(11, 14)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _rank(hits: Sequence[Hit], chunk_id: str) -> int | None:
    ids = [hit.stored.chunk.id for hit in hits]
    return ids.index(chunk_id) + 1 if chunk_id in ids else None


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
