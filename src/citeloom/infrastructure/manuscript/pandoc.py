"""Pandoc, run as a program of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib import import_module

from citeloom.domain.errors import ConfigError, DeadlineExceeded, UnreadableDocument

INSTALL = "pip install '.[manuscript]'"
_SECONDS = 120
_MEMORY = "-M3000M"
_LONGEST_MESSAGE = 300


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


def pandoc_version() -> str:
    """The version of Pandoc. Raises `ConfigError` where there is none."""
    said = run_pandoc(["--version"], b"", "its version").decode(errors="replace")
    return said.split("\n", 1)[0].rpartition(" ")[2].strip()


def run_pandoc(arguments: Sequence[str], content: bytes, name: str) -> bytes:
    """What Pandoc makes of a text; it reads no file but those that the arguments name.

    Raises `UnreadableDocument` with Pandoc's own words, `DeadlineExceeded` after two minutes.
    """
    command = [pandoc_program(), "--sandbox", *arguments, "+RTS", _MEMORY, "-RTS"]
    try:
        done = subprocess.run(  # noqa: S603 - a program of the extra, no shell
            command, input=content, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise DeadlineExceeded(
            f"Pandoc has not read {name} within {_SECONDS} seconds",
            "Divide it into chapters, each a file of its own.",
        ) from None
    except OSError as error:
        raise ConfigError(
            f"Pandoc cannot be run: {error}", f"Install it in the checkout: {INSTALL}"
        ) from error
    if done.returncode != 0:
        said = " ".join(done.stderr.decode(errors="replace").split())[:_LONGEST_MESSAGE]
        raise UnreadableDocument(
            f"Pandoc cannot read {name}: {said}", "Open it in its editor and correct it there."
        )
    return done.stdout
