"""Calibrations and evaluations as they are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import TypeAdapter, ValidationError

from citeloom.application.evaluate.pages import (
    CheckedChunk,
    DocumentPages,
    LineCounts,
    PageReport,
    RecallCounts,
)
from citeloom.domain.answers.calibration import Calibration, Verdicts
from citeloom.domain.answers.evaluation import (
    AnswerEvaluation,
    CheckedClaim,
    ClaimEvaluation,
)
from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation.comparison import Difference, ModeComparison, gain
from citeloom.domain.evaluation.measures import RUN_FORMAT, EvaluationRun
from citeloom.domain.evaluation.page_recall import PageWords
from citeloom.domain.evaluation.page_truth import PageVerdict
from citeloom.domain.evaluation.significance import Interval, Rate
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.model import UNTRUSTED, Model, Untrusted, filled


class RateWithInterval(Model):
    """A rate with its interval."""

    count: int
    """How many."""
    of_: int
    """Of how many."""
    share: float | None
    """Null of none."""
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end."""

    @classmethod
    def of(cls, rate: Rate) -> Self:
        return filled(cls, rate, rate.interval, of_=rate.of)


class VerdictRates(Model):
    """How often each verdict was given."""

    nothing: RateWithInterval
    """The library says nothing."""
    related: RateWithInterval
    """It has something related."""
    answered: RateWithInterval
    """It answers."""

    @classmethod
    def of(cls, verdicts: Verdicts) -> Self:
        return cls(**{name: RateWithInterval.of(getattr(verdicts, name)) for name in cls.FIELDS})

    @classmethod
    def by_kind(cls, verdicts: Mapping[str, Verdicts]) -> dict[str, Self]:
        return {kind: cls.of(each) for kind, each in verdicts.items()}


class CalibrationAnswer(Model, of=Calibration):
    """The thresholds of a collection, and how often each verdict was given with them: that of
    `calibrate --json`.
    """

    verdicts: Mapping[str, VerdictRates]
    """By kind of question: `unrelated`, `absent` (the library's own without their document),
    `present` and `short`.
    """

    @classmethod
    def of(cls, calibration: Calibration) -> Self:
        return filled(cls, calibration, verdicts=VerdictRates.by_kind(calibration.verdicts))


class AnswerEvaluationAnswer(Model, of=AnswerEvaluation):
    """How good answers are: that of `eval answers --format json`."""

    answerable: VerdictRates
    """Of questions with evidence."""
    unanswerable: VerdictRates
    """Of questions without."""
    by_kind: Mapping[str, VerdictRates]
    """By kind of question."""

    @classmethod
    def of(cls, evaluation: AnswerEvaluation) -> Self:
        return filled(
            cls,
            evaluation,
            answerable=VerdictRates.of(evaluation.answerable),
            unanswerable=VerdictRates.of(evaluation.unanswerable),
            by_kind=VerdictRates.by_kind(evaluation.by_kind),
        )


class ClaimCounts(Model, of=ClaimEvaluation, keys=("supported", "unsupported", "by_kind")):
    """How many claims are shown, of those that their quotes support and of the others."""


class ClaimEvaluationAnswer(Model):
    """Which labelled claims are shown: that of `eval claims --format json`."""

    claims: tuple[CheckedClaim, ...]
    """Each claim, as in the file, whether it is shown, and the faults if it is not."""
    counts: ClaimCounts
    """How many are shown."""

    @classmethod
    def of(cls, evaluation: ClaimEvaluation) -> Self:
        return filled(cls, evaluation, counts=ClaimCounts.of(evaluation))


class CheckedPassage(Model):
    """A chunk, and where its text stands."""

    chunk_id: str
    """The chunk."""
    verdict: PageVerdict
    """What the check found."""
    page_span: tuple[int, ...]
    """The pages it is cited by."""
    stands_on: tuple[int, ...]
    """The pages it was found on instead."""
    share: float
    """The share of its letters that was found."""
    missing: tuple[str, ...]
    """The words that were not."""
    content: Untrusted = UNTRUSTED
    """The words of the object are a document's."""
    text: str
    """The chunk's text."""

    @classmethod
    def of(cls, checked: CheckedChunk) -> Self:
        chunk, check = checked.chunk, checked.check
        return filled(
            cls,
            check,
            chunk,
            chunk_id=chunk.id,
            page_span=chunk.page_span or (),
            share=round(check.share, 4),
        )


class VerdictCounts(Model):
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

    @classmethod
    def of(cls, verdicts: Mapping[PageVerdict, int], **computed: object) -> Self:
        counts = {verdict.value: verdicts[verdict] for verdict in PageVerdict}
        return filled(cls, **counts, **computed)


class DoubtfulPage(Model):
    """A page with lines that do not stand in their order."""

    page: int
    """The page of the PDF."""
    content: Untrusted = UNTRUSTED
    """The words of the object are a document's."""
    moved: tuple[str, ...]
    """Lines out of order."""
    torn: tuple[str, ...]
    """Lines whose beginning and end stand apart."""


class IncompletePage(Model):
    """A page with words that are in no chunk."""

    page: int
    """The page of the PDF."""
    lost_words: int
    """How many."""
    content: Untrusted = UNTRUSTED
    """The words of the object are a document's."""
    lost: tuple[str, ...]
    """The lost words of each line."""

    @classmethod
    def of(cls, page: int, words: PageWords) -> Self:
        lost = tuple(" ".join(line.printed) for line in words.lost)
        return cls(page=page, lost_words=words.lost_count, lost=lost)


class CheckedPages(VerdictCounts):
    """A document, and how many of its chunks have which verdict."""

    LEADING = ("path", "citekey", "citekey_generated")
    path: str
    """The file."""
    citekey: str | None
    """That of its reference."""
    citekey_generated: bool
    """Whether it was generated."""
    examples: tuple[CheckedPassage, ...]
    """The worst first."""
    lines: LineCounts
    """How its lines and words stand."""
    doubtful_pages: tuple[DoubtfulPage, ...]
    """Every page with lines out of order or torn."""
    glued: tuple[str, ...]
    """Words that are two."""
    broken: tuple[str, ...]
    """Words that are parted, with the space."""
    recall: RecallCounts
    """How many words of its pages are in chunks."""
    lossy_pages: tuple[IncompletePage, ...]
    """Every page that loses twenty words or more."""

    @classmethod
    def of_document(cls, document: DocumentPages) -> Self:
        doubtful = (
            DoubtfulPage.of(order, page=page)
            for page, order in document.orders.items()
            if order.is_doubtful
        )
        return cls.of(
            document.verdicts,
            path=document.path,
            citekey=document.citekey,
            citekey_generated=document.citekey_generated,
            examples=tuple(map(CheckedPassage.of, document.examples)),
            lines=document.lines,
            doubtful_pages=tuple(doubtful),
            glued=document.words.glued,
            broken=document.words.broken,
            recall=document.recalled,
            lossy_pages=tuple(IncompletePage.of(*page) for page in document.lossy.items()),
        )


class PagesAnswer(
    Model,
    of=PageReport,
    keys=("project", "share", "totals", "lines", "recall", "documents", "skipped"),
):
    """Whether chunks stand on the pages they are cited by: that of `eval pages --format json`."""

    totals: VerdictCounts
    """Over all documents."""
    documents: tuple[CheckedPages, ...]
    """Each document."""

    @classmethod
    def of(cls, report: PageReport) -> Self:
        return filled(
            cls,
            report,
            totals=VerdictCounts.of(report.totals),
            documents=tuple(map(CheckedPages.of_document, report.documents)),
        )


_OF_GAIN = (
    "measure",
    "questions",
    "before",
    "after",
    "interval",
    "p",
    "corrected_p",
    "wins",
    "losses",
)


class GainDifference(Model, of=Difference, keys=_OF_GAIN):
    """What a reranker changes of a measure."""

    before: float
    """The mean without the reranker."""
    after: float
    """The mean with it."""
    interval: Interval
    """95 % of the mean difference."""


class ModeGain(Model, of=ModeComparison):
    """What a reranker changes in a mode."""

    differences: tuple[GainDifference, ...]
    """By measure."""


@dataclass(frozen=True, kw_only=True)
class RerankedRunAnswer(EvaluationRun):
    """A run with a reranker: that of `eval run --format json`, and the file of `--output`."""

    gain: tuple[ModeGain, ...]
    """As of `eval compare`, without `changes`."""


# Runs as files.

_MAKE_ONE = "Make one with `citeloom eval run --output RUN.json`."


def run_json(run: EvaluationRun) -> str:
    """The run as JSON on one line, with the gain of a reranker, if there is one."""
    written = TypeAdapter(EvaluationRun).dump_python(run, mode="json", fallback=lambda _: None)
    if run.reranked is not None:
        written["gain"] = [
            ModeGain.of(mode, differences=tuple(map(GainDifference.of, mode.differences)))
            for mode in gain(run)
        ]
    return json_text(written, indent=None)


def read_run(path: Path) -> EvaluationRun:
    """The run in a file. Raises `InvalidQrels` if it is not one."""
    try:
        run = TypeAdapter(EvaluationRun).validate_json(path.read_bytes())
    except OSError as error:
        raise InvalidQrels(f"{path} cannot be read: {error.strerror}", _MAKE_ONE) from error
    except ValidationError as error:
        raise _no_run(path) from error
    if run.format != RUN_FORMAT:
        raise _no_run(path)
    return run


def _no_run(path: Path) -> InvalidQrels:
    return InvalidQrels(f"{path} is not an evaluation run in the format {RUN_FORMAT}", _MAKE_ONE)
