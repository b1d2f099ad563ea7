"""A lock that is had in the order it was asked for."""

from __future__ import annotations

from collections import deque
from threading import Lock
from types import TracebackType


class Turn:
    """Lets one thread in at a time, first come first served.

    A plain lock is often taken again by the thread that just let go of it: a writer that stores
    batch after batch would keep readers out until it is done.
    """

    def __init__(self) -> None:
        self._guard = Lock()
        self._queue: deque[Lock] = deque()
        self._taken = False

    def __enter__(self) -> None:
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            mine = Lock()
            mine.acquire()
            self._queue.append(mine)
        mine.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._guard:
            if self._queue:
                self._queue.popleft().release()
            else:
                self._taken = False
