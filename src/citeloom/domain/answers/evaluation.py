"""Evaluation of answers and claims: citations, refusals, false claims shown, seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from citeloom.domain.answers.answer import Agreement, Answer, AnswerStatus, Citation, Sentence
from citeloom.domain.answers.calibration import Verdicts
from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.evaluation.measures import Question, View, qrels_of
from citeloom.domain.evaluation.significance import Interval, bootstrap_interval, percentile_95
from citeloom.domain.text.normal_form import letters_of
from citeloom.domain.text.verbatim import content_share

# How often the check of written sentences errs.


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledClaim:
    """A sentence with its quotes, and whether they support it; `kind` says how it was made."""

    question: str
    claim: str
    quotes: tuple[str, ...]
    supported: bool
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """Whether a labelled claim is shown, and the reason if it is not."""

    claim: str
    """As in the file."""
    kind: str
    """As in the file."""
    supported: bool
    """As in the file."""
    shown: bool
    """Whether it is shown."""
    agreement: Agreement | None
    """How it stands to its quotes; null where none of them is in the project."""
    reason: str | None
    """The faults of `ask` if it is not, separated by commas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCount:
    """How many claims are shown, of how many."""

    shown: int
    """How many are shown."""
    agrees: int
    """How many of these agree with their quotes; the others are to be compared with them."""
    of: int
    """Of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimEvaluation:
    """Every claim with its outcome, in order."""

    claims: tuple[CheckedClaim, ...]

    @property
    def supported(self) -> ShownCount:
        """Of claims that their quotes support."""
        return _count(claim for claim in self.claims if claim.supported)

    @property
    def unsupported(self) -> ShownCount:
        """Of the others: none should be shown."""
        return _count(claim for claim in self.claims if not claim.supported)

    @property
    def by_kind(self) -> Mapping[str, ShownCount]:
        """By kind of claim, the supported kinds first."""
        kinds = dict.fromkeys(
            claim.kind
            for claim in sorted(self.claims, key=lambda claim: (not claim.supported, claim.kind))
        )
        return {
            kind: _count(claim for claim in self.claims if claim.kind == kind) for kind in kinds
        }


def _count(claims: Iterable[CheckedClaim]) -> ShownCount:
    listed = list(claims)
    shown = [claim for claim in listed if claim.shown]
    agrees = sum(claim.agreement is Agreement.AGREES for claim in shown)
    return ShownCount(shown=len(shown), agrees=agrees, of=len(listed))


# What is measured of answers: what they cite, what they refuse, how long they take.

_LEAST_LETTERS = 15
QUOTE_RECALL = "quote-verified citation recall"
"""The share of the sentences written, kept or not, that have a verified quote."""
QUOTE_PRECISION = "quote-verified citation precision"
"""The share of the quotes given that are verified, and without which fewer of their sentence's
content words would be quoted."""
PAGE_RECALL = "evidence page recall"
"""The share of the pages with evidence on which cited words stand; 0 for a refused question."""
PAGE_PRECISION = "evidence page precision"
"""The share of the citations whose words stand on a page with evidence."""
TEXT_HIT = "evidence text hit"
"""Whether cited words are the evidence's own: one holds the other, letter for letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion:
    """A question, how it was answered, and its figures; none if it has no evidence.

    `cited` are the citations in order, `missing` words that the nearest passages lack.
    """

    id: str
    """As in the file."""
    kind: str
    """As in the file."""
    question: str
    """What was asked."""
    answerable: bool
    """Whether it has evidence."""
    verdict: Verdict
    """What the library says of it."""
    status: AnswerStatus
    """How it was answered."""
    similarity: float | None
    """Of the nearest passage."""
    unknown_share: float
    """The share of words that nothing in the library has."""
    cited: tuple[str, ...]
    """The works that were cited."""
    missing: tuple[str, ...]
    """Words that the passages lack."""
    figures: Mapping[str, float]
    """By name; empty without evidence."""
    duration_ms: float
    """How long it took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds from the question to the answer."""

    median: float
    """In milliseconds."""
    p95: float
    """In milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEvaluation:
    """All answers, the means of their figures, and the verdicts by kind of question.

    A verdict of `not_about` is a refusal: a false one where the question is answerable.
    """

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
    answers: tuple[AnsweredQuestion, ...]
    """Each question."""
    means: Mapping[str, float]
    """By figure."""
    intervals: Mapping[str, Interval]
    """By figure: 95 % of the mean."""
    answerable: Verdicts
    unanswerable: Verdicts
    by_kind: Mapping[str, Verdicts]
    latency: Latency
    """In milliseconds."""


def answered_question(question: Question, answer: Answer) -> AnsweredQuestion:
    return AnsweredQuestion(
        id=question.id,
        kind=question.kind,
        question=question.text,
        answerable=question.answerable,
        verdict=answer.relevance.verdict,
        status=answer.status,
        similarity=answer.relevance.similarity,
        unknown_share=answer.relevance.wording.unknown_share,
        cited=tuple(
            citation.citation or f"{citation.stored.source_path}, {citation.locator}"
            for citation in answer.citations
        ),
        missing=answer.relevance.wording.absent(),
        figures=_figures(question, answer) if question.answerable else {},
        duration_ms=answer.duration_ms,
    )


def evaluation_of(
    name: str, given: Sequence[Answer], answers: Sequence[AnsweredQuestion], *, seed: int
) -> AnswerEvaluation:
    """The evaluation of at least one answer, as it was `given` and with its figures."""
    first, hosts = given[0], dict.fromkeys(host for answer in given for host in answer.destinations)
    columns: dict[str, list[float]] = {}
    for answer in answers:
        for figure, value in answer.figures.items():
            columns.setdefault(figure, []).append(value)
    times = [answer.duration_ms for answer in answers]
    return AnswerEvaluation(
        name=name,
        project=first.project,
        method=first.method,
        sent_to=", ".join(hosts) or None,
        calibrated=first.relevance.calibrated,
        answers=tuple(answers),
        means={figure: fmean(values) for figure, values in columns.items()},
        intervals={f: bootstrap_interval(values, seed=seed) for f, values in columns.items()},
        answerable=_verdicts([answer for answer in answers if answer.answerable]),
        unanswerable=_verdicts([answer for answer in answers if not answer.answerable]),
        by_kind={
            kind: _verdicts([answer for answer in answers if answer.kind == kind])
            for kind in sorted({answer.kind for answer in answers})
        },
        latency=Latency(median=median(times), p95=percentile_95(times)),
    )


def _figures(question: Question, answer: Answer) -> dict[str, float]:
    cited, units = answer.citations, qrels_of(question, View.EVIDENCE)
    hit = {unit for citation in cited for unit in _units(question, citation)}
    figures = {PAGE_RECALL: len(hit) / len(units)}
    if question.quotations:
        figures[TEXT_HIT] = float(any(_is_evidence(question, citation) for citation in cited))
    if cited:
        on_page = sum(bool(_units(question, citation)) for citation in cited)
        figures[PAGE_PRECISION] = on_page / len(cited)
    if answer.share_shown is not None:
        figures[QUOTE_RECALL] = answer.share_shown
    if answer.claimed_quotes:
        needed = sum(map(_needed, answer.sentences))
        figures[QUOTE_PRECISION] = needed / answer.claimed_quotes
    return figures


def _units(question: Question, citation: Citation) -> list[str]:
    """The evidence that the cited words stand on."""
    work = citation.stored.citation
    place = citation.locator
    return [
        evidence.unit
        for evidence in question.evidence
        if work is not None
        and work.citekey == evidence.work
        and (
            evidence.page is None
            or (place.page_start or 0) <= evidence.page <= (place.page_end or 0)
        )
    ]


def _is_evidence(question: Question, citation: Citation) -> bool:
    words = letters_of(citation.quote)
    quotations = map(letters_of, question.quotations)
    return len(words) >= _LEAST_LETTERS and any(
        words in quotation or quotation in words for quotation in quotations
    )


def _needed(sentence: Sentence) -> int:
    """How many citations a sentence needs: without each of them its quotes support it less."""
    quotes = [citation.quote for citation in sentence.citations]
    whole = content_share(sentence.text, quotes)
    others = (quotes[:n] + quotes[n + 1 :] for n in range(len(quotes)))
    return sum(not rest or content_share(sentence.text, rest) < whole for rest in others)


def _verdicts(answers: Sequence[AnsweredQuestion]) -> Verdicts:
    return Verdicts.count([answer.verdict for answer in answers])
