"""Thresholds of verdicts found from a collection itself, and how often each verdict errs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from math import floor
from statistics import median

from citeloom.domain.answers.relevance import (
    UNCALIBRATED,
    Thresholds,
    Verdict,
    evidence,
    verdict_on,
)
from citeloom.domain.evaluation.significance import Rate
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.words import WordCoverage, function_words

DRIFT = 0.2
"""The relative change in the number of chunks from which a calibration is out of date."""
MOST_PASSED = 0.05
"""The share of unrelated questions that may be taken for related ones."""
MOST_REFUSED = 0.1
"""The share of questions that the library answers of which nothing may be said."""
MOST_ANSWERED = 0.1
"""The share of questions without their document that may be called answered."""
_ANSWERED_ABOVE = UNCALIBRATED.answered - UNCALIBRATED.related
_MOST_WORDS = 7
_WORD = re.compile(r"[^\W_](?:[\w.'\u2019/+-]*[^\W_])?[+#]*")


@dataclass(frozen=True, slots=True)
class Measured:
    """A question as it stands in a library: its nearest passage's cosine and its words."""

    similarity: float
    wording: WordCoverage

    @property
    def evidence(self) -> float:
        """How much speaks for an answer."""
        return evidence(self.similarity, self.wording)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """How often questions got which verdict."""

    nothing: Rate
    related: Rate
    answered: Rate

    @classmethod
    def count(cls, verdicts: Sequence[Verdict]) -> Verdicts:
        """The rates of verdicts."""
        nothing, related, answered = (
            Rate(verdicts.count(verdict), len(verdicts))
            for verdict in (Verdict.NOTHING, Verdict.RELATED, Verdict.ANSWERED)
        )
        return cls(nothing=nothing, related=related, answered=answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """Questions of known kinds, asked of a library.

    `unrelated` are questions of other fields by field; `present` are made of the library's
    sentences, `short` of its names, and `absent` are those of `present` asked without their
    document.
    """

    unrelated: Mapping[str, tuple[Measured, ...]]
    present: tuple[Measured, ...]
    short: tuple[Measured, ...]
    absent: tuple[Measured, ...]

    @property
    def related_fields(self) -> tuple[str, ...]:
        """The fields that the library itself seems to be about: nearer to its own questions than to
        the other fields, by the medians of their evidence.
        """
        everything = [question.evidence for question in chain(*self.unrelated.values())]
        middle = (median(everything) + median(question.evidence for question in self.present)) / 2
        return tuple(
            name
            for name, those in self.unrelated.items()
            if median(question.evidence for question in those) > middle
        )

    @property
    def foreign(self) -> tuple[Measured, ...]:
        """The questions of the fields that remain."""
        left_out = self.related_fields
        return tuple(
            question
            for name, those in self.unrelated.items()
            if name not in left_out
            for question in those
        )

    def kinds(self) -> dict[str, tuple[Measured, ...]]:
        """The questions by kind, those of related fields aside."""
        return {
            "unrelated": self.foreign,
            "absent": self.absent,
            "present": self.present,
            "short": self.short,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The thresholds of a collection with its model, and how often the verdicts err.

    `verdicts` are those on questions by kind (`unrelated`, `absent`, `present`, `short`), each by
    thresholds that its own half of the questions did not choose. `related_fields` were left out.
    """

    collection: str
    generation: str
    model: str
    chunks: int
    thresholds: Thresholds
    verdicts: Mapping[str, Verdicts] = field(hash=False)
    related_fields: tuple[str, ...] = ()
    created_at: datetime | None = None

    def fits(self, collection: Collection) -> bool:
        """Whether it was made for this collection as it was built, with its model."""
        made_for = (self.collection, self.generation, self.model)
        return made_for == (collection.name, collection.generation, collection.dense_model)

    def drift(self, chunks: int) -> float:
        """By how much of its size the collection has changed since."""
        return abs(chunks - self.chunks) / self.chunks if self.chunks else 1.0


def calibrate(
    found: Samples, collection: Collection, chunks: int, created_at: datetime
) -> Calibration:
    """The calibration by these questions."""
    kinds = found.kinds()
    return Calibration(
        collection=collection.name,
        generation=collection.generation,
        model=collection.dense_model,
        chunks=chunks,
        thresholds=thresholds_of(kinds),
        verdicts=_held_out(kinds),
        related_fields=found.related_fields,
        created_at=created_at,
    )


def thresholds_of(kinds: Mapping[str, Sequence[Measured]]) -> Thresholds:
    """The limits that let so few unrelated and absent questions through, but refuse no more than
    10 % of those that the library answers.
    """
    unrelated, absent, present, short = (
        [question.evidence for question in kinds[kind]]
        for kind in ("unrelated", "absent", "present", "short")
    )
    related = min(quantile(unrelated, 1 - MOST_PASSED), quantile([*present, *short], MOST_REFUSED))
    answered = quantile(absent, 1 - MOST_ANSWERED) if absent else related + _ANSWERED_ABOVE
    answered = min(answered, quantile(present, 0.5))
    return Thresholds(
        related=related,
        answered=max(related, answered),
        unknown_share=UNCALIBRATED.unknown_share,
    )


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share lies; rounded to four places."""
    ordered = sorted(values)
    return floor(ordered[min(int(share * len(ordered)), len(ordered) - 1)] * 1e4) / 1e4


def question_of_words(sentence: str) -> str:
    """Some of the words of a sentence that carry content, in their order, as one asks in a search
    box.
    """
    functional = function_words(sentence)
    words = [word for word in _WORD.findall(sentence) if word.casefold() not in functional]
    step = max(1.0, len(words) / _MOST_WORDS)
    return " ".join(words[int(n * step)] for n in range(min(len(words), _MOST_WORDS)))


def question_of_name(sentence: str) -> str | None:
    """`What is NAME?` of the first word in a sentence that is written as a name; None without."""
    for word in _WORD.findall(sentence)[1:]:
        capitals = sum(char.isupper() for char in word)
        if capitals and word[0].isalpha() and len(word) > 2:
            return f"What is {word}?"
    return None


def _held_out(kinds: Mapping[str, Sequence[Measured]]) -> dict[str, Verdicts]:
    """The verdicts on each half of the questions by the thresholds that the other half gives."""
    found: dict[str, list[Verdict]] = {kind: [] for kind in kinds}
    for half in (0, 1):
        others = {kind: those[1 - half :: 2] for kind, those in kinds.items()}
        limits = thresholds_of(others)
        for kind, those in kinds.items():
            found[kind] += _verdicts(those[half::2], limits)
    return {kind: Verdicts.count(those) for kind, those in found.items()}


def _verdicts(questions: Iterable[Measured], limits: Thresholds) -> list[Verdict]:
    return [verdict_on(question.similarity, question.wording, limits) for question in questions]
