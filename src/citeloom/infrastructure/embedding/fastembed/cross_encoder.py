"""FastEmbed's cross-encoders, which read a question and a passage as one text."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.available import ModelKind
from citeloom.application.ports.reranker import Reranker
from citeloom.domain.errors import ConfigError, ModelUnavailable
from citeloom.infrastructure.embedding.fastembed.batches import Deadline, scored_in_batches
from citeloom.infrastructure.embedding.fastembed.hub import describe
from citeloom.infrastructure.embedding.fastembed.loading import loading
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache

if TYPE_CHECKING:
    from fastembed.common.model_description import BaseModelDescription
    from fastembed.rerank.cross_encoder import TextCrossEncoder

_TOGETHER = 4


class FastEmbedCrossEncoder(Reranker):
    """A cross-encoder that is in the cache, loaded at first use; it is never downloaded here."""

    def __init__(
        self, model_id: str, *, cache_dir: Path | None = None, threads: int | None = None
    ) -> None:
        self._model_id = model_id
        self._hub = ModelCache(cache_dir).hub
        self._threads = threads
        self._loaded: TextCrossEncoder | None = None
        self._loading = threading.Lock()

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def destination(self) -> None:
        return None

    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        deadline = Deadline(self._model_id, seconds)
        model = self._model(deadline)
        scores = partial(self._scores, model, question)
        return scored_in_batches(texts, _TOGETHER, deadline, scores)

    def _scores(self, model: TextCrossEncoder, question: str, texts: Sequence[str]) -> list[float]:
        scores = [*model.rerank(question, texts, batch_size=len(texts))]
        if not all(map(math.isfinite, scores)):
            raise ModelUnavailable(
                f"{self._model_id} gave a score that is no number",
                "Its files may be damaged: delete them from the cache, or choose another model.",
            )
        return scores

    def _model(self, deadline: Deadline) -> TextCrossEncoder:
        with deadline.waiting_for(self._loading):
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> TextCrossEncoder:
        from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415 - half a second

        folder = self._hub.cached(self._described())
        if folder is None:
            raise ModelUnavailable(
                f"{self._model_id} is not in {self._hub.cache}",
                f"Download it once: citeloom models --fetch {self._model_id}",
            )
        with loading(self._model_id, folder):
            return TextCrossEncoder(
                self._model_id,
                cache_dir=str(folder),
                threads=self._threads,
                specific_model_path=str(folder),
            )

    def _described(self) -> BaseModelDescription:
        try:
            return describe(self._model_id, ModelKind.RERANKER)
        except ModelUnavailable as error:
            raise ConfigError(f"[rerank] model: {error.message}", error.hint) from error
