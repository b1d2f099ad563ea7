"""What is particular to Qdrant's engine, on a server as in process."""

from __future__ import annotations

EXACT_BELOW_KB = 100_000
"""Vectors of a segment up to this size are compared one by one, which is exact and takes
milliseconds; above it the graph answers, which may miss a few.
"""

RANK_BASE = 1
"""Qdrant counts ranks from 0, so its k is one more than that of the literature."""
