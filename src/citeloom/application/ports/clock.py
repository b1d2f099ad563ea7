"""The clock, as a port."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The current time; tests can set it."""

    @abstractmethod
    def now(self) -> datetime:
        """The current time in UTC."""
        ...

    @abstractmethod
    def monotonic(self) -> float:
        """Seconds that never run backwards, for measuring durations."""
        ...
