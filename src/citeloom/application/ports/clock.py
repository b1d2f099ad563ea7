"""The port to the time."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime
from typing import Protocol


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
