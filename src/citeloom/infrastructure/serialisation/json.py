"""JSON that is the same on every door, and safe on a terminal as it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, cast

from citeloom.domain.policies import InstalledStrategy
from citeloom.domain.retrieval.passage import trim
from citeloom.infrastructure.serialisation.text import (
    CONTROLS,
    INVISIBLE,
    JOINERS,
    SELECTORS,
    SEPARATORS,
)


class Untrusted(TypedDict):
    """Part of every object that holds words of documents."""

    content: Literal["untrusted"]


UNTRUSTED: Untrusted = {"content": "untrusted"}
"""Marks what holds words of documents: to be quoted, never to be obeyed."""

T = TypeVar("T")
_UNSEEN = re.compile(f"[{CONTROLS}{INVISIBLE}{SEPARATORS}{JOINERS}{SELECTORS}]")


def json_of(kind: type[T], value: object, /, **others: object) -> T:
    """The JSON of a value by its description: each of its keys is the value's own of that name, or
    among the `others`; a tuple is a list.
    """
    own = {key: getattr(value, key) for key in kind.__annotations__ if key not in others}
    lists = {key: list(one) for key, one in own.items() if isinstance(one, tuple)}
    known = own | lists | others
    return cast("T", {key: known[key] for key in kind.__annotations__})


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
    if isinstance(value, (Enum, InstalledStrategy)):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


# Answers that are no larger than a program can take in.

Json = dict[str, object]
_CHARACTERS_A_TOKEN = 4
_SEPARATOR = ", "
_NEIGHBOURS = frozenset({"before", "after", "context_before", "context_after"})


def estimated_tokens(text: str) -> int:
    """About how many tokens a language model counts: one for four ASCII characters, one for each
    other character.
    """
    return _tokens(_quarters(text))


def _quarters(text: str) -> int:
    """The size of a text in quarters of a token, which add up exactly."""
    ascii_characters = sum(character < "\x80" for character in text)
    return ascii_characters + _CHARACTERS_A_TOKEN * (len(text) - ascii_characters)


def _tokens(quarters: int) -> int:
    return -(-quarters // _CHARACTERS_A_TOKEN)


@dataclass(frozen=True, slots=True)
class Bounded:
    """The first items that fit; `note` says what was left out, and is empty if nothing was."""

    items: list[Any]
    note: str = ""


def bounded(items: Sequence[Any], tokens: int) -> Bounded:
    """As many of the items, in order, as fit into the estimated tokens as a list in JSON.

    Of a first item that is larger than that, the text is trimmed; if it has none, or does not fit
    without it, it is left out.
    """
    fitting: list[Any] = []
    left = tokens * _CHARACTERS_A_TOKEN - len("[]")
    for item in items:
        left -= _quarters(_json(item)) + (len(_SEPARATOR) if fitting else 0)
        if left < 0:
            break
        fitting.append(item)
    if len(fitting) == len(items):
        return Bounded(fitting)
    if not fitting and isinstance(items[0], dict) and "text" in items[0]:
        fitting += _shortened(items[0], tokens)
    return Bounded(fitting, _note(len(fitting), len(items), tokens))


def _note(fitting: int, total: int, tokens: int) -> str:
    what = f"only {fitting} of {total}" if fitting < total else "a trimmed text"
    return f"cut at about {tokens} tokens: this answer holds {what}; ask for less at a time"


def _json(value: object) -> str:
    return json_text(value, indent=None)


def _shortened(item: Json, tokens: int) -> list[Json]:
    """The item with its text trimmed so far that it fits; empty where it does not without text."""
    rest = {key: value for key, value in item.items() if key not in _NEIGHBOURS}
    text = str(rest["text"])
    while text:
        shorter = {**rest, "text": text, "trimmed": True}
        if estimated_tokens(_json([shorter])) <= tokens:
            return [shorter]
        text = trim(text, len(text) * 3 // 4)[0] if len(text) > 1 else ""
    return []
