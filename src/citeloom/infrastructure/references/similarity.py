"""How alike two strings are."""

from __future__ import annotations

from rapidfuzz.distance import Indel


def similarity(one: str, other: str) -> float:
    """Twice the longest common subsequence over the lengths' sum, 0..1; 1 for equal strings."""
    return Indel.normalized_similarity(one, other)
