"""The use case `query`: answers a question with citable passages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from citeloom.application.collection import empty_note, filter_notes, selection_of
from citeloom.application.retrieval.question import (
    AnalysedQuestion,
    WordWeightCache,
    vectors_of_chunks,
)
from citeloom.application.retrieval.reranking import Rerank
from citeloom.application.retrieval.result import QueryResult, passages_of
from citeloom.application.retrieval.search import (
    Fuse,
    PseudoRelevanceFeedback,
    Quotations,
    Retrieve,
    Search,
    first_searches,
    search_in,
)
from citeloom.application.retrieval.terms import (
    LanguageCache,
    language_of_stored,
    unread_language,
    words_alone,
)
from citeloom.domain.errors import HybridNotSupported
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.candidates import Candidates, RetrievalStage, StageName
from citeloom.domain.retrieval.coverage import Coverage
from citeloom.domain.retrieval.filters import Filters
from citeloom.domain.retrieval.ordering import (
    DiversifyByPage,
    DiversifyByWork,
    Fold,
    Group,
    Limit,
    MinScore,
    WholeWords,
    WithinDocumentRerank,
)
from citeloom.domain.retrieval.own_language import OwnLanguage
from citeloom.domain.retrieval.passage import IndexQuery, SparseVector
from citeloom.domain.retrieval.rare_words import RareWords

if TYPE_CHECKING:
    from citeloom.application.open_project import OpenProject
    from citeloom.application.requests.passages import QueryRequest
    from citeloom.domain.project import Collection

_NO_TERMS = SparseVector.of({})
_GROUPING_DEPTH = 5
"""How many chunks are retrieved for each document to return."""
_DEPTH = 30
"""How many chunks are put in order together, however many of them are returned: so few passages are
the first of many, and the first ten are the same whether ten are asked for or twenty.
"""


def query(project: OpenProject, request: QueryRequest) -> QueryResult:
    """The passages that answer a question: it is embedded, candidates are found, put in order and
    chosen among, stage by stage.

    Raises `InvalidProject` if nothing has been ingested yet, `EmbeddingMismatch` if the
    collection has other models, `HybridNotSupported` if it has no sparse vectors.
    """
    started = project.clock.monotonic()
    collection = project.bound_collection()
    question = _question(project, request, search_in(project, collection))

    candidates = Candidates(text=request.text, query=question.query)
    for stage in _finding(project, question):
        candidates = candidates if candidates.settled else candidates.after(stage)
    candidates = candidates.with_further()
    for stage in _choosing(project, question):
        candidates = candidates.after(stage)

    terms, settings = question.terms, project.settings
    notes = candidates.notes
    if not (notes or candidates.hits):
        notes = empty_note(project) or filter_notes(project, request.filters)
    if question.query.dense or not candidates.hits:
        languages = terms.languages if terms else ()
        notes = (*notes, *unread_language(request.text, collection, languages))
    remote = settings.remote if question.query.dense else None
    hybrid = question.query.mode is Mode.HYBRID
    return QueryResult(
        project=settings.id,
        query=request.text,
        mode=question.query.mode,
        models={"dense": collection.dense_model, "sparse": collection.sparse_model},
        fusion=str(question.search.fusion_of(question.query)) if hybrid else None,
        feedback=candidates.feedback,
        passages=passages_of(candidates, question, settings),
        stages=candidates.trace,
        reranked=candidates.reranked,
        works_found=candidates.works,
        references_configured=settings.has_references,
        embedded_by=remote.host if remote else None,
        notes=notes,
        duration_ms=round((project.clock.monotonic() - started) * 1000, 1),
        correlation_id=uuid4().hex[:12],
    )


def _finding(project: OpenProject, question: AnalysedQuestion) -> list[RetrievalStage]:
    """The stages that find candidates and put them in order, each beside the condition on which
    it runs; they end where one has settled the answer.
    """
    request, search, words = question.request, question.search, question.words
    policy, hybrid = project.settings.retrieval, question.query.mode is Mode.HYBRID
    reranking = None if StageName.RERANK in request.without else project.open_reranking()
    to_rerank = reranking.candidates if reranking else 1
    depth = min(max(_DEPTH, to_rerank), policy.candidates)
    retrieve = Retrieve(
        search=search,
        least=depth if hybrid else policy.candidates if request.words else to_rerank,
        with_ranks=request.explain,
        words=words if hybrid else None,
        terms_alone=hybrid and policy.feedback > 0,
        required=question.required,
        vectors=partial(vectors_of_chunks, terms=question.terms) if question.terms else None,
    )
    expand = PseudoRelevanceFeedback(search=search, depth=policy.feedback)
    rerank = Rerank(reranking=reranking, clock=project.clock) if reranking else None
    meaning, languages = question.query.dense or (), question.languages
    language = partial(language_of_stored, languages=languages)
    return _enabled(
        request,
        (hybrid, Quotations(search=search)),
        (hybrid and policy.feedback > 0, expand),
        (True, retrieve),
        (True, Fuse(search=search, depth=depth if hybrid else None)),
        (hybrid, WithinDocumentRerank(question=meaning, words=words)),
        (hybrid, Coverage(question=meaning, words=words)),
        (hybrid and len(languages) > 1, OwnLanguage(words=words, language=language)),
        (rerank is not None, rerank),
        (hybrid and policy.diversify_by_page, DiversifyByPage()),
    )


def _choosing(project: OpenProject, question: AnalysedQuestion) -> list[RetrievalStage]:
    """The stages that choose passages among the candidates, likewise."""
    request, words = question.request, question.words
    policy, hybrid = project.settings.retrieval, question.query.mode is Mode.HYBRID
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


def _enabled(
    request: QueryRequest, *stages: tuple[bool, RetrievalStage | None]
) -> list[RetrievalStage]:
    """The stages whose condition is true, and that the request does not switch off."""
    return [
        stage
        for applies, stage in stages
        if applies and stage is not None and stage.name not in request.without
    ]


def _question(project: OpenProject, request: QueryRequest, search: Search) -> AnalysedQuestion:
    """The question, whose first searches have been made in one exchange with the store: with
    the terms of the languages that are known of the collection, and again where it turns out to
    hold another.
    """
    question = AnalysedQuestion(
        request=request, query=_index_query(project, request, search.collection), search=search
    )

    def look_ahead() -> None:
        stages = _finding(project, question)
        searches = first_searches(stages, request.text, question.query)
        search.look_ahead(searches, question.lookups)

    if project.sparse is not None and search.collection.hybrid:
        weights, everything = project.kept(WordWeightCache), selection_of(project, Filters())
        languages, plain = project.kept(LanguageCache), question
        known = languages.known(search.collection)
        question = plain.in_languages(known, project.sparse, weights, everything)
        look_ahead()
        held = languages(search)
        if held == known:
            return question
        question = plain.in_languages(held, project.sparse, weights, everything)
    look_ahead()
    return question


def _index_query(project: OpenProject, request: QueryRequest, collection: Collection) -> IndexQuery:
    """The query, still without its terms, in the mode of the request or else that of the
    collection.
    """
    policy, mode = project.settings.retrieval, Mode(request.mode) if request.mode else None
    is_hybrid = collection.hybrid and project.sparse is not None
    if mode is None:
        mode = Mode.HYBRID if collection.hybrid else Mode.DENSE
        if is_hybrid and words_alone(request.text, collection.dense_model):
            mode = Mode.SPARSE
    if mode is not Mode.DENSE and not is_hybrid:
        raise HybridNotSupported(
            f"project '{project.id}' has no sparse vectors, so it cannot be queried "
            f"in {mode.value} mode",
            "Use --mode dense, or set hybrid_enabled and a sparse_model and rebuild: "
            f"citeloom ingest --project {project.id} --rebuild",
        )
    limit = request.top_k or policy.top_k
    limit *= _GROUPING_DEPTH if request.by_document else 1
    return IndexQuery(
        selection=selection_of(project, request.filters),
        mode=mode,
        limit=limit,
        dense=project.dense.embed_query(request.text) if mode is not Mode.SPARSE else None,
        sparse=_NO_TERMS if mode is not Mode.DENSE else None,
        candidates=max(policy.candidates, limit),
        rrf_k=policy.rrf_k,
    )
