"""The command line run inside the process of the tests, which takes milliseconds."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from citeloom.infrastructure.interfaces.cli.app import main


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


def _stream(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def joined(args: Sequence[str]) -> str:
    """The arguments as a failure shows them."""
    return " ".join(map(ascii, args))
