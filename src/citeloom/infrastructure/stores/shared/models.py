"""Embedding questions where the models are warm: in the process that holds the collection."""

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
    """The embedders a holder has for others, by the names of their models.

    Each is made when it is first asked for; the maker gives the same one every time. They are
    asked one question at a time.
    """

    def __init__(
        self,
        *,
        dense: Mapping[str, Callable[[], DenseEmbedder]] | None = None,
        sparse: Mapping[str, Callable[[], SparseEmbedder | None]] | None = None,
    ) -> None:
        self._dense = dict(dense or {})
        self._sparse = dict(sparse or {})
        self._one_at_a_time = Lock()

    def add(self, others: Models) -> None:
        """Have these as well."""
        self._dense |= others._dense
        self._sparse |= others._sparse

    def embed_dense(self, model_id: str, text: str) -> DenseVector | None:
        """The vector of a question, None where the model is another."""
        made = self._dense.get(model_id)
        with self._one_at_a_time:
            return None if made is None else made().embed_query(text)

    def embed_sparse(self, model_id: str, text: str) -> SparseVector | None:
        """The terms of a question, None where the model is another."""
        made = self._sparse.get(model_id)
        with self._one_at_a_time:
            embedder = None if made is None else made()
            return None if embedder is None else embedder.embed_query(text)

    def load(self) -> None:
        """Have every model ready for the next question."""
        for model_id in self._dense:
            self.embed_dense(model_id, _ANY_QUESTION)
        for model_id in self._sparse:
            self.embed_sparse(model_id, _ANY_QUESTION)


class SharedDense(DenseEmbedder):
    """Has questions embedded by whoever holds the collection, where that is another process.

    The embedder of this process, `local`, is made when it is needed.
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
    """The same for sparse vectors."""

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
        return self._here().embed_passages(texts)

    def embed_query(self, text: str) -> SparseVector:
        vector = self._index.embed_sparse(self._collection, self._model_id, text)
        return self._here().embed_query(text) if vector is None else vector

    def _here(self) -> SparseEmbedder:
        embedder = self._local()
        if embedder is None:
            raise ModelUnavailable(f"{self._model_id} is not configured", "Set sparse_model.")
        return embedder
