"""The default model without FastEmbed, whose import alone takes longer than a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.embedding.fastembed.minilm import WINDOW

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return mask, self._session.run(None, given)[0]
