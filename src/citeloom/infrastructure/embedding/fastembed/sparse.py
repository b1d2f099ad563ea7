"""Sparse vectors from BM25 or any of FastEmbed's sparse models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.models import ModelKind
from citeloom.application.ports.embedders import SparseEmbedder
from citeloom.domain.retrieval.passage import SparseVector
from citeloom.infrastructure.embedding.fastembed import bm25
from citeloom.infrastructure.embedding.fastembed.bm25 import STEMMERS
from citeloom.infrastructure.embedding.fastembed.model_cache import LoadedOnce, ModelCache, loading

if TYPE_CHECKING:
    from fastembed import SparseEmbedding, SparseTextEmbedding


class FastEmbedSparse(SparseEmbedder):
    """Sparse vectors by a FastEmbed model, loaded at first use.

    BM25's term weights are without inverse document frequency, which the index applies.
    """

    def __init__(
        self,
        model_id: str = bm25.MODEL_ID,
        *,
        cache_dir: Path | None = None,
        threads: int | None = None,
        batch_size: int = 16,
        settings: bm25.Bm25Settings | None = None,
    ) -> None:
        self.model_id = model_id
        self._models = ModelCache(cache_dir)
        self._threads = threads
        self._batch_size = batch_size
        self._settings = settings or bm25.Bm25Settings()
        self._model = LoadedOnce(self._load)

    @property
    def is_loaded(self) -> bool:
        return self._model.is_loaded

    @property
    def languages(self) -> frozenset[str]:
        return frozenset(STEMMERS) if bm25.tells_languages_apart(self.model_id) else frozenset()

    def embed_passages(
        self, texts: Sequence[str], language: str | None = None
    ) -> list[SparseVector]:
        if isinstance(model := self._model(), bm25.Bm25):
            return [model.passage(text, self._known(language)) for text in texts]
        if not texts:
            return []
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]), reverse=True)
        embedded = model.passage_embed(
            [bm25.normalised(texts[place]) for place in order], batch_size=self._batch_size
        )
        vectors = dict(zip(order, map(_vector, embedded), strict=True))
        return [vectors[place] for place in range(len(texts))]

    def embed_query(self, text: str, language: str | None = None) -> SparseVector:
        if isinstance(model := self._model(), bm25.Bm25):
            return model.query(text, self._known(language))
        (vector,) = map(_vector, model.query_embed(bm25.normalised(text)))
        return vector

    def embed_signs(self, text: str, /) -> SparseVector:
        model = self._model() if bm25.is_bm25(self.model_id) else None
        return model.signs(text) if isinstance(model, bm25.Bm25) else super().embed_signs(text)

    def _known(self, language: str | None) -> str | None:
        return language if language in self.languages else None

    def _load(self) -> SparseTextEmbedding | bm25.Bm25:
        if bm25.is_bm25(self.model_id):
            language = bm25.language_of(self.model_id) or self._settings.language
            return bm25.Bm25(replace(self._settings, language=language))
        folder = self._models.folder(self.model_id, ModelKind.SPARSE)
        with loading(self.model_id, folder):
            from fastembed import SparseTextEmbedding  # noqa: PLC0415 - half a second

            return SparseTextEmbedding(
                self.model_id,
                cache_dir=str(folder),
                threads=self._threads,
                specific_model_path=str(folder),
            )


def _vector(embedding: SparseEmbedding) -> SparseVector:
    return SparseVector.of(
        dict(zip(embedding.indices.tolist(), embedding.values.tolist(), strict=True))
    )
