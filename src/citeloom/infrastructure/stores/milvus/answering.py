"""Failures of Milvus as errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pymilvus.exceptions import MilvusException

from citeloom.domain.errors import IndexUnavailable


@contextmanager
def answering(address: str) -> Iterator[None]:
    """Turn the client's failures into `IndexUnavailable`."""
    try:
        yield
    except MilvusException as error:
        raise IndexUnavailable(
            f"Milvus at {address} refused: {error.message}",
            "See that it runs and that you may use it, then try again.",
        ) from error
