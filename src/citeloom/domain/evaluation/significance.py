"""Significance of a difference between two systems on the same questions."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

ROUNDS = 10_000
SEED = 20_091
_GROUP = 8


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval."""

    low: float
    """The lower end."""
    high: float
    """The upper end."""


def percentile_95(values: Sequence[float]) -> float:
    """The smallest of the values that 95 % of them do not exceed (nearest rank); 0 of none."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1] if values else 0.0


def randomisation_p(
    differences: Sequence[float], *, rounds: int = ROUNDS, seed: int = SEED
) -> float:
    """The two-sided p-value of a paired randomisation test (Fisher 1935; Smucker 2007).

    The share of random sign flips whose sum is at least as large as the observed one, the
    observed one included; never less than 1 / (`rounds` + 1).
    """
    moved = [difference for difference in differences if difference]
    if not moved:
        return 1.0
    observed = abs(sum(moved)) - 1e-9
    total, tables = sum(moved), []
    for start in range(0, len(moved), _GROUP):
        # for each group of eight values the sum of every subset, indexed by its bits
        sums = [0.0]
        for value in moved[start : start + _GROUP]:
            sums += [value + partial for partial in sums]
        tables.append(sums * (2**_GROUP // len(sums)))
    size, draw = len(tables), random.Random(seed)
    extreme = 0
    for _ in range(rounds):
        flips = draw.getrandbits(size * _GROUP).to_bytes(size, "little")
        flipped = sum([table[flip] for table, flip in zip(tables, flips)])
        extreme += abs(total - 2 * flipped) >= observed
    return (extreme + 1) / (rounds + 1)


def bootstrap_interval(
    values: Sequence[float], *, rounds: int = 2_000, seed: int = SEED
) -> Interval:
    """The 95 % percentile interval of the mean, from resampled questions (Efron 1979)."""
    draw = random.Random(seed)
    means = sorted(fmean(draw.choices(values, k=len(values))) for _ in range(rounds))
    return Interval(means[round(rounds * 0.025)], means[round(rounds * 0.975) - 1])


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values with Holm's correction (1979), in their order.

    It bounds the probability of even one false discovery among all of them.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected, least = [0.0] * len(p_values), 0.0
    for tried, place in enumerate(order):
        least = max(least, min(1.0, p_values[place] * (len(p_values) - tried)))
        corrected[place] = least
    return corrected


def separation(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """The probability that an answerable score exceeds an unanswerable one, ties half.

    The area under the ROC curve (Mann and Whitney 1947): 0.5 is chance, 1 separates all.
    """
    wins = sum((a > u) + 0.5 * (a == u) for a in answerable for u in unanswerable)
    return wins / (len(answerable) * len(unanswerable))


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of how many."""

    count: int
    of: int

    def __post_init__(self) -> None:
        if not 0 <= self.count <= self.of:
            raise ValueError(f"{self.count} of {self.of} is no rate")

    @property
    def share(self) -> float | None:
        """The rate; None of nothing."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> Interval:
        """The 95 % score interval (Wilson 1927)."""
        if not self.of:
            return Interval(0.0, 1.0)
        z, n, p = 1.96, self.of, self.count / self.of
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return Interval(max(middle - half, 0.0), min(middle + half, 1.0))
