"""Embedders that are a service: what they cost can be told and estimated."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from citeloom.application.ports.embedders import DenseEmbedder


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingUsage:
    """What embedding took: calls that were answered, tokens (as the service counts them, or an
    estimate where it does not tell), seconds spent in calls, and `reused` vectors that were
    paid for earlier.
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
        ...

    @abstractmethod
    def estimate(self, texts: Sequence[str]) -> EmbeddingUsage:
        """What `embed_passages` of these texts would take; sends nothing."""
        ...


def usage_of(remote: RemoteEmbedder | None) -> EmbeddingUsage:
    """What a remote embedder took so far; nothing where there is none."""
    return remote.usage if remote is not None else EmbeddingUsage()
