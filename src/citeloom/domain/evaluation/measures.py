"""Questions with known evidence, their answers, and the evaluation run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from statistics import fmean, median
from types import MappingProxyType

from citeloom.domain.evaluation.significance import (
    Interval,
    bootstrap_interval,
    percentile_95,
    separation,
)
from citeloom.domain.policies import ChunkingPolicy, Mode, RetrievalPolicy
from citeloom.domain.retrieval.candidates import RerankTrace
from citeloom.domain.retrieval.passage import StoredChunk
from citeloom.domain.text.verbatim import holds_verbatim

RUN_FORMAT = "citeloom.run/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceJudgement:
    """A work that answers a question, its page where known, and its relevance grade (1 up)."""

    work: str
    page: int | None = None
    grade: int = 1

    @property
    def unit(self) -> str:
        """The unit of relevance; it counts once, however many passages hold it."""
        return self.work if self.page is None else f"{self.work} p. {self.page}"

    def is_in(self, stored: StoredChunk) -> bool:
        """Whether a chunk belongs to the work and covers the page."""
        if stored.citation is None or stored.citation.citekey != self.work:
            return False
        span = stored.chunk.page_span
        return self.page is None or (span is not None and span[0] <= self.page <= span[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and its evidence, which is empty if the collection does not answer it.

    A passage should hold one of the `quotations` word for word.
    """

    id: str
    kind: str
    text: str
    evidence: tuple[RelevanceJudgement, ...] = ()
    quotations: tuple[str, ...] = ()

    @property
    def answerable(self) -> bool:
        return bool(self.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text of a test collection."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationCollection:
    """Texts, and questions whose evidence refers to the texts by id."""

    name: str
    texts: tuple[Text, ...]
    questions: tuple[Question, ...]


class View(StrEnum):
    """What counts as a match: the page, the work, or the exact words."""

    EVIDENCE = "evidence"
    WORK = "work"
    TEXT = "text"


def qrels_of(question: Question, view: View) -> dict[str, int]:
    """The qrels of a question in a view: each relevant unit with its grade."""
    if view is View.TEXT:
        return {f"text {number}": 1 for number, _ in enumerate(question.quotations, start=1)}
    units: dict[str, int] = {}
    for evidence in question.evidence:
        unit = evidence.work if view is View.WORK else evidence.unit
        units[unit] = max(evidence.grade, units.get(unit, 0))
    return units


def run_of(question: Question, passages: Iterable[StoredChunk], view: View) -> list[str]:
    """The ranking of a question in a view: the unit of each chunk found, in order.

    A unit counts at its first rank; a chunk that holds no new unit is given one of its own.
    """
    units: list[str] = []
    for rank, stored in enumerate(passages, start=1):
        new = (unit for unit in _units(question, stored, view) if unit not in units)
        units.append(next(new, f"rank {rank}"))
    return units


def _units(question: Question, stored: StoredChunk, view: View) -> list[str]:
    if view is View.TEXT:
        texts = enumerate(question.quotations, start=1)
        return [f"text {n}" for n, text in texts if holds_verbatim(stored.chunk.text, text)]
    if view is View.EVIDENCE:
        return [evidence.unit for evidence in question.evidence if evidence.is_in(stored)]
    work = stored.citation.citekey if stored.citation else None
    return [evidence.work for evidence in question.evidence if evidence.work == work]


class Metric(StrEnum):
    NDCG = "nDCG"
    RECALL = "recall"
    MRR = "MRR"
    HIT = "hit"


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric over the first `cutoff` ranks: `nDCG@10`."""

    metric: Metric
    cutoff: int

    def __str__(self) -> str:
        return f"{self.metric.value}@{self.cutoff}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPassage:
    """A ranked passage: its chunk, locator and score, and whether it is evidence."""

    chunk_id: str
    """The chunk."""
    work: str | None
    """The citekey, if any."""
    locator: str
    """Where in the work."""
    score: float
    """Its score."""
    evidence: bool
    """Whether it is evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """The passages for a question, best first, and its figures; none if it has no evidence.

    `fit` is how well the question's words fit the first passage's work, None where that is unknown.
    """

    id: str
    """As in the file."""
    kind: str
    """As in the file."""
    question: str
    """What was asked."""
    figures: Mapping[str, float]
    """By measure; empty where there is no evidence."""
    places: tuple[RankedPassage, ...] = ()
    """Best first."""
    fit: float | None = None
    """The value of the first passage's fit."""

    @property
    def top_score(self) -> float:
        return self.places[0].score if self.places else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The mean and confidence interval of each figure over `questions` questions."""

    questions: int
    """How many."""
    means: Mapping[str, float]
    """By measure."""
    intervals: Mapping[str, Interval]
    """By measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """How well the first passage's score, and its fit, separate answerable from unanswerable
    questions.

    `auroc` is the probability that an answerable one scores higher: 0.5 is chance. `auroc_fit` is
    the same of the fit, `auroc_fit_by_kind` that of the questions of each kind.
    """

    answerable: int
    """Questions with evidence."""
    unanswerable: int
    """Questions without."""
    mean_score_answerable: float
    """Of the first passages."""
    mean_score_unanswerable: float
    """Of the first passages."""
    auroc: float
    """Of the first score."""
    auroc_fit: float | None = None
    """Of the fit."""
    auroc_fit_by_kind: Mapping[str, float | None] = field(default_factory=dict)
    """By kind of unanswerable question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeResult:
    """All answers in one mode, with their summaries."""

    mode: Mode
    """The mode."""
    fusion: str | None
    """How the sides were merged."""
    answers: tuple[QuestionResult, ...]
    """Each question."""
    overall: Summary
    """Over all questions."""
    by_kind: Mapping[str, Summary]
    """By kind of question."""
    answerability: Answerability | None = None
    """Null where all or none are answerable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingCost:
    """What a reranker took in one mode: how many `questions` it was asked, with how many passages
    in all, and milliseconds a question. For `unchanged` of them it failed or was late.
    """

    mode: Mode
    """The mode."""
    questions: int
    """How many it was asked."""
    passages: int
    """How many it read."""
    unchanged: int
    """How many questions kept their order because it failed."""
    median_ms: float
    """Of a question."""
    p95_ms: float
    """Of a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankedRun:
    """A reranker in a run: its model, how many passages it puts in order, where they are sent, if
    anywhere, what it cost, and the same questions `without` it.
    """

    model: str
    """The reranker."""
    candidates: int
    """How many passages it is given."""
    sent_to: str | None
    """The host; null where it runs here."""
    costs: tuple[RerankingCost, ...]
    """By mode."""
    without: tuple[ModeResult, ...]
    """The modes without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The conditions of a run, so that it can be repeated."""

    created_at: datetime
    """When."""
    questions_sha256: str
    """Of the questions."""
    collection: str
    """What was asked."""
    chunks: int
    """How many."""
    chunks_sha256: str
    """Of their ids."""
    models: Mapping[str, str | None]
    """With `reranker`, if there is one."""
    chunking: ChunkingPolicy
    """As it is in force."""
    retrieval: RetrievalPolicy
    """As it is in force."""
    versions: Mapping[str, str]
    """Of the packages."""
    seed: int
    """Of the intervals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun:
    """An evaluation run: every question in every mode, as a user would ask it, and the conditions;
    with a reranker what it cost, and the same without it.
    """

    name: str
    """The file or collection asked."""
    k: int
    """How many passages count."""
    modes: tuple[ModeResult, ...]
    """By mode."""
    provenance: Provenance
    """What made it."""
    reranked: RerankedRun | None = None
    """Of a reranker; null without one."""
    format: str = RUN_FORMAT
    """`citeloom.run/1`."""


def reranking_cost(mode: Mode, reranked: Sequence[RerankTrace]) -> RerankingCost:
    """The cost of a reranker that was asked so often in a mode."""
    times = [reranking.duration_ms for reranking in reranked] or [0.0]
    return RerankingCost(
        mode=mode,
        questions=len(reranked),
        passages=sum(reranking.passages for reranking in reranked),
        unchanged=sum(not reranking.done for reranking in reranked),
        median_ms=median(times),
        p95_ms=percentile_95(times),
    )


def mode_result(
    mode: Mode,
    fusion: str | None,
    answers: Sequence[QuestionResult],
    *,
    seed: int,
    groups: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> ModeResult:
    """The answers of a mode with their summaries, by kind where there are several; `groups` are
    further kinds by question.
    """
    answered = [answer for answer in answers if answer.figures]
    by_kind: dict[str, list[QuestionResult]] = {}
    for answer in answered:
        for kind in (answer.kind, *groups.get(answer.id, ())):
            by_kind.setdefault(kind, []).append(answer)
    return ModeResult(
        mode=mode,
        fusion=fusion,
        answers=tuple(answers),
        overall=_summary(answered, seed),
        by_kind={
            kind: _summary(by_kind[kind], seed) for kind in sorted(by_kind) if len(by_kind) > 1
        },
        answerability=_answerability(answers),
    )


def _summary(answers: Sequence[QuestionResult], seed: int) -> Summary:
    """A figure counts over the questions that have it."""
    columns: dict[str, list[float]] = {}
    for answer in answers:
        for name, value in answer.figures.items():
            columns.setdefault(name, []).append(value)
    return Summary(
        questions=len(answers),
        means={name: fmean(values) for name, values in columns.items()},
        intervals={name: bootstrap_interval(v, seed=seed) for name, v in columns.items()},
    )


def _answerability(answers: Sequence[QuestionResult]) -> Answerability | None:
    answered = [answer for answer in answers if answer.figures]
    unanswered = [answer for answer in answers if not answer.figures]
    if not answered or not unanswered:
        return None
    with_evidence = [answer.top_score for answer in answered]
    without = [answer.top_score for answer in unanswered]
    kinds = sorted({answer.kind for answer in answered})
    return Answerability(
        answerable=len(with_evidence),
        unanswerable=len(without),
        mean_score_answerable=fmean(with_evidence),
        mean_score_unanswerable=fmean(without),
        auroc=separation(with_evidence, without),
        auroc_fit=_separation_by_fit(answered, unanswered),
        auroc_fit_by_kind={
            kind: _separation_by_fit(
                [answer for answer in answered if answer.kind == kind], unanswered
            )
            for kind in kinds
        },
    )


def _separation_by_fit(
    answered: Iterable[QuestionResult], unanswered: Iterable[QuestionResult]
) -> float | None:
    """How well the fit separates them, where it is known of any on both sides."""
    fits = [answer.fit for answer in answered if answer.fit is not None]
    others = [answer.fit for answer in unanswered if answer.fit is not None]
    return separation(fits, others) if fits and others else None
