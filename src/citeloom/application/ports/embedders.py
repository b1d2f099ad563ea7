"""Embedders, which turn text into vectors, and the token counter of a model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from citeloom.domain.passage import DenseVector, SparseVector


class DenseEmbedder(Protocol):
    """Turns text into unit-length vectors of `dimension` floats.

    Guarantees: one vector for each text, in order, whatever the batch; never a zero vector. Raises
    `ModelUnavailable` if the model cannot be loaded.
    """

    @property
    @abstractmethod
    def model_id(self) -> str:
        """The model's public name."""
        ...

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The length of each vector."""
        ...

    @property
    def is_loaded(self) -> bool:
        """Whether a text is embedded without loading the model first."""
        return True

    @property
    def arithmetic(self) -> str | None:
        """The processor's arithmetic, where the vectors of a text by others are less alike than a
        cosine of .999.
        """
        return None

    @abstractmethod
    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        """Vectors of passages."""
        ...

    @abstractmethod
    def embed_query(self, text: str) -> DenseVector:
        """The vector of a question."""
        ...


class SparseEmbedder(Protocol):
    """Turns text into sparse vectors of term weights.

    Guarantees as for `DenseEmbedder`, but a text without terms has an empty vector. A text in one
    of its `languages` has the terms of that language; in any other, or None, those by default.
    """

    @property
    @abstractmethod
    def model_id(self) -> str:
        """The model's public name."""
        ...

    @property
    def is_loaded(self) -> bool:
        """Whether a text is embedded without loading the model first."""
        return True

    @property
    def languages(self) -> frozenset[str]:
        """The codes of the languages that it makes other terms for."""
        return frozenset()

    @abstractmethod
    def embed_passages(
        self, texts: Sequence[str], language: str | None = None
    ) -> list[SparseVector]:
        """Vectors of passages in a language."""
        ...

    @abstractmethod
    def embed_query(self, text: str, language: str | None = None) -> SparseVector:
        """The vector of a question put to passages in a language."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as the bound dense model does. Raises `ModelUnavailable` like the embedder."""

    @property
    def exact(self) -> bool:
        """Whether the counts are those of the model's own tokenizer; else they are estimates."""
        return True

    @property
    @abstractmethod
    def window(self) -> int:
        """The model's maximum sequence length in tokens, special tokens included."""
        ...

    @property
    @abstractmethod
    def special_tokens(self) -> int:
        """How many tokens the model adds to every text."""
        ...

    @abstractmethod
    def count(self, text: str) -> int:
        """The number of tokens in `text`, without special tokens or truncation."""
        ...

    @abstractmethod
    def count_all(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text, faster."""
        ...
