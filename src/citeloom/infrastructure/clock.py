"""The system clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from citeloom.application.ports.runtime import Clock


class SystemClock(Clock):
    """Time by the system clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()
