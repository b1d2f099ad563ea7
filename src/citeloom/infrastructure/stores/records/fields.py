"""Typed access to payload fields; a value of another type is a `TypeError` with its key."""

from __future__ import annotations

from collections.abc import Mapping

Fields = Mapping[str, object]


def text(fields: Fields, key: str) -> str | None:
    """The text under `key`, None where there is none."""
    value = fields.get(key)
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"'{key}' is not text")


def texts(fields: Fields, key: str) -> tuple[str, ...]:
    """The texts under `key`, in order; empty where there is none."""
    value = fields.get(key)
    if not value and (value is None or isinstance(value, list | tuple)):
        return ()
    if isinstance(value, list | tuple) and set(map(type, value)) == {str}:
        return tuple(value)
    raise TypeError(f"'{key}' is not a list of texts")


def whole(fields: Fields, key: str) -> int | None:
    """The whole number under `key`, None where there is none."""
    value = fields.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise TypeError(f"'{key}' is not a whole number")


def number(fields: Fields, key: str, *, default: float) -> float:
    """The number under `key`, `default` where there is none."""
    value = fields.get(key, default)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise TypeError(f"'{key}' is not a number")


def required_text(fields: Fields, key: str) -> str:
    """The text under `key`; a `LookupError` where there is none."""
    value = text(fields, key)
    if not value:
        raise LookupError(f"it has no '{key}'")
    return value


def required_whole(fields: Fields, key: str) -> int:
    """The whole number under `key`; a `LookupError` where there is none."""
    value = whole(fields, key)
    if value is None:
        raise LookupError(f"it has no '{key}'")
    return value
