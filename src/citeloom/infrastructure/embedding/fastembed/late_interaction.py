"""Late interaction by the default dense model: each token of a question finds its nearest."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.available import ModelKind
from citeloom.application.ports.reranker import Reranker
from citeloom.infrastructure.embedding.fastembed import minilm
from citeloom.infrastructure.embedding.fastembed.batches import Deadline
from citeloom.infrastructure.embedding.fastembed.encoder import MeanEncoder
from citeloom.infrastructure.embedding.fastembed.loading import loading
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "late-interaction"


class LateInteraction(Reranker):
    """Scores a text by the cosines of the question's tokens with the most similar of its tokens.

    The vectors are those of the default dense model before it takes their mean.
    """

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
        self._loaded: MeanEncoder | None = None
        self._loading = threading.Lock()

    @property
    def model_id(self) -> str:
        return NAME

    @property
    def destination(self) -> None:
        return None

    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        deadline = Deadline(NAME, seconds)
        encoder = self._model(deadline)
        asked = encoder.token_states(question)

        def scored(text: str) -> float:
            deadline.check()
            return similarity(asked, encoder.token_states(text))

        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(scored, texts))

    def _model(self, deadline: Deadline) -> MeanEncoder:
        with deadline.waiting_for(self._loading):
            if self._loaded is None:
                folder = self._models.folder(self._dense_model, ModelKind.DENSE)
                with loading(self._dense_model, folder):
                    self._loaded = MeanEncoder(folder)
            return self._loaded


def similarity(question: NDArray[np.float32], text: NDArray[np.float32]) -> float:
    """The mean over the rows of `question` of the largest product with a row of `text`; 0 where
    either has none.
    """
    if not len(question) or not len(text):
        return 0.0
    return float((question @ text.T).max(axis=1).mean())
