"""Answers made safe to read and small enough to take in."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.infrastructure.interfaces.mcp.answers import Json
from citeloom.infrastructure.serialisation.bounds import bounded, estimated_tokens
from citeloom.infrastructure.serialisation.json import json_text
from citeloom.infrastructure.serialisation.text import printable


def bounded_answer(answer: Json, listed: Sequence[str], tokens: int) -> Json:
    """The answer in visible characters only, its lists cut so that all of it fits into the
    estimated tokens; its `notes` say what was left out.
    """
    clean = _visible(answer)
    assert isinstance(clean, dict)
    notes = [*clean.get("notes", ())]
    lists = {name: clean[name] for name in listed}
    rest = {key: value for key, value in clean.items() if key not in lists}
    left = tokens - _size(rest) - _NOTE_TOKENS * len(lists)
    cut: Json = {}
    for name, items in lists.items():
        fitting = bounded(items, max(1, left))
        left -= _size(fitting.items)
        cut[name] = fitting.items
        notes += [f"{name}: {fitting.note}"] if fitting.note else []
    return {**rest, **cut, "notes": notes}


_NOTE_TOKENS = 50


def _size(value: object) -> int:
    return estimated_tokens(json_text(value, indent=None))


def _visible(value: object) -> object:
    """The value with every text in it printable."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(str(key)): _visible(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_visible(one) for one in value]
    return value
