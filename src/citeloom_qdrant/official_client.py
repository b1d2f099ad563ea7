"""Qdrant's own client, loaded without FastEmbed, which it would use to embed texts itself."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder


class _NoFastEmbed(MetaPathFinder):
    """In the thread that made it, FastEmbed is not installed."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, name: str, *_: object) -> None:
        if name == "fastembed" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(name, name=name)


@contextmanager
def without_fastembed() -> Iterator[None]:
    """The client goes on without FastEmbed in this context, which spares its import. Other
    threads may import it meanwhile.
    """
    finder = _NoFastEmbed()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


with without_fastembed():
    from qdrant_client import QdrantClient, models
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

__all__ = [
    "QdrantClient",
    "QdrantException",
    "ResponseHandlingException",
    "UnexpectedResponse",
    "models",
    "without_fastembed",
]
