"""Embedding questions where the models are warm: in the process that holds the collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.domain.passage import DenseVector, SparseVector

if TYPE_CHECKING:
    from citeloom.infrastructure.stores.shared.index import SharedIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The embedders a holder has for others."""

    dense: DenseEmbedder | None = None
    sparse: SparseEmbedder | None = None

    def embed_dense(self, model_id: str, text: str) -> DenseVector | None:
        """The vector of a question, None where the model is another."""
        known = self.dense is not None and self.dense.model_id == model_id
        return self.dense.embed_query(text) if self.dense is not None and known else None

    def embed_sparse(self, model_id: str, text: str) -> SparseVector | None:
        """The terms of a question, None where the model is another."""
        known = self.sparse is not None and self.sparse.model_id == model_id
        return self.sparse.embed_query(text) if self.sparse is not None and known else None


class SharedDense(DenseEmbedder):
    """Has questions embedded by whoever holds the collection, where that is another process."""

    def __init__(self, local: DenseEmbedder, index: SharedIndex, collection: str) -> None:
        self._local = local
        self._index = index
        self._collection = collection

    @property
    def model_id(self) -> str:
        return self._local.model_id

    @property
    def dimension(self) -> int:
        return self._local.dimension

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        return self._local.embed_passages(texts)

    def embed_query(self, text: str) -> DenseVector:
        vector = self._index.embed_dense(self._collection, self.model_id, text)
        return self._local.embed_query(text) if vector is None else vector


class SharedSparse(SparseEmbedder):
    """The same for sparse vectors."""

    def __init__(self, local: SparseEmbedder, index: SharedIndex, collection: str) -> None:
        self._local = local
        self._index = index
        self._collection = collection

    @property
    def model_id(self) -> str:
        return self._local.model_id

    def embed_passages(self, texts: Sequence[str]) -> list[SparseVector]:
        return self._local.embed_passages(texts)

    def embed_query(self, text: str) -> SparseVector:
        vector = self._index.embed_sparse(self._collection, self.model_id, text)
        return self._local.embed_query(text) if vector is None else vector
