"""String similarity."""

from __future__ import annotations

from rapidfuzz.distance import Indel


def similarity(first: str, second: str) -> float:
    """Twice the longest common subsequence divided by the sum of lengths; 1 if equal."""
    return Indel.normalized_similarity(first, second)
