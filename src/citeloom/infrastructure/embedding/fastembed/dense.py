"""Dense vectors from any of FastEmbed's text models."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.available import ModelKind
from citeloom.application.ports.embedders import DenseEmbedder
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.passage import DenseVector
from citeloom.infrastructure.embedding.fastembed import minilm
from citeloom.infrastructure.embedding.fastembed.arithmetic import integer_arithmetic
from citeloom.infrastructure.embedding.fastembed.encoder import MeanEncoder
from citeloom.infrastructure.embedding.fastembed.hub import describe
from citeloom.infrastructure.embedding.fastembed.loading import loading
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache

if TYPE_CHECKING:
    from fastembed import TextEmbedding
    from fastembed.common.types import NumpyArray


# Characters of a batch, about 200 tokens: more run no faster, and leave the processor's cache.
_TOGETHER = 800


class FastEmbedDense(DenseEmbedder):
    """Dense vectors by a FastEmbed model, loaded at first use.

    Texts are truncated at the model's window, and embedded by `threads` at a time, each in batches
    of its own: texts of like length, so that they need little padding, and as many as fill the
    processor. The batch a text is in changes its vector by at most 1e-6; by the quantised default
    model each text is embedded alone.
    """

    def __init__(
        self,
        model_id: str = minilm.MODEL_ID,
        *,
        cache_dir: Path | None = None,
        threads: int = 1,
        locate: minilm.WeightsLocator = minilm.packaged_weights,
    ) -> None:
        self._model_id = model_id
        self._models = ModelCache(cache_dir, locate)
        self._threads = threads
        self._loaded: TextEmbedding | MeanEncoder | None = None
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

    @property
    def is_loaded(self) -> bool:
        return self._loaded is not None

    @property
    def arithmetic(self) -> str | None:
        return integer_arithmetic() if minilm.is_int8(self._model_id) else None

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        batches = self._batches(texts)
        if len(batches) < 2 or self._threads < 2:
            embedded = [self._embedded(texts, batch) for batch in batches]
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                embedded = list(pool.map(partial(self._embedded, texts), batches))
        vectors = dict(zip(chain(*batches), chain(*embedded), strict=True))
        return [vectors[place] for place in range(len(texts))]

    def embed_query(self, text: str) -> DenseVector:
        (vector,) = self._units(self._model().query_embed(text))
        return vector

    def _batches(self, texts: Sequence[str]) -> list[list[int]]:
        """The places of the texts, longest first, in batches that are embedded together."""
        most = 0 if minilm.is_int8(self._model_id) else _TOGETHER
        batches: list[list[int]] = []
        for place in sorted(range(len(texts)), key=lambda place: len(texts[place]), reverse=True):
            last = batches[-1] if batches else []
            if last and (len(last) + 1) * len(texts[last[0]]) <= most:
                last.append(place)
            else:
                batches.append([place])
        return batches

    def _embedded(self, texts: Sequence[str], batch: Sequence[int]) -> list[DenseVector]:
        together = [texts[place] for place in batch]
        return self._units(self._model().passage_embed(together, batch_size=len(together)))

    def _model(self) -> TextEmbedding | MeanEncoder:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> TextEmbedding | MeanEncoder:
        folder = self._models.folder(self._model_id, ModelKind.DENSE)
        with loading(self._model_id, folder):
            if self._models.is_built(folder):
                return MeanEncoder(folder)
            from fastembed import TextEmbedding  # noqa: PLC0415 - half a second

            # One thread a run: those of this class run side by side and wait for nothing.
            return TextEmbedding(
                self._model_id,
                cache_dir=str(folder),
                threads=1,
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
