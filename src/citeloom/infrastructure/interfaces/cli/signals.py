"""An orderly end on a signal."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType


@contextmanager
def stop_on_signal() -> Iterator[Event]:
    """An event that is set on SIGINT or SIGTERM, so that what is running can end in order; another
    SIGINT interrupts at once.
    """
    stop = Event()

    def ask_to_stop(number: int, _frame: FrameType | None) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    kinds = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(kind, ask_to_stop) for kind in kinds]
    try:
        yield stop
    finally:
        for kind, handler in zip(kinds, before):
            signal.signal(kind, handler)
