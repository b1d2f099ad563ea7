"""Optimising an index in which everything is stored."""

from __future__ import annotations

from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.errors import DiskFull, IndexUnavailable


def optimize_stored(index: VectorIndex, name: str) -> str | None:
    """Optimise a collection; the reason if that is not possible now, which loses nothing."""
    try:
        index.optimize(name)
    except (DiskFull, IndexUnavailable) as error:
        return error.message
    return None
