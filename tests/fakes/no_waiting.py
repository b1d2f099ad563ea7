"""Retries of which a test sees no wait."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from citeloom.infrastructure.remote.retries import Timing


@dataclass
class NoWaiting:
    """A clock on which every wait is over at once, so that nothing is asked again and again
    whether it is.
    """

    at: float = 0.0

    def timing(self) -> Timing:
        return Timing(now=lambda: self.at, sleep=self._sleep)

    def _sleep(self, _stop: threading.Event, seconds: float) -> None:
        self.at += seconds
