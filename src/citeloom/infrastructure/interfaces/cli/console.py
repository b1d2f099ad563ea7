"""Results on stdout, everything else on stderr."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from citeloom.domain.errors import CiteloomError
from citeloom.domain.validation import Severity
from citeloom.infrastructure.answers.json import json_rows, json_text
from citeloom.infrastructure.answers.model import Door
from citeloom.infrastructure.answers.text import counted, one_line, printable, safe_target

_STYLES = {
    "bold": "1",
    "dim": "2",
    "underline": "4",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}
_OURS = f"\0{os.urandom(8).hex()}"
_ESCAPE = re.compile(f"{_OURS}(.*?)\0", re.DOTALL)
"""An escape sequence of our own: no document can know what it is written with until it is shown."""


def painter(stream: object) -> Callable[[str, str], str]:
    """A function that styles text for the stream: only on a terminal, and not under NO_COLOR.

    What it gives is for `shown`, which makes an escape sequence of each style.
    """
    styled = takes_escapes(stream)

    def paint(text: str, style: str) -> str:
        return f"{_ours(f'[{_STYLES[style]}m')}{text}{_ours('[0m')}" if styled else text

    return paint


def linker(stream: object) -> Callable[[str, str | None], str]:
    """A function that makes text a link (OSC 8) where there is a target, as `painter` styles it."""
    linked = takes_escapes(stream)

    def link(text: str, target: str | None) -> str:
        safe = safe_target(target) if linked else None
        return f"{_ours(f']8;;{safe}')}{text}{_ours(']8;;')}" if safe else text

    return link


def takes_escapes(stream: object) -> bool:
    """Whether the stream is a terminal that may be sent styles."""
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty()) and not os.environ.get("NO_COLOR")


def shown(text: str) -> str:
    """The text as a terminal may have it: nothing in it acts but the styles that were put there."""
    parts = _ESCAPE.split(text)
    parts[::2] = map(printable, parts[::2])
    parts[1::2] = (
        f"\x1b{ours}\x1b\\" if ours.startswith("]") else f"\x1b{ours}" for ours in parts[1::2]
    )
    return "".join(parts)


def as_line(text: str) -> str:
    """The text on one line, so that no name in it passes for a line of ours; styles stay."""
    parts = _ESCAPE.split(text)
    parts[::2] = map(one_line, parts[::2])
    parts[1::2] = map(_ours, parts[1::2])
    return "".join(parts)


def out(text: str = "") -> None:
    """A line of the result."""
    sys.stdout.write(shown(text) + "\n")


def out_printable(lines: Iterable[str]) -> None:
    """Lines of the result in which nothing acts, as `one_line` and `json_text` make them, in one
    write.
    """
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def note(text: str = "", *, end: str = "\n") -> None:
    """A line beside the result."""
    sys.stderr.write(shown(text) + end)


def agreed(question: str) -> bool:
    """The answer that is read from stdin to a question of yes or no; no answer is a no."""
    note(f"{question} [y/N]: ", end="")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def out_json(value: object, base_dir: Path | None = None) -> None:
    """A value of the result as JSON; links to relative files start at `base_dir`."""
    out_printable([json_text(value, Door(base_dir=base_dir))])


def out_json_line(value: object, base_dir: Path | None = None) -> None:
    """A value of the result as one line of JSON, shown at once."""
    out_printable([json_text(value, Door(base_dir=base_dir), indent=None)])
    sys.stdout.flush()


def out_json_rows(values: Iterable[object]) -> None:
    out_printable([json_rows(values)])


def print_error(error: CiteloomError) -> None:
    paint = painter(sys.stderr)
    note(f"{paint('error', 'red')} [{error.code}]: {error.message}")
    if error.hint:
        note(f"  {error.hint}")


def table(rows: Iterable[Sequence[str]], heads: Sequence[str], *, figures: bool = False) -> str:
    """Rows in columns as wide as their widest cell; columns of `figures`, which all are but the
    first, are set to the right.
    """
    lines = [[*heads], *([*map(one_line, row)] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if figures and place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )


def out_table(rows: Iterable[Sequence[str]], heads: Sequence[str]) -> None:
    """A table of the result; on a terminal its lines are cut to fit and its heads stand out."""
    lines = table(rows, heads).split("\n")
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        lines = [line if len(line) <= width else line[: width - 1] + "…" for line in lines]
    out("\n".join([painter(sys.stdout)(lines[0], "bold"), *lines[1:]]))


def _ours(sequence: str) -> str:
    return f"{_OURS}{sequence}\0"


# What a check found.


def verdict(passed: bool) -> str:
    return painter(sys.stdout)(*(("passed", "green") if passed else ("failed", "red")))


def severity_mark(severity: Severity) -> str:
    styles = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}
    return painter(sys.stdout)(severity.value, styles[severity])


def by_severity(counts: Mapping[Severity, int]) -> str:
    listed = (Severity.ERROR, Severity.WARNING, Severity.INFO)
    return ", ".join(counted(counts[severity], severity.value) for severity in listed)
