"""The command line run inside the process of the tests, which takes milliseconds."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import structlog

from citeloom.infrastructure.interfaces.cli.app import main
from citeloom.infrastructure.interfaces.cli.ending import CTRL_C
from citeloom.infrastructure.logging import OURS


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


def run(
    *args: str, folder: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> Outcome:
    """How the command ends in `folder`; what it does not catch is raised."""
    out, err = _stream(), _stream()
    with (
        _in(folder),
        _as_before(),
        patch.dict(os.environ, env or {}),
        patch.multiple(sys, argv=["citeloom", *args], stdin=_stream(stdin), stdout=out, stderr=err),
    ):
        try:
            main()
        except SystemExit as ending:
            code = ending.code
    assert isinstance(code, int)
    return Outcome(code, _text(out), _text(err))


@contextmanager
def _in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _as_before() -> Iterator[None]:
    """Put back what a command changes of its process: logging, and what Ctrl-C does."""
    loggers = logging.getLogger(), logging.getLogger(OURS)
    handlers, levels = [*loggers[0].handlers], [logger.level for logger in loggers]
    interrupt = signal.getsignal(signal.SIGINT)
    configured, configuration = structlog.is_configured(), structlog.get_config()
    try:
        yield
    finally:
        loggers[0].handlers[:] = handlers
        for logger, level in zip(loggers, levels):
            logger.setLevel(level)
        structlog.configure(**configuration)
        if not configured:
            structlog.reset_defaults()
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, interrupt)
        CTRL_C.clear()


def _stream(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def joined(args: Sequence[str]) -> str:
    """The arguments as a failure shows them."""
    return " ".join(map(ascii, args))
