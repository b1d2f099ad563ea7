"""Signals: an orderly end, and an interruption that is known as one whatever it broke."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Timer
from types import FrameType

from citeloom.application.ports.runtime import Cancellation
from citeloom.infrastructure.interfaces.cli.console import note

_IMPORTS = "<frozen importlib._bootstrap>"
_IMPORT_SECONDS = 0.05
INTERRUPTED = Event()
"""Set once Ctrl-C has raised `KeyboardInterrupt`, which libraries may make another error of."""


def note_interruptions() -> None:
    """Let Ctrl-C set `INTERRUPTED` besides raising `KeyboardInterrupt`, and wait for an import to
    end: within one, extension modules print it as a traceback of their own.
    """
    with suppress(ValueError):  # not in the main thread
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupt)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    INTERRUPTED.set()
    if _is_importing(frame):
        again = Timer(_IMPORT_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
        again.daemon = True
        again.start()
        return
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTS:
            return True
        frame = frame.f_back
    return False


@contextmanager
def stop_on_signal(*kinds: signal.Signals, message: str | None = None) -> Iterator[Cancellation]:
    """A cancellation that SIGINT and SIGTERM, or the signals of these `kinds`, request, so that
    what is running can end in good order, which `message` says; another SIGINT interrupts at once.
    """
    cancellation = Cancellation()

    def ask_to_stop(number: int, _frame: FrameType | None) -> None:
        if cancellation.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        cancellation.request()
        if message is not None:
            note(message)

    handled = kinds or (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(kind, ask_to_stop) for kind in handled]
    try:
        yield cancellation
    finally:
        for kind, handler in zip(handled, before):
            signal.signal(kind, handler)
