"""A `Clock` that moves when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from citeloom.application.ports.runtime import Clock

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


class SetClock(Clock):
    """Stands at `start` until `pass_seconds`; each look at it may take `tick` seconds itself."""

    def __init__(self, start: datetime = NOON, *, tick: float = 0.0) -> None:
        self._start = start
        self._elapsed = 0.0
        self._tick = tick

    def pass_seconds(self, seconds: float) -> None:
        """Let time go by."""
        self._elapsed += seconds

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._look())

    def monotonic(self) -> float:
        return self._look()

    def _look(self) -> float:
        self._elapsed += self._tick
        return self._elapsed
