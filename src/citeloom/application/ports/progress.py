"""The port through which a run tells how far it is."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol


class Progress(Protocol):
    """Told of a run as it goes on. Never raises, never slows the run."""

    @abstractmethod
    def start(self, total: int) -> None:
        """The run has `total` documents to do."""
        ...

    @abstractmethod
    def stage(self, document: str, stage: str) -> None:
        """A document has reached a stage: `convert`, `chunk`, `embed`, or `store` once all is
        ready to be stored.
        """
        ...

    @abstractmethod
    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None:
        """So many more pages of a document are converted, or chunks of it embedded."""
        ...

    @abstractmethod
    def advance(self, document: str, outcome: str) -> None:
        """A document is done: `indexed`, `failed` or `unchanged`, with a detail behind a colon."""
        ...

    @abstractmethod
    def finish(self) -> None:
        """The run is over. May be called twice."""
        ...


class NoProgress(Progress):
    """Says nothing."""

    def start(self, total: int) -> None: ...

    def stage(self, document: str, stage: str) -> None: ...

    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None: ...

    def advance(self, document: str, outcome: str) -> None: ...

    def finish(self) -> None: ...
