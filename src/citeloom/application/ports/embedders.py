"""The ports through which text becomes vectors, and through which its length is counted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from citeloom.domain.passage import DenseVector, SparseVector


class DenseEmbedder(Protocol):
    """Turns text into unit-length vectors of `dimension` floats.

    Guarantees: one vector a text, in the order of the texts, the same for a text in whichever
    batch it comes; never a zero vector. Raises `ModelUnavailable` when the model cannot be had.
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

    @abstractmethod
    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        """Vectors of texts to be found."""
        ...

    @abstractmethod
    def embed_query(self, text: str) -> DenseVector:
        """The vector of a question."""
        ...


class SparseEmbedder(Protocol):
    """Turns text into sparse vectors of term weights.

    Guarantees as `DenseEmbedder`, save that a text without any term has an empty vector.
    """

    @property
    @abstractmethod
    def model_id(self) -> str:
        """The model's public name."""
        ...

    @abstractmethod
    def embed_passages(self, texts: Sequence[str]) -> list[SparseVector]:
        """Vectors of texts to be found."""
        ...

    @abstractmethod
    def embed_query(self, text: str) -> SparseVector:
        """The vector of a question."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as the bound dense model does. Raises `ModelUnavailable` like the embedder."""

    @property
    @abstractmethod
    def window(self) -> int:
        """How many tokens the model reads of a text, special tokens included."""
        ...

    @property
    @abstractmethod
    def special_tokens(self) -> int:
        """How many tokens the model adds to every text."""
        ...

    @abstractmethod
    def count(self, text: str) -> int:
        """The number of tokens in `text`, special tokens not included, nothing truncated."""
        ...

    @abstractmethod
    def count_all(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text, faster."""
        ...
