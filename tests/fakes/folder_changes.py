"""Changes of folders in memory."""

from __future__ import annotations

from collections.abc import Callable

from citeloom.application.ports.sources import FolderChanges
from tests.fakes.clock import SetClock


class SetFolderChanges(FolderChanges):
    """Changes when it is told to; waiting passes the time of a clock, and may do something."""

    def __init__(self, clock: SetClock) -> None:
        self._clock = clock
        self._changed = False
        self.intact = True
        self.closed = False
        self.meanwhile: Callable[[], None] = lambda: None

    def change(self) -> None:
        """Something below the folders changes."""
        self._changed = True

    def wait(self, seconds: float) -> bool:
        self.meanwhile()
        if not self._changed:
            self._clock.pass_seconds(seconds)
        noticed, self._changed = self._changed, False
        return noticed

    def are_intact(self) -> bool:
        return self.intact

    def close(self) -> None:
        self.closed = True
