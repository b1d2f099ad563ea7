"""What the C library keeps of memory that is free, given back to the system."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event

_ARENA_MAX = -8  # M_ARENA_MAX of glibc
_MOST_ARENAS = 2


def limit_arenas() -> None:
    """Let the threads of this process share two arenas, where the C library is glibc: each thread
    that answers a call would else keep what the largest answer took.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_ARENA_MAX, _MOST_ARENAS)


def trim() -> None:
    """Give free memory back to the system, where the C library is glibc."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def trim_at_rest(ending: Event, answered: Callable[[], object], seconds: float = 10.0) -> None:
    """Until the end, trim once after every so many seconds in which `answered` has changed."""
    seen = answered()
    while not ending.wait(seconds):
        if (now := answered()) != seen:
            seen = now
            trim()
