"""Thresholds of relevance found from a collection itself, with their error rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import floor
from statistics import median

from citeloom.domain.answers.relevance import UNCALIBRATED, Thresholds
from citeloom.domain.project import Collection
from citeloom.domain.significance import Rate

DRIFT = 0.2
"""The relative change in the number of chunks from which a calibration is out of date."""
MOST_REFUSED = 0.1
"""The share of the library's own sentences that the floor may refuse."""
_WEAK_QUANTILE = 0.1
"""The share of the library's own sentences that may count as weak evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarities:
    """Cosines of questions with their nearest passage.

    `unrelated` are those of unrelated questions by field; `own` those of sentences of the library
    with its other passages.
    """

    unrelated: Mapping[str, tuple[float, ...]]
    own: tuple[float, ...]

    @property
    def related_fields(self) -> tuple[str, ...]:
        """The fields that the library itself seems to be about: nearer to its own sentences than to
        the other fields, by their medians.
        """
        everything = [value for values in self.unrelated.values() for value in values]
        middle = (median(everything) + median(self.own)) / 2
        return tuple(name for name, values in self.unrelated.items() if median(values) > middle)

    @property
    def foreign(self) -> tuple[float, ...]:
        """The similarities of the fields that remain."""
        left_out = self.related_fields
        return tuple(
            value
            for name, values in self.unrelated.items()
            if name not in left_out
            for value in values
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The thresholds of a collection with its model, and how often they err.

    `passed` is the rate of unrelated questions above the floor, `refused` that of the library's own
    sentences below it, both on questions that the floor was not chosen by; `weak` is the rate of
    own sentences below the limit of weak evidence. `related_fields` were left out.
    """

    collection: str
    generation: str
    model: str
    chunks: int
    thresholds: Thresholds
    passed: Rate
    refused: Rate
    weak: Rate
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
    found: Similarities, collection: Collection, chunks: int, created_at: datetime
) -> Calibration:
    """The calibration by these similarities."""
    foreign, own = found.foreign, found.own
    least = careful_floor(foreign, own)
    weak = max(least, quantile(own, _WEAK_QUANTILE))
    passed, refused = _held_out_errors(foreign, own)
    return Calibration(
        collection=collection.name,
        generation=collection.generation,
        model=collection.dense_model,
        chunks=chunks,
        thresholds=Thresholds(floor=least, weak=weak, unknown_share=UNCALIBRATED.unknown_share),
        passed=passed,
        refused=refused,
        weak=Rate(sum(value < weak for value in own), len(own)),
        related_fields=found.related_fields,
        created_at=created_at,
    )


def careful_floor(foreign: Sequence[float], own: Sequence[float]) -> float:
    """The floor of equal errors, or a lower one if that refuses more than 10 % of the own ones."""
    return min(equal_error_floor(foreign, own), quantile(own, MOST_REFUSED))


def equal_error_floor(foreign: Sequence[float], own: Sequence[float]) -> float:
    """The floor at which the rates of foreign questions above it and of own ones below it are
    nearest to equal, midway between the values next to it; rounded to four places.
    """
    values = sorted({*foreign, *own})
    borders = [(low + high) / 2 for low, high in zip(values, values[1:])] or values

    def difference(border: float) -> tuple[float, float]:
        passed = sum(value >= border for value in foreign) / len(foreign)
        refused = sum(value < border for value in own) / len(own)
        return abs(passed - refused), passed + refused

    return floor(min(borders, key=difference) * 1e4) / 1e4


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share lies; rounded to four places."""
    ordered = sorted(values)
    return floor(ordered[min(int(share * len(ordered)), len(ordered) - 1)] * 1e4) / 1e4


def _held_out_errors(foreign: Sequence[float], own: Sequence[float]) -> tuple[Rate, Rate]:
    """Both error rates, each half judged by the floor that the other half gives."""
    passed = refused = 0
    for half in (0, 1):
        border = careful_floor(foreign[1 - half :: 2], own[1 - half :: 2])
        passed += sum(value >= border for value in foreign[half::2])
        refused += sum(value < border for value in own[half::2])
    return Rate(passed, len(foreign)), Rate(refused, len(own))
