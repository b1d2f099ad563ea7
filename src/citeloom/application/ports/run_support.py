"""The small ports a run leans on: the audit log, progress and the clock."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import datetime
from typing import Protocol


class AuditLog(Protocol):
    """An append-only record of what was done to a project."""

    @abstractmethod
    def append(self, project_id: str, record: Mapping[str, object]) -> None:
        """Add one JSON-ready record; it survives a killed process once this returns."""
        ...


class Progress(Protocol):
    """Told of a run as it goes on. Never raises, never slows the run."""

    @abstractmethod
    def start(self, total: int) -> None:
        """The run has `total` documents to do."""
        ...

    @abstractmethod
    def stage(self, document: str, stage: str) -> None:
        """A document has reached a stage: `convert`, `embed`, `store`."""
        ...

    @abstractmethod
    def advance(self, document: str, outcome: str) -> None:
        """A document is done: `indexed`, `failed` or `unchanged`, with a detail behind a colon."""
        ...

    @abstractmethod
    def finish(self) -> None:
        """The run is over. May be called twice."""
        ...


class Clock(Protocol):
    """The time, so that tests can choose it."""

    @abstractmethod
    def now(self) -> datetime:
        """The present moment, in UTC."""
        ...

    @abstractmethod
    def monotonic(self) -> float:
        """Seconds that never run backwards, for measuring durations."""
        ...
