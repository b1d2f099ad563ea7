"""FastEmbed's rerankers: cross-encoders and models of late interaction."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.models import ModelKind
from citeloom.application.ports.embedders import Reranker
from citeloom.domain.errors import ConfigError, ModelUnavailable
from citeloom.infrastructure.embedding.fastembed import minilm
from citeloom.infrastructure.embedding.fastembed.dense import MeanEncoder
from citeloom.infrastructure.embedding.fastembed.hub import describe
from citeloom.infrastructure.embedding.fastembed.model_cache import LoadedOnce, ModelCache, loading

if TYPE_CHECKING:
    import numpy as np
    from fastembed.rerank.cross_encoder import TextCrossEncoder
    from numpy.typing import NDArray


class Deadline:
    """The time by which a model must have finished."""

    def __init__(self, model_id: str, seconds: float) -> None:
        self._model_id = model_id
        self._seconds = seconds
        self._until = time.monotonic() + seconds

    def check(self) -> None:
        """Raise `ModelUnavailable` once the deadline has passed."""
        if time.monotonic() > self._until:
            raise self._passed()

    @contextmanager
    def waiting_for(self, lock: threading.Lock) -> Iterator[None]:
        """Hold a lock. Raises `ModelUnavailable` if the deadline passes before it is free."""
        if not lock.acquire(timeout=max(0.0, self._until - time.monotonic())):
            raise self._passed()
        try:
            yield
        finally:
            lock.release()

    def _passed(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._model_id} was not done within {self._seconds:g} s",
            "Raise timeout under [rerank], or lower candidates.",
        )


def scored_in_batches(
    texts: Sequence[str],
    together: int,
    deadline: Deadline,
    score: Callable[[Sequence[str]], Sequence[float]],
) -> list[float]:
    """The scores of the texts, computed in batches of similar length, which need little padding.

    Raises what `score` raises, and `ModelUnavailable` if the deadline passes between two batches.
    """
    places = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    scores: dict[int, float] = {}
    for start in range(0, len(places), together):
        deadline.check()
        batch = places[start : start + together]
        scores.update(zip(batch, score([texts[place] for place in batch]), strict=True))
    return [scores[place] for place in range(len(texts))]


# Late interaction by the default dense model: each token of a question finds its nearest.

NAME = "late-interaction"


class LateInteraction(Reranker):
    """Scores a text by the cosines of the question's tokens with the most similar of its tokens.

    The vectors are those of the default dense model before it takes their mean.
    """

    model_id = NAME
    destination = None

    def __init__(
        self,
        dense_model: str = minilm.MODEL_ID,
        *,
        cache_dir: Path | None = None,
        threads: int = 1,
        locate: minilm.WeightsLocator = minilm.packaged_weights,
    ) -> None:
        self._dense_model = dense_model
        self._models = ModelCache(cache_dir, locate)
        self._threads = threads
        self._model = LoadedOnce(self._load)

    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        deadline = Deadline(NAME, seconds)
        encoder = self._model(deadline.waiting_for)
        question_states = encoder.token_states(question)

        def scored(text: str) -> float:
            deadline.check()
            return similarity(question_states, encoder.token_states(text))

        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(scored, texts))

    def _load(self) -> MeanEncoder:
        folder = self._models.folder(self._dense_model, ModelKind.DENSE)
        with loading(self._dense_model, folder):
            return MeanEncoder(folder)


def similarity(question: NDArray[np.float32], text: NDArray[np.float32]) -> float:
    """The mean over the rows of `question` of the largest product with a row of `text`; 0 where
    either has none.
    """
    if not len(question) or not len(text):
        return 0.0
    return float((question @ text.T).max(axis=1).mean())


# FastEmbed's cross-encoders, which read a question and a passage as one text.

_TOGETHER = 4


class FastEmbedCrossEncoder(Reranker):
    """A cross-encoder that is in the cache, loaded at first use; it is never downloaded here."""

    destination = None

    def __init__(
        self, model_id: str, *, cache_dir: Path | None = None, threads: int | None = None
    ) -> None:
        self.model_id = model_id
        self._hub = ModelCache(cache_dir).hub
        self._threads = threads
        self._model = LoadedOnce(self._load)

    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        deadline = Deadline(self.model_id, seconds)
        model = self._model(deadline.waiting_for)
        scores = partial(self._scores, model, question)
        return scored_in_batches(texts, _TOGETHER, deadline, scores)

    def _scores(self, model: TextCrossEncoder, question: str, texts: Sequence[str]) -> list[float]:
        scores = [*model.rerank(question, texts, batch_size=len(texts))]
        if not all(map(math.isfinite, scores)):
            raise ModelUnavailable(
                f"{self.model_id} gave a score that is no number",
                "Its files may be damaged: delete them from the cache, or choose another model.",
            )
        return scores

    def _load(self) -> TextCrossEncoder:
        from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415 - half a second

        try:
            described = describe(self.model_id, ModelKind.RERANKER)
        except ModelUnavailable as error:
            raise ConfigError(f"[rerank] model: {error.message}", error.hint) from error
        folder = self._hub.cached(described)
        if folder is None:
            raise ModelUnavailable(
                f"{self.model_id} is not in {self._hub.cache}",
                f"Download it once: citeloom models --fetch {self.model_id}",
            )
        with loading(self.model_id, folder):
            return TextCrossEncoder(
                self.model_id,
                cache_dir=str(folder),
                threads=self._threads,
                specific_model_path=str(folder),
            )
