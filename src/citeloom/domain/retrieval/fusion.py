"""Fusion of the ranking by meaning and the ranking by words into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, stdev

Scored = tuple[str, float]
"""A chunk's id and its score on one side; a side lists them best first."""


class FusionMethod(StrEnum):
    """How the scores of the two sides are normalised."""

    RRF = "rrf"
    MIN_MAX = "minmax"
    DBSF = "dbsf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """A weighted fusion of two rankings, by ranks (with constant `k`) or by scores."""

    method: FusionMethod = FusionMethod.RRF
    """By ranks or by scores."""
    k: int = 60
    """The constant of a fusion by ranks."""
    dense_weight: float = 1.0
    """Of the dense side."""
    sparse_weight: float = 1.0
    """Of the sparse side."""

    def __str__(self) -> str:
        """The fusion in a few words: `rrf k=60`, `minmax dense 2 : sparse 1`."""
        name = f"rrf k={self.k}" if self.method is FusionMethod.RRF else self.method.value
        if self.dense_weight == self.sparse_weight:
            return name
        return f"{name} dense {self.dense_weight:g} : sparse {self.sparse_weight:g}"

    def merge(self, dense: Sequence[Scored], sparse: Sequence[Scored]) -> list[Scored]:
        """The ids of both sides with fused scores, best first, ties by id.

        An id that a side does not list scores 0 there.
        """
        fused: dict[str, float] = {}
        for side, weight in ((dense, self.dense_weight), (sparse, self.sparse_weight)):
            for name, part in self._parts(side).items():
                fused[name] = fused.get(name, 0.0) + weight * part
        return sorted(fused.items(), key=lambda scored: (-scored[1], scored[0]))

    def _parts(self, side: Sequence[Scored]) -> Mapping[str, float]:
        if self.method is FusionMethod.RRF:
            return reciprocal_ranks(side, self.k)
        return min_max(side) if self.method is FusionMethod.MIN_MAX else distribution_based(side)


def reciprocal_ranks(side: Sequence[Scored], k: int) -> dict[str, float]:
    """1 / (k + rank) with ranks from 1 (Cormack, Clarke and Büttcher 2009)."""
    return {name: 1 / (k + rank) for rank, (name, _) in enumerate(side, start=1)}


def min_max(side: Sequence[Scored]) -> dict[str, float]:
    """Scores scaled to 0..1; all 1 if they are equal."""
    if not side:
        return {}
    scores = [score for _, score in side]
    least, most = min(scores), max(scores)
    spread = most - least
    return {name: (score - least) / spread if spread else 1.0 for name, score in side}


def distribution_based(side: Sequence[Scored]) -> dict[str, float]:
    """Scores scaled so that three standard deviations around the mean are 0..1 (Mazzeschi 2023);
    all 0.5 if they are equal.
    """
    if not side:
        return {}
    scores = [score for _, score in side]
    mean, deviation = fmean(scores), stdev(scores) if len(scores) > 1 else 0.0
    if not deviation:
        return {name: 0.5 for name, _ in side}
    placed = {name: 0.5 + (score - mean) / (6 * deviation) for name, score in side}
    return {name: min(max(value, 0.0), 1.0) for name, value in placed.items()}
