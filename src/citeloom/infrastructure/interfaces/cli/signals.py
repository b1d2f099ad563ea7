"""An orderly end on a signal."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


@contextmanager
def stop_on_signal() -> Iterator[Event]:
    """An event that is set on SIGINT or SIGTERM, so that what is running can end in order."""
    stop = Event()
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(kind, lambda *_: stop.set()) for kind in kinds]
    try:
        yield stop
    finally:
        for kind, handler in zip(kinds, before):
            signal.signal(kind, handler)
