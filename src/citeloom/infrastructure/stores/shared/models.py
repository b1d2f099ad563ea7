"""Embedding questions in the process whose models are warm: the holder of the collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.passage import DenseVector, SparseVector

if TYPE_CHECKING:
    from citeloom.infrastructure.stores.shared.index import SharedIndex

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


class SharedDense(DenseEmbedder):
    """Embeds questions with the holder's model where the holder is another process.

    The embedder of this process, `local`, is built when it is needed.
    """

    def __init__(
        self, model_id: str, local: Callable[[], DenseEmbedder], index: SharedIndex, collection: str
    ) -> None:
        self._model_id = model_id
        self._local = local
        self._index = index
        self._collection = collection

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def dimension(self) -> int:
        return self._local().dimension

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        return self._local().embed_passages(texts)

    def embed_query(self, text: str) -> DenseVector:
        vector = self._index.embed_dense(self._collection, self._model_id, text)
        return self._local().embed_query(text) if vector is None else vector


class SharedSparse(SparseEmbedder):
    """As `SharedDense`, for sparse vectors."""

    def __init__(
        self,
        model_id: str,
        local: Callable[[], SparseEmbedder | None],
        index: SharedIndex,
        collection: str,
    ) -> None:
        self._model_id = model_id
        self._local = local
        self._index = index
        self._collection = collection

    @property
    def model_id(self) -> str:
        return self._model_id

    def embed_passages(self, texts: Sequence[str]) -> list[SparseVector]:
        return self._local_embedder().embed_passages(texts)

    def embed_query(self, text: str) -> SparseVector:
        vector = self._index.embed_sparse(self._collection, self._model_id, text)
        return self._local_embedder().embed_query(text) if vector is None else vector

    def _local_embedder(self) -> SparseEmbedder:
        embedder = self._local()
        if embedder is None:
            raise ModelUnavailable(f"{self._model_id} is not configured", "Set sparse_model.")
        return embedder
