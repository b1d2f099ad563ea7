"""Pandoc, run as a program of its own, within limits."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from threading import Event, Thread, Timer
from typing import IO

from citeloom.application.limits import DRAFT_LIMITS, DraftLimits
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import (
    CiteloomError,
    ConfigError,
    DeadlineExceeded,
    ProcessKilled,
    UnreadableDocument,
)
from citeloom.infrastructure import child_process

INSTALL = "pip install '.[manuscript]'"
_LONGEST_MESSAGE = 300
_MEGABYTE = 1 << 20
_BESIDE_HEAP = 256 * _MEGABYTE
"""What the kernel allows beyond Pandoc's heap: its stack and static data."""
_OUTPUT_SHARE = 16
"""The tree of a draft takes here about so many times its bytes of memory."""
_WALL_CLOCK_FACTOR = 6
_HEAP_EXHAUSTED = 251
_STACK_OVERFLOW = b"stack overflow"
_READ_BYTES = 1 << 16
CORRECT = "Open it in its editor and correct it there."
"""The hint where a text is wrong for Pandoc, rather than too much."""
DIVIDE = "Divide it into chapters, each a file of its own, or raise {} under [drafts]."


@cache
def pandoc_program() -> str:
    """The path of Pandoc: that of the extra, else one on the search path.

    Raises `ConfigError` where there is none.
    """
    try:
        path: str = import_module("pypandoc").get_pandoc_path()
    except (ImportError, OSError):
        program = shutil.which("pandoc")
        if program is None:
            raise ConfigError(
                "Pandoc, which reads drafts and formats citations, is not installed",
                f"Install it in the checkout: {INSTALL}",
            ) from None
        return program
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Pandoc:
    """Pandoc within limits of time and memory and without network. A run ends with this process,
    and once `cancellation` is requested.
    """

    limits: DraftLimits = DRAFT_LIMITS
    cancellation: Cancellation = field(default_factory=Cancellation)

    def version(self) -> str:
        """The version of Pandoc. Raises `ConfigError` where there is none."""
        printed = self.run(["--version"], b"", "its version").decode(errors="replace")
        return printed.split("\n", 1)[0].rpartition(" ")[2].strip()

    def run(self, arguments: Sequence[str], content: bytes, name: str) -> bytes:
        """What Pandoc makes of a text; it reads no file but those that the arguments name.

        Raises `UnreadableDocument` with Pandoc's own words and for a text that takes more memory
        than it may, `DeadlineExceeded` for one that takes more time or that nobody waits for.
        """
        self.cancellation.check()
        lifeline, held = os.pipe()
        try:
            process = self._started(arguments, lifeline)
        except OSError as error:
            os.close(held)
            raise ConfigError(
                f"Pandoc cannot be run: {error}", f"Install it in the checkout: {INSTALL}"
            ) from error
        finally:
            os.close(lifeline)
        is_late = Event()

        def be_late() -> None:
            is_late.set()
            _kill(process)

        timer = Timer(_WALL_CLOCK_FACTOR * self.limits.timeout_seconds, be_late)
        timer.start()
        try:
            with self.cancellation.ending(lambda: _kill(process)):
                output, errors = _communicate(process, content, self._most_output)
        finally:
            timer.cancel()
            _kill(process)
            process.wait()
            os.close(held)
        self.cancellation.check()
        if is_late.is_set():
            raise self._too_slow(name)
        if len(output) > self._most_output:
            raise self._too_large(name)
        if process.returncode != 0:
            raise self._failure(process.returncode, errors, name)
        return output

    def _started(self, arguments: Sequence[str], lifeline: int) -> subprocess.Popen[bytes]:
        """Pandoc by way of the launcher, in a process group of its own."""
        memory = self.limits.memory_mb * _MEGABYTE
        heap = ["+RTS", f"-M{self.limits.memory_mb}M", "-RTS"]
        program = [pandoc_program(), "--sandbox", "--quiet", *arguments, *heap]
        bounds = [lifeline, os.getpid(), int(self.limits.timeout_seconds), memory + _BESIDE_HEAP]
        launcher = [sys.executable, "-I", "-S", child_process.__file__]
        return subprocess.Popen(  # noqa: S603 - this interpreter and a program of the extra
            [*launcher, *map(str, bounds), *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(lifeline,),
            start_new_session=True,
        )

    @property
    def _most_output(self) -> int:
        return self.limits.memory_mb * _MEGABYTE // _OUTPUT_SHARE

    def _failure(self, code: int, errors: bytes, name: str) -> CiteloomError:
        """Why Pandoc has ended without a result."""
        if code == _HEAP_EXHAUSTED or _STACK_OVERFLOW in errors:
            return self._too_large(name)
        if code == -signal.SIGXCPU:
            return self._too_slow(name)
        if code < 0:
            return ProcessKilled(
                f"Pandoc was killed by {signal.Signals(-code).name} while it read {name}",
                "This machine may be short of memory: try again.",
            )
        said = " ".join(errors.decode(errors="replace").split())[:_LONGEST_MESSAGE]
        return UnreadableDocument(f"Pandoc cannot read {name}: {said}", CORRECT)

    def _too_slow(self, name: str) -> DeadlineExceeded:
        return DeadlineExceeded(
            f"{name} takes Pandoc longer than {self.limits.timeout_seconds:g} s",
            DIVIDE.format("timeout_seconds"),
        )

    def _too_large(self, name: str) -> UnreadableDocument:
        return UnreadableDocument(
            f"{name} takes Pandoc more than {self.limits.memory_mb} MB of memory",
            DIVIDE.format("memory_mb"),
        )


PANDOC = Pandoc()
"""Pandoc within the limits that hold where none are configured."""


def _communicate(
    process: subprocess.Popen[bytes], content: bytes, most: int
) -> tuple[bytes, bytes]:
    """What a process prints for some input: one byte more than `most`, and it is killed; and the
    beginning of its errors.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    errors: list[bytes] = []
    beside = [
        Thread(target=_feed, args=(process.stdin, content), daemon=True),
        Thread(target=_drain, args=(process.stderr, errors), daemon=True),
    ]
    for thread in beside:
        thread.start()
    with process.stdout as stream:
        output = stream.read(most + 1)
        if len(output) > most:
            _kill(process)
    for thread in beside:
        thread.join()
    process.wait()
    return output, errors[0]


def _feed(stream: IO[bytes], content: bytes) -> None:
    with suppress(OSError), stream:  # a process that ends early has its reasons on stderr
        stream.write(content)


def _drain(stream: IO[bytes], beginning: list[bytes]) -> None:
    with stream:
        beginning.append(stream.read(_READ_BYTES))
        while stream.read(_READ_BYTES):
            pass


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and what it has started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
