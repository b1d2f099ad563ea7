"""JSON that is the same on every door, and safe on a terminal as it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from citeloom.infrastructure.answers.model import HERE, Door, plain
from citeloom.infrastructure.answers.text import SUSPECT


def json_text(value: object, door: Door = HERE, *, indent: int | None = 2) -> str:
    """The value as JSON; whatever is no visible character stands as its escape."""
    written = plain(value, door)
    return escaped(
        json.dumps(written, ensure_ascii=False) if indent is None else _indented(written, indent)
    )


def _indented(written: object, indent: int) -> str:
    """As `json.dumps` has it with an indent, for which that leaves its fast encoder. Half a
    character, which UTF-8 does not have, is left to it.
    """
    from pydantic_core import PydanticSerializationError, to_json  # noqa: PLC0415 - not for lines

    try:
        return to_json(written, indent=indent).decode()
    except PydanticSerializationError:
        return json.dumps(written, indent=indent, ensure_ascii=False)


def json_rows(values: Iterable[object], door: Door = HERE) -> str:
    """A list as JSON, one value a line: quick to write, and to search."""
    return "[\n" + ",\n".join(json_text(value, door, indent=None) for value in values) + "\n]"


def json_lines(values: Iterable[object], door: Door = HERE) -> str:
    """Values as JSON, each on a line of its own."""
    return "\n".join(json_text(value, door, indent=None) for value in values)


def escaped(document: str) -> str:
    """JSON with an escape for each character in it that cannot be seen. Most lines are ASCII, in
    which JSON leaves one such character: DEL.
    """
    return "\n".join(
        [
            line if line.isascii() and "\x7f" not in line else SUSPECT.sub(_escape, line)
            for line in document.split("\n")
        ]
    )


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
