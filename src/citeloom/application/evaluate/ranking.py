"""The use case `eval run`: ranking figures of questions with known evidence, over a project or a
test collection that is indexed for it.
"""

from __future__ import annotations

import hashlib
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from json import dumps
from typing import Any, Protocol, cast

from citeloom.application.collection import make_target
from citeloom.application.events import DocumentDone, ReadEvent, reported_run
from citeloom.application.ingest.embedding import embed
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.embedders import TokenCounter
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.reranking import Reranking
from citeloom.application.retrieval.result import QueryResult
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    ConversionResult,
    Fragment,
    Heading,
)
from citeloom.domain.evaluation.measures import (
    EvaluationCollection,
    EvaluationRun,
    Measure,
    Metric,
    ModeResult,
    Provenance,
    Question,
    QuestionResult,
    RankedPassage,
    RerankedRun,
    Text,
    View,
    mode_result,
    qrels_of,
    reranking_cost,
    run_of,
)
from citeloom.domain.evaluation.significance import SEED
from citeloom.domain.policies import Mode
from citeloom.domain.project import Project
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.candidates import StageName
from citeloom.domain.retrieval.passage import BatchHits, Hit, IndexQuery, Selection, StoredChunk

# Measures of information retrieval, as a port.


class RankingMeasures(Protocol):
    """Measures rankings as the field's own tools do.

    nDCG has the grade as gain and log2(rank + 1) as discount; recall is the share of the relevant
    documents found; MRR is 1 / the rank of the first relevant one; hit is whether there is one.
    """

    @abstractmethod
    def __call__(
        self,
        qrels: Mapping[str, Mapping[str, int]],
        rankings: Mapping[str, Sequence[str]],
        measures: Sequence[Measure],
    ) -> dict[str, dict[Measure, float]]:
        """Each measure by question; 0 for a question without a ranking.

        `qrels` grades the relevant documents of each question (1 and up); `rankings` lists the
        documents found, best first, without duplicates.
        """
        ...


# From what was found for questions to the figures of each.

NDCG_CUTOFF = 10


def figures(
    measures: RankingMeasures,
    questions: Sequence[Question],
    chunks: Mapping[str, Sequence[StoredChunk]],
    k: int,
) -> dict[str, dict[str, float]]:
    """By question that has evidence, its figures by their name.

    nDCG, recall, MRR and page hits are of the evidence: the page where it is known, else the
    work. Plain hits are of the work, text hits of the evidence's own words where they are given.
    """
    answerable = [question for question in questions if question.answerable]
    result: dict[str, dict[str, float]] = {question.id: {} for question in answerable}
    hits = [Measure(Metric.HIT, cutoff) for cutoff in sorted({1, 5, k})]
    graded = [Measure(Metric.NDCG, NDCG_CUTOFF), Measure(Metric.RECALL, k), Measure(Metric.MRR, k)]
    views = [(View.EVIDENCE, "", graded), (View.WORK, "", hits)]
    if any(_applies(question, View.EVIDENCE, "page ") for question in answerable):
        views.append((View.EVIDENCE, "page ", hits))
    if any(question.quotations for question in answerable):
        views.append((View.TEXT, "text ", hits))
    for view, prefix, names in views:
        units = {q.id: qrels_of(q, view) for q in answerable if _applies(q, view, prefix)}
        rankings = {
            q.id: run_of(q, chunks.get(q.id, ()), view) for q in answerable if q.id in units
        }
        for name, values in measures(units, rankings, names).items():
            result[name] |= {f"{prefix}{measure}": value for measure, value in values.items()}
    return result


def _applies(question: Question, view: View, prefix: str) -> bool:
    if view is View.TEXT:
        return bool(question.quotations)
    return not prefix or any(evidence.page is not None for evidence in question.evidence)


Results = Mapping[str, QueryResult]
"""What was found for each question, by its id."""

_PROBE = "What is warm?"
_LOADING_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRequest:
    """What to ask, in which modes, and how deep to look; without modes, in all that the project
    supports.

    `by_document` counts each work once, at its best passage. By question, `groups` are further
    kinds that it counts under, and `left_out` the ids of chunks that are not found for it.
    """

    name: str
    questions: tuple[Question, ...]
    modes: tuple[Mode, ...] = ()
    k: int = 10
    by_document: bool = False
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: Mapping[str, frozenset[str]] = field(default_factory=dict)
    seed: int = SEED


class WithoutChunks:
    """An index in which no search finds some chunks; everything else is that of the index."""

    def __init__(self, index: VectorIndex, chunk_ids: AbstractSet[str]) -> None:
        self._index = index
        self._chunk_ids = chunk_ids

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def search(self, name: str, query: IndexQuery) -> list[Hit]:
        return self._hits(self._index.search(name, query))

    def search_batch(
        self, name: str, queries: Sequence[IndexQuery], matches: Sequence[IndexQuery] = ()
    ) -> BatchHits:
        found = self._index.search_batch(name, queries, matches)
        return BatchHits(
            hits=tuple(map(self._hits, found.hits)),
            matches=tuple(
                [match for match in each if match.chunk_id not in self._chunk_ids]
                for each in found.matches
            ),
        )

    def scroll_batch(self, name: str, selections: Sequence[Selection]) -> list[list[StoredChunk]]:
        return [
            [stored for stored in each if stored.chunk.id not in self._chunk_ids]
            for each in self._index.scroll_batch(name, selections)
        ]

    def _hits(self, hits: Sequence[Hit]) -> list[Hit]:
        return [hit for hit in hits if hit.stored.chunk.id not in self._chunk_ids]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluate:
    """Asks a project's own `query` and measures its answers; with a reranker also without it."""

    project: OpenProject
    measures: RankingMeasures
    events: ReadEvent
    versions: Mapping[str, str]

    def __call__(self, request: EvaluationRequest) -> EvaluationRun:
        """Ask every question in every mode. Raises what `query` raises, and `ModelUnavailable` for
        a reranker that cannot be used.
        """
        modes, reranking = request.modes or self.project.modes, self.project.open_reranking()
        with reported_run(
            len(request.questions) * len(modes) * (2 if reranking else 1), self.events
        ):
            if reranking:
                reranking.reranker.score(_PROBE, [_PROBE], _LOADING_SECONDS)
            results = {mode: self._results(request, mode) for mode in modes}
            reranked = self._reranked(request, reranking, results) if reranking else None
        return EvaluationRun(
            name=request.name,
            k=request.k,
            modes=tuple(self._result(request, *pair) for pair in results.items()),
            provenance=self._provenance(request),
            reranked=reranked,
        )

    def _reranked(
        self, request: EvaluationRequest, reranking: Reranking, results: Mapping[Mode, Results]
    ) -> RerankedRun:
        """The cost of the reranker, and the results of the same questions without it."""
        without = {
            mode: self._results(request, mode, frozenset({StageName.RERANK})) for mode in results
        }
        costs = [
            reranking_cost(mode, [result.reranked for result in found.values() if result.reranked])
            for mode, found in results.items()
        ]
        return RerankedRun(
            model=reranking.reranker.model_id,
            candidates=reranking.candidates,
            sent_to=reranking.reranker.destination,
            costs=tuple(costs),
            without=tuple(self._result(request, *pair) for pair in without.items()),
        )

    def _results(
        self, request: EvaluationRequest, mode: Mode, without: frozenset[StageName] = frozenset()
    ) -> Results:
        results = {}
        for question in request.questions:
            asked = QueryRequest(
                text=question.text,
                mode=mode,
                top_k=max(request.k, NDCG_CUTOFF),
                by_document=request.by_document,
                without=without,
            )
            left_out = request.left_out.get(question.id, frozenset())
            results[question.id] = query(self._without(left_out), asked)
            self.events(DocumentDone(document=question.id, state="asked"))
        return results

    def _without(self, chunk_ids: frozenset[str]) -> OpenProject:
        """The project as if it did not hold some chunks."""
        if not chunk_ids:
            return self.project
        index = cast("VectorIndex", WithoutChunks(self.project.index, chunk_ids))
        return replace(self.project, index=index)

    def _result(self, request: EvaluationRequest, mode: Mode, results: Results) -> ModeResult:
        passages = {
            name: [passage.stored for passage in result.passages]
            for name, result in results.items()
        }
        values = figures(self.measures, request.questions, passages, request.k)
        answers = [
            _answer(question, results[question.id], request.k, values)
            for question in request.questions
        ]
        fusion = next((result.fusion for result in results.values()), None)
        return mode_result(mode, fusion, answers, seed=request.seed, groups=request.groups)

    def _provenance(self, request: EvaluationRequest) -> Provenance:
        project, reranking = self.project.settings, self.project.open_reranking()
        models = {"dense": project.embedding_model, "sparse": project.bound_sparse_model}
        if reranking:
            models["reranker"] = reranking.reranker.model_id
        chunk_ids = self.project.index.chunk_ids(project.collection, self.project.everything)
        return Provenance(
            created_at=self.project.clock.now(),
            questions_sha256=_digest(asdict(question) for question in request.questions),
            collection=project.collection,
            chunks=len(chunk_ids),
            chunks_sha256=_digest(sorted(chunk_ids)),
            models=models,
            chunking=project.chunking,
            retrieval=project.retrieval,
            versions=self.versions,
            seed=request.seed,
        )


def _answer(
    question: Question, result: QueryResult, k: int, values: Mapping[str, Mapping[str, float]]
) -> QuestionResult:
    places = (
        RankedPassage(
            chunk_id=passage.stored.chunk.id,
            work=passage.stored.citation.citekey if passage.stored.citation else None,
            locator=str(passage.stored.locator),
            score=passage.score,
            evidence=any(evidence.is_in(passage.stored) for evidence in question.evidence),
        )
        for passage in result.passages[:k]
    )
    return QuestionResult(
        id=question.id,
        kind=question.kind,
        question=question.text,
        figures=values.get(question.id, {}),
        places=tuple(places),
        fit=result.fit.value if result.fit else None,
    )


def _digest(parts: Iterable[object]) -> str:
    return hashlib.sha256(dumps(list(parts)).encode()).hexdigest()


# A test collection, indexed in an index of its own as a project's documents are.

_GROUP_TEXTS = 256
_PARAGRAPHS = re.compile(r"\S.*?(?=\n\s*\n|\s*\Z)", re.DOTALL)


def index_collection(
    project: OpenProject,
    collection: EvaluationCollection,
    *,
    counter: TokenCounter,
    events: ReadEvent,
) -> OpenProject:
    """Chunk, embed and store the texts of a test collection; returns the project over them.

    The models, the chunker and the retrieval policy are the project's, but texts of any length are
    indexed: the collection's qrels need each. Raises `ModelUnavailable` when a model is missing.
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", collection.name).strip("-._") or "collection"
    settings = replace(project.settings, id=f"eval/{name}", collection="")
    project = replace(project, settings=settings)
    target = make_target(project, project.dense)
    texts = [text for text in collection.texts if text.text.strip() or text.title.strip()]
    with reported_run(len(collection.texts), events):
        for start in range(0, len(texts), _GROUP_TEXTS):
            group = texts[start : start + _GROUP_TEXTS]
            chunks = [chunk for text in group for chunk in _chunks(settings, text, counter)]
            project.index.upsert(target.name, embed(chunks, project.dense, project.sparse))
            for text in group:
                events(DocumentDone(document=text.id, state="indexed"))
        project.index.optimize(target.name)
    return project


def _chunks(project: Project, text: Text, counter: TokenCounter) -> Iterator[StoredChunk]:
    fitted = project.chunking.fitted(counter.window)
    chunked = chunk_document(
        conversion_of(text),
        policy=replace(fitted, min_chunk_tokens=1, min_signal_to_noise=0.0),
        embedding_model=project.embedding_model,
        special_tokens=counter.special_tokens,
        count_all=counter.count_all,
        is_estimate=not counter.exact,
    )
    for chunk in chunked.chunks:
        yield StoredChunk(
            project_id=project.id,
            chunk=chunk,
            source_path=text.id,
            citation=CitationMeta(citekey=text.id, title=text.title),
            embed_model=project.embedding_model,
            sparse_model=project.bound_sparse_model,
        )


def conversion_of(text: Text) -> ConversionResult:
    """A text without pages as a converted document, its title as the heading of all of it.

    Of a text without a body the title is the body.
    """
    plain = text.text.strip() or text.title.strip()
    headings = [Heading(level=1, title=text.title.strip(), start=0)] if text.title.strip() else []
    blocks = [
        Block(
            kind=BlockKind.PARAGRAPH,
            fragments=(Fragment(start=match.start(), end=match.end()),),
            section=0 if headings else None,
        )
        for match in _PARAGRAPHS.finditer(plain)
    ]
    return ConversionResult(
        doc_id=text.id,
        plain_text=plain,
        blocks=tuple(blocks),
        headings=tuple(headings),
        page_map={},
        page_count=0,
    )
