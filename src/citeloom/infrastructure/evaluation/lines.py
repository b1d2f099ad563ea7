"""Files with one record per line."""

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
        raise InvalidQrels(
            f"{path} cannot be read: {error}", "Name a file in UTF-8 that you may read."
        ) from error


def parsed(path: Path, parse: Callable[[str], Row], hint: str) -> list[tuple[int, Row]]:
    """The number and the parsed record of each line that is not blank.

    Raises `InvalidQrels` with the line on which `parse` raises a `ValueError`, and for an empty
    file.
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
    """The questions in order. Raises `InvalidQrels` when an id is repeated."""
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise InvalidQrels(
                f"{path} has two questions with the id '{question.id}'",
                "Give each question an id of its own.",
            )
        seen.add(question.id)
        yield question


def _reason(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else first["msg"]
