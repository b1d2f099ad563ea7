"""The bound on open shards: unused ones are closed, and opened again by their next call. A fair
lock for their threads.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from threading import Lock, Thread
from typing import Protocol
from weakref import WeakSet

from citeloom.domain.errors import CiteloomError


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

    def __exit__(self, *_: object) -> None:
        self.release()


_LONGEST_PAUSE = 60.0
_LOG = logging.getLogger(__name__)


class ClosableShard(Protocol):
    """A shard that opens at its next call when it was closed.

    `last_used` is the moment of its last call, by the clock of `OpenShards`.
    """

    last_used: float

    @property
    def is_open(self) -> bool:
        """Whether it occupies memory and threads."""

    def release(self, *, unflushed: bool) -> bool:
        """Close it, unless a call is running or a copy is being optimised, or there are writes
        without a flush and `unflushed` is not set; whether it was closed. Never waits.
        """


class OpenShards:
    """Keeps at most `most` shards of a process open, and none that was idle for `idle_seconds`.

    0 is no limit. The shards that were used last stay open. What is in use is closed later, so
    there may be more than `most` for a while.
    """

    def __init__(
        self,
        *,
        most: int,
        idle_seconds: float,
        now: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._most = most
        self._idle_seconds = idle_seconds
        self.now = now
        self._pause = pause
        self._shards: WeakSet[ClosableShard] = WeakSet()
        self._guard = Lock()
        self._closing = Lock()
        self._thread: Thread | None = None

    def opened(self, shard: ClosableShard) -> None:
        """Count a shard that has just been opened, and close those that are too many."""
        with self._guard:
            self._shards.add(shard)
            if self._thread is None and (self._most or self._idle_seconds):
                self._thread = Thread(target=self._watch, name="open shards", daemon=True)
                self._thread.start()
        self.close_unused(new=shard)

    def close_unused(self, new: ClosableShard | None = None) -> None:
        """Close the shards that are idle, and of too many those that were used longest ago."""
        if not self._closing.acquire(blocking=False):
            return  # another thread is doing it
        try:
            with self._guard:
                shards = [shard for shard in self._shards if shard.is_open]
            shards.sort(key=lambda shard: shard.last_used)
            excess = len(shards) - self._most if self._most else 0
            for shard in shards:
                is_idle = 0 < self._idle_seconds <= self.now() - shard.last_used
                if shard is new or not (is_idle or excess > 0):
                    continue
                try:
                    excess -= shard.release(unflushed=is_idle)
                except CiteloomError as error:  # a question must not fail for another's shard
                    _LOG.warning("an unused index cannot be closed: %s", error)
        finally:
            self._closing.release()

    def _watch(self) -> None:
        """Close what is unused from time to time, while anything is open."""
        while True:
            self._pause(min(self._idle_seconds / 2 or _LONGEST_PAUSE, _LONGEST_PAUSE))
            self.close_unused()
            with self._guard:
                if not any(shard.is_open for shard in self._shards):
                    self._thread = None
                    return
