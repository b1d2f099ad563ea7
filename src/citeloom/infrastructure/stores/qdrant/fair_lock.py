"""A fair lock: threads get it in the order in which they asked."""

from __future__ import annotations

from collections import deque
from threading import Lock
from types import TracebackType


class FairLock:
    """A mutex that is first come, first served.

    A plain lock often goes back to the thread that just released it: a writer that stores batch
    after batch would starve readers.
    """

    def __init__(self) -> None:
        self._guard = Lock()
        self._waiters: deque[Lock] = deque()
        self._locked = False

    def __enter__(self) -> None:
        with self._guard:
            if not self._locked:
                self._locked = True
                return
            waiter = Lock()
            waiter.acquire()
            self._waiters.append(waiter)
        waiter.acquire()

    def acquire_at_once(self) -> bool:
        """Acquire the lock if nobody has it; whether it was acquired. `release` gives it back."""
        with self._guard:
            if self._locked:
                return False
            self._locked = True
            return True

    def release(self) -> None:
        """Pass the lock to the thread that waits longest, if any."""
        with self._guard:
            if self._waiters:
                self._waiters.popleft().release()
            else:
                self._locked = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
