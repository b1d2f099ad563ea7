"""Embedders, token counters and rerankers, local or at a service."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citeloom.domain.retrieval.passage import DenseVector, SparseVector


class DenseEmbedder(Protocol):
    """Turns text into unit-length vectors of `dimension` floats.

    Guarantees: one vector for each text, in order, whatever the batch; never a zero vector. Raises
    `ModelUnavailable` if the model cannot be loaded.
    """

    model_id: str
    """The model's public name."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The length of each vector."""

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

    @abstractmethod
    def embed_query(self, text: str) -> DenseVector:
        """The vector of a question."""


class SparseEmbedder(Protocol):
    """Turns text into sparse vectors of term weights.

    Guarantees as for `DenseEmbedder`, but a text without terms has an empty vector. A text in one
    of its `languages` has the terms of that language; in any other, or None, those by default.
    """

    model_id: str
    """The model's public name."""

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

    @abstractmethod
    def embed_query(self, text: str, language: str | None = None) -> SparseVector:
        """The vector of a question put to passages in a language."""

    def embed_signs(self, _: str, /) -> SparseVector:
        """The terms of symbols and words with signs, such as C++, that it has for these alone;
        most models have none.
        """
        return SparseVector.of({})


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

    @property
    @abstractmethod
    def special_tokens(self) -> int:
        """How many tokens the model adds to every text."""

    @abstractmethod
    def count(self, text: str) -> int:
        """The number of tokens in `text`, without special tokens or truncation. Words of a script
        that the model does not read count as those of an English text that says as much.
        """

    @abstractmethod
    def count_all(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text, faster."""


_ANY_QUESTION = "What is warm?"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionModels:
    """The models that embed a project's questions, by name, each built when it is called.

    With `dense_is_remote` every process asks the service itself, with its own key.
    """

    dense_name: str
    dense: Callable[[], DenseEmbedder]
    sparse_name: str | None
    sparse: Callable[[], SparseEmbedder | None]
    dense_is_remote: bool = False

    def load(self) -> None:
        """Load those that run here."""
        if not self.dense_is_remote:
            self.dense().embed_query(_ANY_QUESTION)
        if self.sparse_name and (sparse := self.sparse()) is not None:
            sparse.embed_query(_ANY_QUESTION)


# Embedders that are a service: what they cost can be told and estimated.


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingUsage:
    """The usage of a remote model: answered calls, tokens (the service's count, else an estimate),
    seconds spent in calls, and `reused` vectors from the cache.
    """

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    reused: int = 0

    def __add__(self, other: EmbeddingUsage) -> EmbeddingUsage:
        """The sum of both."""
        return EmbeddingUsage(
            calls=self.calls + other.calls,
            tokens=self.tokens + other.tokens,
            seconds=self.seconds + other.seconds,
            reused=self.reused + other.reused,
        )

    def since(self, earlier: EmbeddingUsage) -> EmbeddingUsage:
        """What came after `earlier`."""
        return EmbeddingUsage(
            calls=self.calls - earlier.calls,
            tokens=self.tokens - earlier.tokens,
            seconds=self.seconds - earlier.seconds,
            reused=self.reused - earlier.reused,
        )


class RemoteEmbedder(DenseEmbedder, Protocol):
    """A dense embedder whose texts are sent to a service.

    Guarantees further: the vector of a passage that was received once is not asked for again; an
    empty text is never sent. Raises `ModelUnavailable` when the service cannot be used,
    `EmbeddingMismatch` when its vectors have another length than is configured, and `TextRefused`
    for a passage that it does not take.
    """

    @property
    @abstractmethod
    def usage(self) -> EmbeddingUsage:
        """What all calls of this embedder took so far."""

    @abstractmethod
    def estimate(self, texts: Sequence[str]) -> EmbeddingUsage:
        """What `embed_passages` of these texts would take; sends nothing."""


def usage_of(remote: RemoteEmbedder | None) -> EmbeddingUsage:
    """The usage of a remote embedder so far; zero without one."""
    return remote.usage if remote is not None else EmbeddingUsage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedders:
    """What turns a project's text into vectors and counts its tokens; each loads at first use.

    `remote` is the dense embedder where that is a service.
    """

    counter: TokenCounter
    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    remote: RemoteEmbedder | None = None


class Reranker(Protocol):
    """Judges how well each of some passages answers a question.

    Guarantees: one finite score for each text, in order, the higher the better; a text's score
    depends on the question and the text alone. Nothing is downloaded. Raises `ModelUnavailable` if
    the model cannot be used, or is not done in time.
    """

    model_id: str
    """The model's public name."""

    destination: str | None
    """Where questions and passages are sent; None if they stay in this process."""

    @abstractmethod
    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        """The scores of the texts, in about `seconds` at most."""
