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
    question at a time.
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
        """The vector of a question; None for an unknown model."""
        factory = self._dense.get(model_id)
        with self._lock:
            return None if factory is None else factory().embed_query(text)

    def embed_sparse(self, model_id: str, text: str) -> SparseVector | None:
        """The terms of a question; None for an unknown model."""
        factory = self._sparse.get(model_id)
        with self._lock:
            embedder = None if factory is None else factory()
            return None if embedder is None else embedder.embed_query(text)

    def load(self) -> None:
        """Load every model."""
        for model_id in self._dense:
            self.embed_dense(model_id, _ANY_QUESTION)
        for model_id in self._sparse:
            self.embed_sparse(model_id, _ANY_QUESTION)
