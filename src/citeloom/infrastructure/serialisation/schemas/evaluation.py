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
    """How many."""
    of: int
    """Of how many."""
    share: float | None
    """Null of none."""
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end."""


class VerdictRates(TypedDict):
    """How often each verdict was given."""

    nothing: RateWithInterval
    """The library says nothing."""
    related: RateWithInterval
    """It has something related."""
    answered: RateWithInterval
    """It answers."""


class CalibrationAnswer(TypedDict):
    """The thresholds of a collection, and how often each verdict was given with them: that of
    `calibrate --json`.
    """

    collection: str
    """The collection."""
    generation: str
    """Which build of it."""
    model: str
    """Its dense model."""
    chunks: int
    """How many it had."""
    thresholds: Thresholds
    """From which values on there is which verdict."""
    verdicts: dict[str, VerdictRates]
    """By kind of question: `unrelated`, `absent` (the library's own without their document),
    `present` and `short`.
    """
    related_fields: list[str]
    """Fields that were left out since the library is about them."""
    created_at: datetime | None
    """When it was made."""


class AnswerEvaluationAnswer(TypedDict):
    """How good answers are: that of `eval answers --format json`."""

    name: str
    """The questions' file."""
    project: str
    """The project."""
    method: str
    """`extractive`, or the model's name."""
    sent_to: str | None
    """Where it runs, if not here."""
    calibrated: bool
    """Whether the limits are the collection's own."""
    answers: list[AnsweredQuestion]
    """Each question."""
    means: dict[str, float]
    """By figure."""
    intervals: dict[str, Interval]
    """By figure: 95 % of the mean."""
    answerable: VerdictRates
    """Of questions with evidence."""
    unanswerable: VerdictRates
    """Of questions without."""
    by_kind: dict[str, VerdictRates]
    """By kind of question."""
    latency: Latency
    """In milliseconds."""


class ClaimCounts(TypedDict):
    """How many claims are shown, of those that their quotes support and of the others."""

    supported: ShownCount
    """Of claims that their quotes support."""
    unsupported: ShownCount
    """Of the others: none should be shown."""
    by_kind: dict[str, ShownCount]
    """By kind of claim."""


class ClaimEvaluationAnswer(TypedDict):
    """Which labelled claims are shown: that of `eval claims --format json`."""

    claims: list[CheckedClaim]
    """Each claim, as in the file, whether it is shown, and the faults if it is not."""
    counts: ClaimCounts
    """How many are shown."""


class CheckedPassage(TypedDict):
    """A chunk, and where its text stands."""

    chunk_id: str
    """The chunk."""
    verdict: PageVerdict
    """What the check found."""
    page_span: list[int]
    """The pages it is cited by."""
    stands_on: list[int]
    """The pages it was found on instead."""
    share: float
    """The share of its letters that was found."""
    missing: list[str]
    """The words that were not."""
    content: Literal["untrusted"]
    """The words of the object are a document's."""
    text: str
    """The chunk's text."""


class VerdictCounts(TypedDict):
    """How many chunks have which verdict."""

    exact: int
    """Its words stand there."""
    near: int
    """Almost all do."""
    wrong_page: int
    """They stand on another page."""
    not_found: int
    """They are nowhere."""
    no_text: int
    """Its pages have no text."""


class LineCounts(TypedDict):
    """How lines and words stand, by a second reader of the pages."""

    pages: int
    """Pages whose order was compared."""
    tagged_pages: int
    """Those compared by the tags of the PDF, the others by the order of drawing."""
    doubtful_pages: int
    """Those with lines out of order or torn."""
    lines: int
    """Lines compared."""
    moved: int
    """Those out of order."""
    torn: int
    """Those whose beginning and end stand apart."""
    floats: int
    """Those of tables, captions and notes that stand elsewhere by custom."""
    words: int
    """Words compared."""
    glued: int
    """Those that are two."""
    broken: int
    """Those that are parted."""


class DoubtfulPage(TypedDict):
    """A page with lines that do not stand in their order."""

    page: int
    """The page of the PDF."""
    content: Literal["untrusted"]
    """The words of the object are a document's."""
    moved: list[str]
    """Lines out of order."""
    torn: list[str]
    """Lines whose beginning and end stand apart."""


class CheckedPages(VerdictCounts):
    """A document, and how many of its chunks have which verdict."""

    path: str
    """The file."""
    citekey: str | None
    """That of its reference."""
    citekey_generated: bool
    """Whether it was generated."""
    examples: list[CheckedPassage]
    """The worst first."""
    lines: LineCounts
    """How its lines and words stand."""
    doubtful_pages: list[DoubtfulPage]
    """Every page with lines out of order or torn."""
    glued: list[str]
    """Words that are two."""
    broken: list[str]
    """Words that are parted, with the space."""


class PagesAnswer(TypedDict):
    """Whether chunks stand on the pages they are cited by: that of `eval pages --format json`."""

    project: str
    """The project."""
    share: float | None
    """Exact or near among the chunks whose pages have text; null without any."""
    totals: VerdictCounts
    """Over all documents."""
    lines: LineCounts
    """How the lines and words of all documents stand."""
    documents: list[CheckedPages]
    """Each document."""
    skipped: list[DocumentFailure]
    """Documents that could not be compared."""


class GainDifference(TypedDict):
    """What a reranker changes of a measure."""

    measure: str
    """The measure."""
    questions: int
    """How many."""
    before: float
    """The mean without the reranker."""
    after: float
    """The mean with it."""
    interval: Interval
    """95 % of the mean difference."""
    p: float
    """By a randomisation test."""
    corrected_p: float
    """Corrected for the number of measures."""
    wins: int
    """Questions that gained."""
    losses: int
    """Questions that lost."""


class ModeGain(TypedDict):
    """What a reranker changes in a mode."""

    mode: Mode
    """The mode."""
    differences: list[GainDifference]
    """By measure."""


@dataclass(frozen=True, kw_only=True)
class RerankedRunAnswer(EvaluationRun):
    """A run with a reranker: that of `eval run --format json`, and the file of `--output`."""

    gain: list[ModeGain]
    """As of `eval compare`, without `changes`."""
