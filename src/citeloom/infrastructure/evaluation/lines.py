"""Files of one record a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation import Question

Row = TypeVar("Row")


def text_of(path: Path) -> str:
    """The file's text. Raises `InvalidQrels` when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidQrels(f"{path} cannot be read: {error}") from error


def parsed(path: Path, parse: Callable[[str], Row], hint: str) -> list[tuple[int, Row]]:
    """Each line that is not blank, by its number and parsed.

    Raises `InvalidQrels` naming the line at which `parse` raises a `ValueError`, and for a
    file without any.
    """
    rows = []
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            rows.append((number, parse(line)))
        except ValueError as error:
            raise InvalidQrels(f"{path}, line {number}: {_reason(error)}", hint) from error
    if not rows:
        raise InvalidQrels(f"{path} is empty", hint)
    return rows


def unique(path: Path, questions: Iterable[Question]) -> Iterator[Question]:
    """The questions as they come. Raises `InvalidQrels` when an id comes again."""
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise InvalidQrels(f"{path} has two questions of the id '{question.id}'")
        seen.add(question.id)
        yield question


def _reason(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else first["msg"]
