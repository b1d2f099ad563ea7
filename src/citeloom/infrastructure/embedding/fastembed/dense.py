"""Dense vectors from any of FastEmbed's text models, and token counts by their tokenizers."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.models import ModelKind
from citeloom.application.ports.embedders import DenseEmbedder, TokenCounter
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.retrieval.passage import DenseVector
from citeloom.domain.text.tokens import without_spelled_words
from citeloom.infrastructure.embedding.fastembed import minilm
from citeloom.infrastructure.embedding.fastembed.hub import describe
from citeloom.infrastructure.embedding.fastembed.minilm import WINDOW
from citeloom.infrastructure.embedding.fastembed.model_cache import LoadedOnce, ModelCache, loading

if TYPE_CHECKING:
    import numpy as np
    from fastembed import TextEmbedding
    from fastembed.common.types import NumpyArray
    from numpy.typing import NDArray
    from tokenizers import Tokenizer


# What this processor multiplies small integers with.

_CPUINFO = Path("/proc/cpuinfo")
_BEST_FIRST = ("avx512_vnni", "avx_vnni", "avx512bw", "avx2", "asimddp")


def integer_arithmetic(cpuinfo: Path = _CPUINFO) -> str:
    """The machine and the best of the processor's instructions, such as `x86_64 avx2`; the machine
    alone where the system does not say.
    """
    machine = platform.machine()
    try:
        flags = set(cpuinfo.read_text(encoding="utf-8", errors="replace").split())
    except OSError:
        return machine
    return " ".join([machine, *[name for name in _BEST_FIRST if name in flags][:1]])


# The default model without FastEmbed, whose import would add a third to a cold question.


class MeanEncoder:
    """The mean of the states of a text's tokens, as FastEmbed computes it from the same folder.

    Texts that are given together are one batch. Any number of threads may use it; none is started.
    """

    def __init__(self, folder: Path) -> None:
        import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy
        from tokenizers import Tokenizer  # noqa: PLC0415 - heavy

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokens.enable_truncation(WINDOW)
        self._tokens.enable_padding(pad_id=0, pad_token="[PAD]")  # noqa: S106 - no password

    def passage_embed(self, texts: Sequence[str], **_: object) -> Iterator[NDArray[np.float64]]:
        """The vector of each text, of no particular length."""
        import numpy as np  # noqa: PLC0415 - heavy

        mask, states = self._encoded(texts)
        total = states.sum(axis=1, where=mask[:, :, None].astype(bool), dtype=np.float64)
        yield from total / mask.sum(axis=1, keepdims=True)

    def query_embed(self, query: str) -> Iterator[NDArray[np.float64]]:
        """The vector of a question."""
        return self.passage_embed([query])

    def token_states(self, text: str) -> NDArray[np.float32]:
        """The states of a text's tokens at unit length, without the special ones."""
        import numpy as np  # noqa: PLC0415 - heavy

        _, states = self._encoded([text])
        inner = states[0, 1:-1]
        units: NDArray[np.float32] = inner / np.linalg.norm(inner, axis=1, keepdims=True)
        return units

    def _encoded(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Which tokens are no padding, and the states of all."""
        import numpy as np  # noqa: PLC0415 - heavy

        encoded = self._tokens.encode_batch(list(texts))
        ids = np.array([each.ids for each in encoded], dtype=np.int64)
        mask = np.array([each.attention_mask for each in encoded], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return mask, self._session.run(None, inputs)[0]


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
        self.model_id = model_id
        self._models = ModelCache(cache_dir, locate)
        self._threads = threads
        self._model = LoadedOnce(self._load)

    @property
    def dimension(self) -> int:
        if minilm.is_minilm(self.model_id):
            return minilm.DIMENSION
        from fastembed import TextEmbedding  # noqa: PLC0415 - half a second

        return TextEmbedding.get_embedding_size(describe(self.model_id, ModelKind.DENSE).model)

    @property
    def is_loaded(self) -> bool:
        return self._model.is_loaded

    @property
    def arithmetic(self) -> str | None:
        return integer_arithmetic() if minilm.is_int8(self.model_id) else None

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
        (vector,) = self._model().query_embed(text)
        return self._unit(vector)

    def _batches(self, texts: Sequence[str]) -> list[list[int]]:
        """The places of the texts, longest first, in batches that are embedded together."""
        most = 0 if minilm.is_int8(self.model_id) else _TOGETHER
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
        vectors = self._model().passage_embed(together, batch_size=len(together))
        return [self._unit(vector) for vector in vectors]

    def _load(self) -> TextEmbedding | MeanEncoder:
        folder = self._models.folder(self.model_id, ModelKind.DENSE)
        with loading(self.model_id, folder):
            if self._models.is_built(folder):
                return MeanEncoder(folder)
            from fastembed import TextEmbedding  # noqa: PLC0415 - half a second

            # One thread a run: those of this class run side by side and wait for nothing.
            return TextEmbedding(
                self.model_id,
                cache_dir=str(folder),
                threads=1,
                specific_model_path=str(folder),
            )

    def _unit(self, vector: NumpyArray) -> DenseVector:
        length = float((vector.astype("float64") ** 2).sum() ** 0.5)
        if not 0.0 < length < float("inf"):
            raise ModelUnavailable(
                f"{self.model_id} returned a zero or invalid vector",
                "Its files may be damaged: delete them from the cache, or choose another model.",
            )
        unit: list[float] = (vector / length).astype("float32").tolist()
        return unit


_COUNTED_TOGETHER = 256


class ModelTokenizer(TokenCounter):
    """Counts tokens with the `tokenizer.json` of a dense model; those of words that the default
    model cannot read by their letters.
    """

    def __init__(
        self,
        model_id: str = minilm.MODEL_ID,
        *,
        cache_dir: Path | None = None,
        locate: minilm.WeightsLocator = minilm.packaged_weights,
    ) -> None:
        self._model_id = model_id
        self._models = ModelCache(cache_dir, locate)
        self._tokenizer = LoadedOnce(self._load)

    @property
    def window(self) -> int:
        if minilm.is_minilm(self._model_id):
            return minilm.WINDOW
        config = self._folder() / "tokenizer_config.json"
        stated = json.loads(config.read_text(encoding="utf-8")) if config.is_file() else {}
        limits = [stated.get(key) for key in ("model_max_length", "max_length")]
        usable = [limit for limit in limits if isinstance(limit, int) and 0 < limit <= sys.maxsize]
        if not usable:
            raise ModelUnavailable(
                f"{self._model_id} does not declare its maximum number of tokens",
                "Choose another model.",
            )
        return min(usable)  # as FastEmbed truncates

    @property
    def special_tokens(self) -> int:
        return int(self._tokenizer().num_special_tokens_to_add(False))

    def count(self, text: str) -> int:
        return self.count_all([text])[0]

    def count_all(self, texts: Sequence[str]) -> list[int]:
        tokenizer, reads_all = self._tokenizer(), not minilm.is_minilm(self._model_id)
        counts: list[int] = []
        for start in range(0, len(texts), _COUNTED_TOGETHER):
            batch = texts[start : start + _COUNTED_TOGETHER]
            parts = [(text, 0) if reads_all else without_spelled_words(text) for text in batch]
            read = tokenizer.encode_batch([text for text, _ in parts], add_special_tokens=False)
            counts += (len(tokens.ids) + spelled for tokens, (_, spelled) in zip(read, parts))
        return counts

    def _folder(self) -> Path:
        return self._models.folder(self._model_id, ModelKind.DENSE)

    def _load(self) -> Tokenizer:
        from tokenizers import Tokenizer  # noqa: PLC0415 - only commands that embed load it

        path = self._folder() / "tokenizer.json"
        if not path.is_file():
            raise ModelUnavailable(
                f"{self._model_id} has no tokenizer.json",
                "Its tokens cannot be counted: choose another model.",
            )
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer
