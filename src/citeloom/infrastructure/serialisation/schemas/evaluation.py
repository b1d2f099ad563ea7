"""The JSON of calibrations and evaluations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from citeloom.application.outcomes import DocumentFailure
from citeloom.domain.answers.evaluation import (
    AnsweredQuestion,
    CheckedClaim,
    Latency,
    ShownCount,
)
from citeloom.domain.answers.relevance import Thresholds
from citeloom.domain.evaluation.measures import EvaluationRun
from citeloom.domain.evaluation.page_truth import PageVerdict
from citeloom.domain.evaluation.significance import Interval
from citeloom.domain.policies import Mode


class RateWithInterval(TypedDict):
    """A rate with its interval."""

    count: int
    of: int
    share: float | None
    low: float
    high: float


class VerdictRates(TypedDict):
    """How often each verdict was given."""

    nothing: RateWithInterval
    related: RateWithInterval
    answered: RateWithInterval


class CalibrationAnswer(TypedDict):
    """The thresholds of a collection, and how often each verdict was given with them: that of
    `calibrate --json`.
    """

    collection: str
    generation: str
    model: str
    chunks: int
    thresholds: Thresholds
    verdicts: dict[str, VerdictRates]
    related_fields: list[str]
    created_at: datetime | None


class AnswerEvaluationAnswer(TypedDict):
    """How good answers are: that of `eval answers --format json`."""

    name: str
    project: str
    method: str
    sent_to: str | None
    calibrated: bool
    answers: list[AnsweredQuestion]
    means: dict[str, float]
    intervals: dict[str, Interval]
    answerable: VerdictRates
    unanswerable: VerdictRates
    by_kind: dict[str, VerdictRates]
    latency: Latency


class ClaimCounts(TypedDict):
    """How many claims are shown, of those that their quotes support and of the others."""

    supported: ShownCount
    unsupported: ShownCount
    by_kind: dict[str, ShownCount]


class ClaimEvaluationAnswer(TypedDict):
    """Which labelled claims are shown: that of `eval claims --format json`."""

    claims: list[CheckedClaim]
    counts: ClaimCounts


class CheckedPassage(TypedDict):
    """A chunk, and where its text stands."""

    chunk_id: str
    verdict: PageVerdict
    page_span: list[int]
    stands_on: list[int]
    share: float
    missing: list[str]
    content: Literal["untrusted"]
    text: str


class VerdictCounts(TypedDict):
    """How many chunks have which verdict."""

    exact: int
    near: int
    wrong_page: int
    not_found: int
    no_text: int


class CheckedPages(VerdictCounts):
    """A document, and how many of its chunks have which verdict."""

    path: str
    citekey: str | None
    citekey_made_up: bool
    examples: list[CheckedPassage]


class PagesAnswer(TypedDict):
    """Whether chunks stand on the pages they are cited by: that of `eval pages --format json`."""

    project: str
    share: float | None
    totals: VerdictCounts
    documents: list[CheckedPages]
    skipped: list[DocumentFailure]


class GainDifference(TypedDict):
    """What a reranker changes of a measure."""

    measure: str
    questions: int
    before: float
    after: float
    interval: Interval
    p: float
    corrected_p: float
    wins: int
    losses: int


class ModeGain(TypedDict):
    """What a reranker changes in a mode."""

    mode: Mode
    differences: list[GainDifference]


@dataclass(frozen=True, kw_only=True)
class RerankedRunAnswer(EvaluationRun):
    """A run with a reranker: that of `eval run --format json`, and the file of `--output`."""

    gain: list[ModeGain]
