"""The use case `eval run`: ranking figures of questions with known evidence."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Protocol

from citeloom.application.events import DocumentDone, ReadEvent, reported_run
from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.reranking import Reranking
from citeloom.application.retrieval.result import QueryResult
from citeloom.domain.evaluation.measures import (
    EvaluationRun,
    Measure,
    Metric,
    ModeResult,
    Provenance,
    Question,
    QuestionResult,
    RankedPassage,
    RerankedRun,
    View,
    mode_result,
    qrels_of,
    reranking_cost,
    run_of,
)
from citeloom.domain.evaluation.significance import SEED
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.candidates import StageName
from citeloom.domain.retrieval.passage import StoredChunk

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

    `by_document` counts each work once, at its best passage.
    """

    name: str
    questions: tuple[Question, ...]
    modes: tuple[Mode, ...] = ()
    k: int = 10
    by_document: bool = False
    seed: int = SEED


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
        costs = []
        for mode, by_question in results.items():
            done = [result.reranked for result in by_question.values() if result.reranked]
            costs.append(
                reranking_cost(
                    mode,
                    [result.duration_ms for result in done],
                    passages=sum(result.passages for result in done),
                    unchanged=sum(not result.done for result in done),
                )
            )
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
        return {
            question.id: self._ask(request, question, mode, without)
            for question in request.questions
        }

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
        return mode_result(mode, fusion, answers, seed=request.seed)

    def _ask(
        self,
        request: EvaluationRequest,
        question: Question,
        mode: Mode,
        without: frozenset[StageName],
    ) -> QueryResult:
        asked = QueryRequest(
            text=question.text,
            mode=mode,
            top_k=max(request.k, NDCG_CUTOFF),
            by_document=request.by_document,
            without=without,
        )
        result = query(self.project, asked)
        self.events(DocumentDone(document=question.id, state="asked"))
        return result

    def _provenance(self, request: EvaluationRequest) -> Provenance:
        project, reranking = self.project.settings, self.project.open_reranking()
        models = {"dense": project.embedding_model, "sparse": project.bound_sparse_model}
        if reranking:
            models["reranker"] = reranking.reranker.model_id
        chunk_ids = self.project.index.chunk_ids(project.collection, self.project.everything)
        return Provenance(
            created_at=self.project.clock.now(),
            questions_sha256=_digest(repr(question) for question in request.questions),
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


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256(dumps(list(parts)).encode()).hexdigest()
