"""String similarity, in a module of its own: it loads rapidfuzz, and its function can be sent to
workers, as one of rapidfuzz itself cannot.
"""

from __future__ import annotations

from rapidfuzz.distance import Indel


def similarity(first: str, second: str) -> float:
    """Twice the longest common subsequence divided by the sum of lengths; 1 if equal."""
    return Indel.normalized_similarity(first, second)
