"""What differs between families of embedding services: the request, and the shape of the answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Role(StrEnum):
    """What a text is embedded as."""

    PASSAGE = "passage"
    QUERY = "query"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Vectors as the service gave them, in the order of the texts; its count of tokens, if told."""

    vectors: Sequence[Sequence[float]]
    tokens: int | None


class Dialect(Protocol):
    """How one family of services is spoken to."""

    @property
    @abstractmethod
    def path(self) -> str:
        """Where requests go, below the service's address."""
        ...

    @abstractmethod
    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        """The request for the vectors of `texts`."""
        ...

    @abstractmethod
    def read(self, body: bytes, count: int) -> Answer:
        """The answer to a request of `count` texts. Raises `InvalidAnswer` unless it has one vector
        for each.
        """
        ...
