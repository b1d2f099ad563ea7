"""Token counts by the tokenizer of a FastEmbed model."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.models import ModelKind
from citeloom.application.ports.embedders import TokenCounter
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.embedding.fastembed import minilm
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BATCH = 256


class ModelTokenizer(TokenCounter):
    """Counts tokens with the `tokenizer.json` of a dense model."""

    def __init__(
        self,
        model_id: str = minilm.MODEL_ID,
        *,
        cache_dir: Path | None = None,
        locate: minilm.WeightsLocator = minilm.packaged_weights,
    ) -> None:
        self._model_id = model_id
        self._models = ModelCache(cache_dir, locate)
        self._loaded: Tokenizer | None = None
        self._loading = threading.Lock()

    @property
    def window(self) -> int:
        if minilm.is_minilm(self._model_id):
            return minilm.WINDOW
        return _window(self._folder() / "tokenizer_config.json", self._model_id)

    @property
    def special_tokens(self) -> int:
        return int(self._tokenizer().num_special_tokens_to_add(False))

    def count(self, text: str) -> int:
        return len(self._tokenizer().encode(text, add_special_tokens=False).ids)

    def count_all(self, texts: Sequence[str]) -> list[int]:
        tokenizer = self._tokenizer()
        return [
            len(encoding.ids)
            for start in range(0, len(texts), _BATCH)
            for encoding in tokenizer.encode_batch(
                list(texts[start : start + _BATCH]), add_special_tokens=False
            )
        ]

    def _folder(self) -> Path:
        return self._models.folder(self._model_id, ModelKind.DENSE)

    def _tokenizer(self) -> Tokenizer:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self._folder() / "tokenizer.json", self._model_id)
            return self._loaded


def _load(path: Path, model_id: str) -> Tokenizer:
    from tokenizers import Tokenizer  # noqa: PLC0415 - only commands that embed load it

    if not path.is_file():
        raise ModelUnavailable(
            f"{model_id} has no tokenizer.json",
            "Its tokens cannot be counted: choose another model.",
        )
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _window(config: Path, model_id: str) -> int:
    """The smaller of the two limits in the configuration, as FastEmbed truncates."""
    stated = json.loads(config.read_text(encoding="utf-8")) if config.is_file() else {}
    limits = [stated.get(key) for key in ("model_max_length", "max_length")]
    usable = [limit for limit in limits if isinstance(limit, int) and 0 < limit <= sys.maxsize]
    if not usable:
        raise ModelUnavailable(
            f"{model_id} does not declare its maximum number of tokens", "Choose another model."
        )
    return min(usable)
