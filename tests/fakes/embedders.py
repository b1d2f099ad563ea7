"""Embedders and a token counter that need no model: words hashed, nothing learnt."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder, TokenCounter
from citeloom.domain.retrieval.passage import DenseVector, SparseVector

_WORD = re.compile(r"\w+|[^\w\s]")
_PIECE = 6
_GERMAN_STOP_WORDS = frozenset("der die das und ist nicht ein eine mit den von zu für was".split())


class HashingDense(DenseEmbedder):
    """Adds up a fixed direction for each word, so texts that share words lie near each other."""

    def __init__(self, model_id: str = "fake/hashing-dense", dimension: int = 32) -> None:
        self.model_id = model_id
        self._dimension = dimension

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> DenseVector:
        total = [1e-3] * self._dimension
        for word in _words(text):
            seed = _hash(word)
            for place in range(self._dimension):
                total[place] += 1.0 if (seed >> place % 64) & 1 else -1.0
        length = math.sqrt(sum(value * value for value in total))
        return [value / length for value in total]


class TermHashSparse(SparseEmbedder):
    """Weighs each word by how often it comes, one index a word; words of German lose their last
    letter.
    """

    def __init__(self, model_id: str = "fake/term-hash-sparse") -> None:
        self.model_id = model_id

    @property
    def languages(self) -> frozenset[str]:
        return frozenset({"de"})

    def embed_passages(
        self, texts: Sequence[str], language: str | None = None
    ) -> list[SparseVector]:
        return [_sparse(Counter(_terms(text, language))) for text in texts]

    def embed_query(self, text: str, language: str | None = None) -> SparseVector:
        return _sparse(dict.fromkeys(_terms(text, language), 1))


class PieceCounter(TokenCounter):
    """Counts words and marks, a long word as several pieces of six letters, as WordPiece might."""

    def __init__(self, window: int = 256, special_tokens: int = 2, *, exact: bool = True) -> None:
        self._window = window
        self._special_tokens = special_tokens
        self._exact = exact

    @property
    def exact(self) -> bool:
        return self._exact

    @property
    def window(self) -> int:
        return self._window

    @property
    def special_tokens(self) -> int:
        return self._special_tokens

    def count(self, text: str) -> int:
        return sum(math.ceil(len(word) / _PIECE) for word in _WORD.findall(text))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


def _words(text: str) -> Iterator[str]:
    return (word.lower() for word in _WORD.findall(text))


def _terms(text: str, language: str | None) -> Iterator[int]:
    words = (word for word in _words(text) if word[0].isalnum())
    if language == "de":
        words = (word[:-1] for word in words if word not in _GERMAN_STOP_WORDS)
    return (_hash(word) & 0x7FFFFFFF for word in words)


def _hash(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")


def _sparse(weights: dict[int, int]) -> SparseVector:
    indices = tuple(sorted(weights))
    return SparseVector(indices=indices, values=tuple(float(weights[index]) for index in indices))
