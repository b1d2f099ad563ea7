"""The machine's own clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from citeloom.application.ports.runtime import Clock


class SystemClock(Clock):
    """Tells the time as the machine has it."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()
