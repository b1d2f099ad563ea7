"""One worker process seen from the parent: its tasks, its limits, its end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

import structlog

from citeloom.application.limits import DOCUMENT_LIMITS
from citeloom.application.ports.runtime import (
    EmitEvent,
    ImageBegun,
    PageBegun,
    StageBegun,
    Task,
    Work,
)
from citeloom.domain.errors import CiteloomError, ProcessKilled, UnreadableDocument
from citeloom.infrastructure.conversion.processor_time import processor_clock
from citeloom.infrastructure.conversion.workers.deadlines import (
    WALL_CLOCK_FACTOR,
    Deadlines,
    resident_bytes,
)
from citeloom.infrastructure.conversion.workers.worker import (
    Attempt,
    Broken,
    Finished,
    Message,
    Ready,
    RunTask,
    Started,
)

_COMMAND = (
    "import sys; sys.path[:] = {path!r}; "
    "from citeloom.infrastructure.conversion.workers.worker import main; main({pipe}, {parent})"
)
"""What a worker runs: nothing of the program that started it but where its modules are."""
_MEMORY_CHECK_SECONDS = 0.5
_JOIN_SECONDS = 30.0
_MEGABYTE = 1 << 20
_CHARACTERS, _CHUNKS = 500_000, 64
_UNITS = {"embed": _CHUNKS}
# Signal numbers are the same wherever there are signals; Windows has no SIGKILL.
_FROM_OUTSIDE = (-9, -15)

_log = structlog.get_logger(__name__)


class Stopped(Exception):
    """The work was cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """When a worker is killed, and when it is replaced.

    A worker is killed if a page or a document exceeds its time or `memory` bytes. OCR of a page has
    `image_seconds`; matching, chunking and embedding have `document_seconds` each, plus the same
    again for every `_CHARACTERS` to chunk and `_CHUNKS` to embed, and its start `start_seconds`.
    Time is processor time where the system reports it, and at most six times as long by the clock.
    Between documents a worker is replaced after `documents` of them or if it holds more than
    `resident` bytes. Memory is checked on Linux only.
    """

    document_seconds: float = DOCUMENT_LIMITS.document_timeout_seconds
    page_seconds: float = DOCUMENT_LIMITS.page_timeout_seconds
    image_seconds: float = DOCUMENT_LIMITS.ocr_timeout_seconds
    start_seconds: float = 120.0
    documents: int = 100
    resident: int = 1536 * _MEGABYTE
    memory: int = 4096 * _MEGABYTE

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be positive, not {getattr(self, name)}")

    def stage_seconds(self, stage: StageBegun) -> float:
        return self.document_seconds * (1 + stage.size / _UNITS.get(stage.stage, _CHARACTERS))


class WorkerProcess:
    """A process that runs one task after another, driven by one thread of the parent.

    Every wait for it raises `Stopped` as soon as `stop`, a pipe end, is readable.
    """

    def __init__(
        self, factory: Callable[[], object], limits: WorkerLimits, stop: Connection
    ) -> None:
        self._limits = limits
        self._stop = stop
        self._documents = 0
        self._usable = False
        self._started = False
        self._deadlines: Deadlines | None = None
        self._pipe, theirs = multiprocessing.Pipe()
        parent, self._lifeline = os.pipe()
        try:
            pipe = theirs.fileno()
            command = _COMMAND.format(path=[*map(str, sys.path)], pipe=pipe, parent=parent)
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter and our own program
                [sys.executable, "-c", command], stdin=subprocess.DEVNULL, pass_fds=(pipe, parent)
            )
        except OSError as error:
            self._pipe.close()
            os.close(self._lifeline)
            raise cannot_start(str(error)) from error
        finally:
            theirs.close()
            os.close(parent)
        with suppress(ConnectionError):  # that it ended already is noticed when it is awaited
            self._pipe.send(factory)

    def await_ready(self) -> bool:
        """Whether the worker is ready; False if it died while starting.

        Raises `CiteloomError` if another attempt cannot succeed either.
        """
        try:
            message = self._first_message()
        except (EOFError, ConnectionError):
            return False
        if isinstance(message, Broken):
            raise cannot_start(message.reason)
        if not isinstance(message, Ready):
            raise cannot_start(
                f"it was not ready after {self._limits.start_seconds:g} s",
                "Run it again when this machine has less to do, or with fewer --workers.",
            )
        self._usable = True
        return True

    def _first_message(self) -> object:
        """What the worker says when it has started; None if that takes too long."""
        limit, worked = self._limits.start_seconds, processor_clock(self._process.pid)
        began, last = worked(), time.monotonic() + WALL_CLOCK_FACTOR * limit
        message = None
        while message is None and worked() - began < limit and time.monotonic() < last:
            message = self._receive(min(limit, _MEMORY_CHECK_SECONDS))
        return message

    @property
    def is_spent(self) -> bool:
        """Whether the next document should go to a fresh process."""
        return (
            not self._usable
            or self._process.poll() is not None
            or self._documents >= self._limits.documents
            or resident_bytes(self._process.pid) > self._limits.resident
        )

    def do(self, work: Work[Any, Any, Any], task: Task, emit: EmitEvent) -> Attempt | None:
        """The task's result or the error that stopped it, within the limits.

        None if the process ended before it started the task.
        """
        self._documents += 1
        self._started = False
        try:
            self._pipe.send(RunTask(work, task))
            return self._await_end(task.name, emit)
        except (EOFError, ConnectionError):
            self._usable = False
            if not self._started:
                return None
            page = self._deadlines.page if self._deadlines else 0
            error = self._ended_over(task.name)
            return Attempt(error=error, page=0 if isinstance(error, ProcessKilled) else page)

    def _await_end(self, name: str, emit: EmitEvent) -> Attempt:
        self._deadlines = deadlines = Deadlines(
            name,
            document_seconds=self._limits.document_seconds,
            page_seconds=self._limits.page_seconds,
            image_seconds=self._limits.image_seconds,
            worked=processor_clock(self._process.pid),
        )
        while True:
            message = self._receive(min(deadlines.remaining(), _MEMORY_CHECK_SECONDS))
            if isinstance(message, Finished):
                if message.attempt.trace:
                    _log.debug("document_failed", name=name, trace=message.attempt.trace)
                return message.attempt
            if isinstance(message, Started):
                self._started = True
            if isinstance(message, Message):
                if isinstance(message.event, PageBegun):
                    deadlines.begin_page(message.event.page)
                elif isinstance(message.event, ImageBegun):
                    deadlines.begin_image(message.event.page)
                elif isinstance(message.event, StageBegun):
                    deadlines.begin_stage(
                        message.event.stage, self._limits.stage_seconds(message.event)
                    )
                emit(message.event)
            # Only with an empty pipe: the delay may have been on this side.
            overrun = deadlines.exceeded() if message is None else None
            if error := overrun or self._outgrown(name):
                self._usable = False
                rest = overrun is not None and not deadlines.page_is_late
                return Attempt(error=error, page=deadlines.page, rest=rest)

    def _receive(self, seconds: float) -> object:
        ready = wait([self._pipe, self._stop], timeout=seconds)
        if self._stop in ready:
            raise Stopped
        if not ready:
            return None
        return self._pipe.recv()

    def _outgrown(self, name: str) -> UnreadableDocument | None:
        if resident_bytes(self._process.pid) <= self._limits.memory:
            return None
        return UnreadableDocument(
            f"{name} needs more than {self._limits.memory // _MEGABYTE} MB of memory",
            "Raise worker_memory_mb under [conversion], or exclude the file.",
        )

    def _ended_over(self, name: str) -> CiteloomError:
        """What ended the process: another one, such as the system short of memory, or the file."""
        ending = self.ending()
        if self._process.returncode in _FROM_OUTSIDE:
            return ProcessKilled(
                f"the process that read {name} was {ending}",
                "This machine may be short of memory: run it again, with fewer --workers.",
            )
        return UnreadableDocument(
            f"{name} ended the process that read it: {ending}",
            "The file may be damaged; other files are not affected.",
        )

    def ending(self) -> str:
        try:
            code = self._process.wait(_JOIN_SECONDS)
        except subprocess.TimeoutExpired:
            return "it closed its pipe"
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"exit status {code}"

    def kill(self) -> None:
        """Kill the process and release its resources."""
        self._process.kill()
        self._process.wait()
        self._pipe.close()
        os.close(self._lifeline)


def cannot_start(reason: str, hint: str = "Reinstall citeloom's requirements.") -> CiteloomError:
    """The error of a pool whose workers cannot start."""
    return CiteloomError(f"no worker process can be started: {reason}", hint)
