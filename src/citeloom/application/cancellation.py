"""Ending work that another thread does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from citeloom.domain.errors import DeadlineExceeded


class Cancellation:
    """Ends what it was handed to, from any thread; what begins later is ended at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ends: list[Callable[[], None]] = []
        self._requested = False

    @property
    def requested(self) -> bool:
        """Whether the work is to end."""
        return self._requested

    def check(self) -> None:
        """Raise `DeadlineExceeded` if the work is to end."""
        if self._requested:
            raise DeadlineExceeded("nobody waits for the answer any more", "Try again.")

    def request(self) -> None:
        """End the work; a second time does nothing."""
        with self._lock:
            self._requested, ends = True, self._ends
            self._ends = []
        for end in ends:
            end()

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """While this lasts, a request calls `end`, once and from its own thread."""
        with self._lock:
            if is_late := self._requested:
                end()
            else:
                self._ends.append(end)
        try:
            yield
        finally:
            with self._lock:
                if not is_late and end in self._ends:
                    self._ends.remove(end)
