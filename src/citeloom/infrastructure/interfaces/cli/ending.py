"""How a run of the command line ends: by a signal, with an exit code, in plain words on stderr."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Timer
from types import FrameType
from typing import IO, Protocol, TextIO, runtime_checkable

import typer

from citeloom.application.disk_space import is_out_of_room, no_room_for
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.cli.console import note, print_error
from citeloom.infrastructure.interfaces.error_codes import (
    EXIT_CODES,
    FAILURE,
    INTERRUPTED,
    OK,
    UNEXPECTED,
)


@runtime_checkable
class UsageError(Protocol):
    """What typer raises for a wrong call; its classes have no public name."""

    exit_code: int

    def show(self, file: IO[str] | None = None) -> None:
        """Write what is wrong, and how it is done."""
        ...


TRACE = "CITELOOM_TRACEBACK"
_COMPLETE = "_CITELOOM_COMPLETE"
_CHECK = "Check that the file or folder is there, may be used, and that the disk has room."


def ended(run: Callable[[], object]) -> int:
    """The exit code that a run ends with, after what went wrong has been said."""
    try:
        code = _code(run)
        sys.stdout.flush()
    except BrokenPipeError:
        code = OK
        _lead_nowhere(sys.stdout)
    except OSError as error:
        code = _failed(error)
        _lead_nowhere(sys.stdout)
    return code


def open_streams() -> None:
    """Make the streams usable: those that were closed lead nowhere, bytes that are no text are
    kept for whoever checks it, and what cannot be encoded is written as an escape.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - open to the end
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    if not os.environ.get(_COMPLETE, "").isidentifier():  # typer repeats it as it is
        os.environ.pop(_COMPLETE, None)
    sys.stdout = _writable(sys.stdout)
    sys.stderr = _writable(sys.stderr)


def _code(run: Callable[[], object]) -> int:
    try:
        code = run()
    except SystemExit as ending:
        # Typer turns a broken pipe into a failure.
        if isinstance(ending.__context__, BrokenPipeError):
            raise ending.__context__ from None
        code = ending.code
    except OSError:
        raise
    except KeyboardInterrupt:
        note("interrupted")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last chance to say it in plain words
        if CTRL_C.is_set():
            note("interrupted")
            return INTERRUPTED
        return _said(error)
    if code == INTERRUPTED and CTRL_C.is_set():  # typer says nothing of Ctrl-C
        note("interrupted")
    return code if isinstance(code, int) else OK


def _said(error: Exception) -> int:
    """The exit code of an error, after saying what went wrong."""
    if isinstance(error, CiteloomError):
        print_error(error)
        return EXIT_CODES[error.code]
    if isinstance(error, UsageError):
        text = io.StringIO()
        error.show(file=text)
        note(text.getvalue(), end="")  # which a terminal obeys nothing in
        return error.exit_code
    if isinstance(error, typer.Abort):
        note("Aborted!")
        return FAILURE
    if "home directory" in str(error):
        print_error(CiteloomError("the home folder is unknown", "Set HOME."))
        return FAILURE
    return _unexpected(error)


def _failed(error: OSError) -> int:
    names = (name for name in (error.filename, error.filename2) if name is not None)
    where = " and ".join(os.fsdecode(name) for name in names if not isinstance(name, int))
    if where and is_out_of_room(error):
        return _said(no_room_for(where))
    reason = error.strerror or str(error)
    print_error(CiteloomError(f"{where}: {reason}" if where else reason, _CHECK))
    return FAILURE


def _unexpected(error: Exception) -> int:
    """Say that the fault is citeloom's; where it lies is for those who ask."""
    if os.environ.get(_COMPLETE):
        note("the shell asks for completion without naming a command line")
        return FAILURE
    if os.environ.get(TRACE):
        traceback.print_exception(error)
    note(f"error [UNEXPECTED]: {type(error).__name__}: {error}")
    note(f"  This is a bug in citeloom. Set {TRACE}=1 in the environment to see the traceback.")
    return UNEXPECTED


def _writable(stream: TextIO | None) -> TextIO:
    if stream is None:
        return Path(os.devnull).open("w", encoding="utf-8")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return stream


def _lead_nowhere(stream: TextIO) -> None:
    """So that what is still buffered is not tried again when the process ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# Ctrl-C and other signals.

_IMPORTS = "<frozen importlib._bootstrap>"
_IMPORT_SECONDS = 0.05
CTRL_C = Event()
"""Set once Ctrl-C has raised `KeyboardInterrupt`, which libraries may make another error of."""


def note_interruptions() -> None:
    """Let Ctrl-C set `CTRL_C` besides raising `KeyboardInterrupt`, and wait for an import to
    end: within one, extension modules print it as a traceback of their own.
    """
    with suppress(ValueError):  # not in the main thread
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupt)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    CTRL_C.set()
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
