"""The models that the holder of a collection shares with other processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock

from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.domain.passage import DenseVector, SparseVector

_ANY_QUESTION = "What is warm?"


class Models:
    """The embedders that a holder shares, by the names of their models.

    Each is built at its first use; its factory returns the same one every time. They embed one
    question at a time, and are never loaded for another process: a command that ends meanwhile
    would have to wait for that.
    """

    def __init__(
        self,
        *,
        dense: Mapping[str, Callable[[], DenseEmbedder]] | None = None,
        sparse: Mapping[str, Callable[[], SparseEmbedder | None]] | None = None,
    ) -> None:
        self._dense = dict(dense or {})
        self._sparse = dict(sparse or {})
        self._lock = Lock()

    def add(self, others: Models) -> None:
        """Share these as well."""
        self._dense |= others._dense
        self._sparse |= others._sparse

    def embed_dense(self, model_id: str, text: str) -> DenseVector | None:
        """The vector of a question; None for a model that is unknown or not loaded."""
        factory = self._dense.get(model_id)
        if factory is None or not (embedder := factory()).is_loaded:
            return None
        with self._lock:
            return embedder.embed_query(text)

    def embed_texts(self, model_id: str, texts: list[str]) -> list[DenseVector] | None:
        """The vectors of passages; None for a model that is unknown or not loaded."""
        factory = self._dense.get(model_id)
        if factory is None or not (embedder := factory()).is_loaded:
            return None
        with self._lock:
            return embedder.embed_passages(texts)

    def embed_sparse(self, model_id: str, text: str) -> SparseVector | None:
        """The terms of a question; None for a model that is unknown or not loaded."""
        factory = self._sparse.get(model_id)
        embedder = None if factory is None else factory()
        if embedder is None or not embedder.is_loaded:
            return None
        with self._lock:
            return embedder.embed_query(text)

    def load(self) -> None:
        """Load every model."""
        for factory in (*self._dense.values(), *self._sparse.values()):
            if (embedder := factory()) is not None:
                embedder.embed_query(_ANY_QUESTION)
