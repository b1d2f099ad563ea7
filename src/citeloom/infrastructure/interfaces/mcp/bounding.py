"""Answers made safe to read and small enough to take in."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.domain.passage import trim
from citeloom.infrastructure.interfaces.http.private_paths import PrivatePaths
from citeloom.infrastructure.interfaces.mcp.answers import Json
from citeloom.infrastructure.interfaces.mcp.hints import for_assistants
from citeloom.infrastructure.serialisation.bounds import bounded, estimated_tokens
from citeloom.infrastructure.serialisation.errors import error_json
from citeloom.infrastructure.serialisation.json import json_text
from citeloom.infrastructure.serialisation.text import printable

_NOTE_TOKENS = 50
_MOST_NOTES, _LONGEST_NOTE = 20, 500
_LONGEST_ERROR = 1000


def bounded_answer(answer: Json, listed: Sequence[str], tokens: int) -> Json:
    """The answer in visible characters only, its lists cut so that all of it fits into the
    estimated tokens; its `notes` say what was left out, its `next_offset` where to read on.
    """
    clean = _visible(answer)
    assert isinstance(clean, dict)
    notes = _notes(clean.get("notes", ()))
    lists = {name: clean[name] for name in listed}
    rest = {key: value for key, value in clean.items() if key not in {*lists, "notes"}}
    left = tokens - _size({**rest, "notes": notes}) - _NOTE_TOKENS * len(lists)
    cut: Json = {}
    for name, items in lists.items():
        fitting = bounded(items, max(1, left))
        left -= _size(fitting.items)
        cut[name] = [_read_on(*pair) for pair in zip(items, fitting.items)]
        notes += [f"{name}: {fitting.note}"] if fitting.note else []
    return _paged({**rest, **cut, "notes": notes})


def bounded_error(error: Exception, correlation_id: str, paths: PrivatePaths) -> Json:
    """The JSON of an error, in visible characters only, without the places of files here, with a
    hint for those who call tools.
    """
    made = error_json(error, correlation_id)
    message, hint = (
        paths.text(trim(str(made[name]), _LONGEST_ERROR)[0]) for name in ("message", "hint")
    )
    told = {**made, "message": message, "hint": for_assistants(hint)}
    clean = _visible(told)
    assert isinstance(clean, dict)
    return clean


def _notes(notes: Sequence[object]) -> list[str]:
    some = [for_assistants(trim(str(note), _LONGEST_NOTE)[0]) for note in notes[:_MOST_NOTES]]
    more = len(notes) - len(some)
    return [*some, f"and {more} more notes"] if more > 0 else some


def _read_on(whole: object, shown: object) -> object:
    """An item that was shortened, with the offset of what is left out."""
    if not isinstance(whole, dict) or not isinstance(shown, dict) or "next_offset" not in whole:
        return shown
    if shown["text"] == whole["text"]:
        return shown
    begun = (whole["next_offset"] or whole["length"]) - len(whole["text"]) + whole["trimmed"]
    return {**shown, "next_offset": begun + len(shown["text"]) - 1}


def _paged(answer: Json) -> Json:
    """A page of a list, with the offset of the next where there is one."""
    total, offset, items = (answer.get(name) for name in ("total", "offset", "items"))
    if not (isinstance(total, int) and isinstance(offset, int) and isinstance(items, list)):
        return answer
    following = offset + max(1, len(items))
    return {**answer, "next_offset": following if following < total else None}


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
