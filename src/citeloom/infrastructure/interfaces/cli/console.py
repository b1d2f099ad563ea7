"""Results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, is_dataclass
from enum import Enum
from pathlib import Path

from citeloom.domain.errors import CiteloomError

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def painter(stream: object) -> Callable[[str, str], str]:
    """A function that styles text for the stream: only on a terminal, and not under NO_COLOR."""
    wanted = _takes_escapes(stream)

    def paint(text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if wanted else text

    return paint


def linker(stream: object) -> Callable[[str, str | None], str]:
    """A function that makes text a link (OSC 8) where there is a target, as `painter` styles it."""
    wanted = _takes_escapes(stream)

    def link(text: str, target: str | None) -> str:
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\" if wanted and target else text

    return link


def _takes_escapes(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty()) and not os.environ.get("NO_COLOR")


def out(text: str = "") -> None:
    """A line of the result."""
    sys.stdout.write(text + "\n")


def note(text: str = "") -> None:
    """A line beside the result."""
    sys.stderr.write(text + "\n")


def out_json(value: object, *, indent: int | None = 2) -> None:
    """A value of the result as JSON."""
    out(json.dumps(value, indent=indent, ensure_ascii=False, default=_plain))


def out_json_rows(values: Iterable[object]) -> None:
    """A list of the result as JSON, one value a line: quick to write, and to search."""
    rows = (json.dumps(value, ensure_ascii=False, default=_plain) for value in values)
    out("[\n" + ",\n".join(rows) + "\n]")


def tell(error: CiteloomError) -> None:
    """What went wrong and what to do, on stderr."""
    paint = painter(sys.stderr)
    note(f"{paint('error', 'red')} [{error.code}]: {error.message}")
    if error.hint:
        note(f"  {error.hint}")


def table(rows: Iterable[tuple[str, ...]], heads: tuple[str, ...]) -> str:
    """Rows in columns as wide as their widest cell, the last column as it comes."""
    lines = [heads, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads) - 1)]
    return "\n".join(
        "  ".join([*(cell.ljust(w) for cell, w in zip(line, widths)), line[-1]]).rstrip()
        for line in lines
    )


def out_table(rows: Iterable[tuple[str, ...]], heads: tuple[str, ...]) -> None:
    """A table of the result; on a terminal its lines are cut to fit and its heads stand out."""
    lines = table(rows, heads).split("\n")
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        lines = [line if len(line) <= width else line[: width - 1] + "…" for line in lines]
    out("\n".join([painter(sys.stdout)(lines[0], "bold"), *lines[1:]]))


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return value.as_posix()
    return str(value)
