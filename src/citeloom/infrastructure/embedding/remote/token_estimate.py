"""Token counts of a model whose tokenizer is not at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from citeloom.application.ports.embedders import TokenCounter

_PIECE = re.compile(r"[A-Za-z]+|[^\W\d_]|\S")
_LETTERS_A_TOKEN = 4
_ALPHABETS_END = "\u2e80"
"""From here on, most characters are ideographs or emoji."""


class EstimatedTokens(TokenCounter):
    """An estimate: a token for every four letters of a plain word, and for every other letter,
    digit and mark; two for an ideograph.

    For text in the Latin alphabet it is above what the usual tokenizers count.
    """

    def __init__(self, window: int, special_tokens: int = 2) -> None:
        self._window = window
        self._special_tokens = special_tokens

    @property
    def window(self) -> int:
        return self._window

    @property
    def special_tokens(self) -> int:
        return self._special_tokens

    @property
    def exact(self) -> bool:
        return False

    def count(self, text: str) -> int:
        return sum(_tokens(text))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


def _tokens(text: str) -> Iterator[int]:
    for piece in _PIECE.findall(text):
        if piece.isascii():
            yield -(-len(piece) // _LETTERS_A_TOKEN)
        else:
            yield 2 if piece >= _ALPHABETS_END else 1
