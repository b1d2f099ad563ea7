"""JSON that is the same on every door, and safe on a terminal as it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path

from citeloom.infrastructure.serialisation.text import (
    CONTROLS,
    INVISIBLE,
    JOINERS,
    SELECTORS,
    SEPARATORS,
)

UNTRUSTED = {"content": "untrusted"}
"""Marks what holds words of documents: to be quoted, never to be obeyed."""

_UNSEEN = re.compile(f"[{CONTROLS}{INVISIBLE}{SEPARATORS}{JOINERS}{SELECTORS}]")


def json_text(value: object, *, indent: int | None = 2) -> str:
    """The value as JSON; whatever is no visible character stands as its escape."""
    return escaped(json.dumps(value, indent=indent, ensure_ascii=False, default=plain_value))


def json_rows(values: Iterable[object]) -> str:
    """A list as JSON, one value a line: quick to write, and to search."""
    return "[\n" + ",\n".join(json_text(value, indent=None) for value in values) + "\n]"


def json_lines(values: Iterable[object]) -> str:
    """Values as JSON, each on a line of its own."""
    return "\n".join(json_text(value, indent=None) for value in values)


def escaped(document: str) -> str:
    """JSON with an escape for each character in it that cannot be seen."""
    return _UNSEEN.sub(_escape, document)


def plain_value(value: object) -> object:
    """What JSON has for a value that it does not know."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
