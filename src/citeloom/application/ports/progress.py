"""Progress of a run, as a port."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol


class Progress(Protocol):
    """Receives the progress of a run. Never raises, never slows the run."""

    @abstractmethod
    def start(self, total: int) -> None:
        """The run starts, with `total` documents."""
        ...

    @abstractmethod
    def stage(self, document: str, stage: str) -> None:
        """A document has reached a stage: `convert`, `chunk`, `embed` or, once ready, `store`."""
        ...

    @abstractmethod
    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None:
        """Further pages of a document were converted, or further chunks embedded."""
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
    """Ignores all progress."""

    def start(self, total: int) -> None: ...

    def stage(self, document: str, stage: str) -> None: ...

    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None: ...

    def advance(self, document: str, outcome: str) -> None: ...

    def finish(self) -> None: ...
