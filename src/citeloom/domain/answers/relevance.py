"""Whether a library is likely to answer a question, before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from citeloom.domain.answers.messages import MESSAGES, AnswerLanguage
from citeloom.domain.retrieval.words import WordCoverage

COVERAGE_WEIGHT = 0.5
"""What the coverage of a question's words counts beside the similarity."""
WORK_WEIGHT = 0.3
"""What the share of the passages that are of one work counts in a calibrated library: of what it
answers, more passages are of the work that does (ADR 67).
"""


class Verdict(StrEnum):
    """What the passages found say about the question.

    `ANSWERED`: they are likely to hold an answer. `RELATED`: the library speaks of it, and whether
    they answer the question is open. `NOTHING`: the library does not speak of it.
    """

    ANSWERED = "answered"
    RELATED = "related"
    NOTHING = "nothing"

    @classmethod
    def _missing_(cls, value: object) -> Verdict | None:
        """Verdicts by the names that they had before."""
        before = {"weak_evidence": cls.RELATED, "not_about_this_library": cls.NOTHING}
        return before.get(str(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Where the verdicts part, by the evidence: similarity + 0.5 x coverage, from -1 to 1.5.

    Below `related` there is nothing. From `answered` on there is an answer, if that much of the
    evidence is in one passage, no more than `unknown_share` of the weight of the question's words
    is on words that no passage of the library has, one is said if a count is asked for, and the
    passage with most of the words has the question's numbers. With a `work_weight` there counts,
    too, how many of the passages are of that one's work.
    """

    related: float = 0.5
    """The evidence from which a question is related."""
    answered: float = 0.8
    """The evidence in one passage from which it is answered."""
    unknown_share: float = 0.25
    """The share of unknown words above which it is not."""
    work_weight: float = 0.0
    """What the share of the passages that are of its work counts there: nothing without a
    calibration, since a small library may have one work alone.
    """

    def __post_init__(self) -> None:
        if not self.related <= self.answered:
            raise ValueError("thresholds: the one of related is not above that of answered")
        if not 0.0 <= self.unknown_share <= 1.0:
            raise ValueError("unknown_share must lie in 0..1")


UNCALIBRATED = Thresholds()
"""Without a calibration: those found on questions about papers, with the default models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """The verdict on a question, and what it rests on.

    `similarity` is the cosine of the question and the nearest passage of the whole library, None
    where there is none; of a question in a script that the dense model does not read it is half the
    share of the words' weight that one passage has. `calibrated` says whether the thresholds are
    the collection's own; `reasons` are why the verdict is no better.
    """

    verdict: Verdict
    similarity: float | None
    thresholds: Thresholds
    calibrated: bool
    wording: WordCoverage
    reasons: tuple[str, ...] = ()

    @property
    def evidence(self) -> float | None:
        """The similarity and half the coverage; None where there is no passage."""
        return None if self.similarity is None else evidence(self.similarity, self.wording)

    @property
    def evidence_in_one(self) -> float | None:
        """The same of one passage."""
        if self.similarity is None:
            return None
        return evidence_in_one(self.similarity, self.wording, self.thresholds.work_weight)

    def refused(self, *, weak: bool) -> bool:
        """Whether nothing is to be written on the question; `weak` refuses a related one, too."""
        nothing = self.verdict is Verdict.NOTHING
        return nothing or (weak and self.verdict is Verdict.RELATED)


def evidence(similarity: float, wording: WordCoverage) -> float:
    """How much the library speaks of a question: the similarity and half the coverage."""
    return similarity + COVERAGE_WEIGHT * found_share(wording)


def evidence_in_one(similarity: float, wording: WordCoverage, work_weight: float) -> float:
    """How much speaks for an answer: the similarity, half the coverage of one passage, and by its
    weight the share of the passages that are of its work.

    An answer stands in one place. Six passages together have the words of nearly any question on
    the library's subject, the more so the larger it is: of questions about manuals, what they
    answer and what they do not had the same coverage by six, and not by one (ADR 65).
    """
    by_words = COVERAGE_WEIGHT * found_share_in_one(wording)
    return similarity + by_words + work_weight * wording.work_share


def found_share(wording: WordCoverage) -> float:
    """The coverage of a question's words; 0 of a question such as *Why?*, which has none."""
    return wording.coverage if wording.weights else 0.0


def found_share_in_one(wording: WordCoverage) -> float:
    """The coverage of a question's words by one passage; 0 of a question without any."""
    return wording.coverage_in_one if wording.weights else 0.0


def judge(
    similarity: float | None,
    wording: WordCoverage,
    thresholds: Thresholds,
    *,
    calibrated: bool,
    language: AnswerLanguage = AnswerLanguage.ENGLISH,
) -> Relevance:
    """The verdict, with its reasons in plain words of that language."""
    return Relevance(
        verdict=verdict_on(similarity, wording, thresholds),
        similarity=similarity,
        thresholds=thresholds,
        calibrated=calibrated,
        wording=wording,
        reasons=tuple(_reasons(similarity, wording, thresholds, language)),
    )


def verdict_on(similarity: float | None, wording: WordCoverage, thresholds: Thresholds) -> Verdict:
    if similarity is None:
        return Verdict.NOTHING
    if evidence(similarity, wording) < thresholds.related:
        return Verdict.NOTHING
    unknown = wording.unknown_share > thresholds.unknown_share
    unsaid = wording.uncounted or wording.figures
    in_one = evidence_in_one(similarity, wording, thresholds.work_weight)
    if unknown or unsaid or in_one < thresholds.answered:
        return Verdict.RELATED
    return Verdict.ANSWERED


def _reasons(
    similarity: float | None,
    wording: WordCoverage,
    thresholds: Thresholds,
    language: AnswerLanguage,
) -> Iterator[str]:
    messages = MESSAGES[language]
    if similarity is None:
        yield messages.no_passage
        return
    strength = evidence(similarity, wording)
    in_one = evidence_in_one(similarity, wording, thresholds.work_weight)
    if strength < thresholds.related:
        yield messages.little_evidence.format(
            evidence=strength,
            similarity=similarity,
            coverage=found_share(wording),
            limit=thresholds.related,
        )
    elif in_one < thresholds.answered:
        yield messages.little_in_one.format(
            evidence=in_one,
            similarity=similarity,
            coverage=found_share_in_one(wording),
            beside=messages.of_work.format(share=wording.work_share)
            if thresholds.work_weight
            else "",
            limit=thresholds.answered,
        )
    elif wording.unknown_share > thresholds.unknown_share:
        yield messages.unknown_words.format(share=wording.unknown_share)
    elif wording.uncounted:
        yield messages.uncounted.format(words=" ".join(wording.uncounted))
    elif wording.figures:
        yield messages.other_figures.format(figures=", ".join(wording.figures))
