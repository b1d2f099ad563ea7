"""Dense vectors from any of FastEmbed's text models."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.available import ModelKind
from citeloom.application.ports.embedders import DenseEmbedder
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.passage import DenseVector
from citeloom.infrastructure.embedding.fastembed import minilm
from citeloom.infrastructure.embedding.fastembed.hub import describe
from citeloom.infrastructure.embedding.fastembed.loading import loading
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache

if TYPE_CHECKING:
    from fastembed import TextEmbedding
    from fastembed.common.types import NumpyArray


class FastEmbedDense(DenseEmbedder):
    """Dense vectors by a FastEmbed model, loaded at first use.

    Texts are embedded longest first, so that batches need little padding, and truncated at the
    model's window. The batch a text is in changes its vector by at most 1e-6.
    """

    def __init__(
        self,
        model_id: str = minilm.MODEL_ID,
        *,
        cache_dir: Path | None = None,
        threads: int | None = None,
        batch_size: int = 16,
        locate: minilm.WeightsLocator = minilm.packaged_weights,
    ) -> None:
        self._model_id = model_id
        self._models = ModelCache(cache_dir, locate)
        self._threads = threads
        self._batch_size = batch_size
        self._loaded: TextEmbedding | None = None
        self._loading = threading.Lock()

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def dimension(self) -> int:
        if minilm.is_minilm(self._model_id):
            return minilm.DIMENSION
        from fastembed import TextEmbedding  # noqa: PLC0415 - half a second

        return TextEmbedding.get_embedding_size(describe(self._model_id, ModelKind.DENSE).model)

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        if not texts:
            return []
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]), reverse=True)
        embedded = self._model().passage_embed(
            [texts[place] for place in order], batch_size=self._batch_size
        )
        vectors = dict(zip(order, self._units(embedded), strict=True))
        return [vectors[place] for place in range(len(texts))]

    def embed_query(self, text: str) -> DenseVector:
        (vector,) = self._units(self._model().query_embed(text))
        return vector

    def _model(self) -> TextEmbedding:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> TextEmbedding:
        folder = self._models.folder(self._model_id, ModelKind.DENSE)
        with loading(self._model_id, folder):
            from fastembed import TextEmbedding  # noqa: PLC0415 - half a second

            return TextEmbedding(
                self._model_id,
                cache_dir=str(folder),
                threads=self._threads,
                specific_model_path=str(folder),
            )

    def _units(self, vectors: Iterable[NumpyArray]) -> list[DenseVector]:
        return [self._unit(vector) for vector in vectors]

    def _unit(self, vector: NumpyArray) -> DenseVector:
        length = float((vector.astype("float64") ** 2).sum() ** 0.5)
        if not 0.0 < length < float("inf"):
            raise ModelUnavailable(
                f"{self._model_id} returned a zero or invalid vector",
                "Its files may be damaged: delete them from the cache, or choose another model.",
            )
        unit: list[float] = (vector / length).astype("float32").tolist()
        return unit
