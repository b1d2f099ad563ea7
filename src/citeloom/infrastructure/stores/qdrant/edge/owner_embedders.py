"""Embedding questions with the models of a collection's owner process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.retrieval.passage import DenseVector, SparseVector

if TYPE_CHECKING:
    from citeloom.infrastructure.stores.qdrant.edge.owner_index import SharedIndex

MOST_TEXTS = 128
"""More texts are embedded in this process: the owner has questions of others to answer."""


class SharedDense(DenseEmbedder):
    """Embeds questions and the sentences of answers with the owner's model where the owner is
    another process.

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
        vectors = None
        if len(texts) <= MOST_TEXTS:
            vectors = self._index.embed_texts(self._collection, self._model_id, list(texts))
        return self._local().embed_passages(texts) if vectors is None else vectors

    def embed_query(self, text: str) -> DenseVector:
        vector = self._index.embed_dense(self._collection, self._model_id, text)
        return self._local().embed_query(text) if vector is None else vector


class SharedSparse(SparseEmbedder):
    """As `SharedDense`, for sparse vectors; a language's own terms are made in this process."""

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

    @property
    def languages(self) -> frozenset[str]:
        return self._local_embedder().languages

    def embed_passages(
        self, texts: Sequence[str], language: str | None = None
    ) -> list[SparseVector]:
        return self._local_embedder().embed_passages(texts, language)

    def embed_query(self, text: str, language: str | None = None) -> SparseVector:
        if language is not None:
            return self._local_embedder().embed_query(text, language)
        vector = self._index.embed_sparse(self._collection, self._model_id, text)
        return self._local_embedder().embed_query(text) if vector is None else vector

    def embed_signs(self, text: str, /) -> SparseVector:
        return self._local_embedder().embed_signs(text)

    def _local_embedder(self) -> SparseEmbedder:
        embedder = self._local()
        if embedder is None:
            raise ModelUnavailable(f"{self._model_id} is not configured", "Set sparse_model.")
        return embedder
