"""JSON that is the same on every door and safe on a terminal, or in a project's own shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from citeloom.domain.errors import ConfigError, nearest
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


# JSON in a project's own shape: fields that it names itself, taken from the documented JSON.

EACH = "each"
"""The key of a table in a shape that says which list it is about."""

Shape = Mapping[str, str | Mapping[str, str]]
Shapes = Mapping[str, Shape]


def shape_named(name: str, shapes: Shapes) -> Shape:
    """The shape of that name. Raises `ConfigError` with the nearest name."""
    if name in shapes:
        return shapes[name]
    near = ", ".join(nearest(name, shapes) or sorted(shapes))
    raise ConfigError(
        f"the project has no shape '{name}'",
        f"Did you mean {near}?" if near else f'Add a table [project."NS/NAME".shapes.{name}].',
    )


def shaped(shape: Shape, value: object, door: Door = HERE) -> dict[str, object]:
    """An object of the documented JSON in a project's shape.

    A path is keys joined by dots; `-1` is the last item of a list, `count` the number of them, and
    any other key is looked up in each item; a number may be `rounded`. Raises `ConfigError` for a
    path whose first key is not in the documented JSON.
    """
    written = plain(value, door)
    for path in _paths(shape):
        first = path.partition(".")[0]
        if first not in written:
            near = ", ".join(nearest(first, written))
            raise ConfigError(
                f"a shape names '{path}', but there is no '{first}' in the JSON",
                f"Did you mean {near}?" if near else f"There are {', '.join(written)}.",
            )
    return _shaped(shape, written)


def shaped_answer(
    shape: Shape, answer: object, door: Door = HERE
) -> dict[str, object] | list[dict[str, object]]:
    """An answer in a project's shape; its citations, each in the shape, where that names fields of
    a citation. Raises `ConfigError` for a path that neither has.
    """
    written = plain(answer, door)
    citations = written["citations"]
    first = {path.partition(".")[0] for path in _paths(shape)}
    if first <= written.keys():
        return shaped(shape, written)
    if citations and first.isdisjoint(citations[0].keys() - written.keys()):
        return shaped(shape, written)
    return [shaped(shape, citation) for citation in citations]


def _paths(shape: Shape) -> Iterator[str]:
    for part in shape.values():
        yield part if isinstance(part, str) else part[EACH]


def _shaped(shape: Shape, plain: object) -> dict[str, object]:
    return {name: _part(part, plain) for name, part in shape.items()}


def _part(part: str | Mapping[str, str], plain: object) -> object:
    if isinstance(part, str):
        return _at(plain, part.split("."))
    items = _at(plain, part[EACH].split("."))
    fields = {name: path for name, path in part.items() if name != EACH}
    return [_shaped(fields, item) for item in items] if isinstance(items, list) else []


def _at(value: object, path: list[str]) -> object:
    """What is at a path; None where there is nothing."""
    for at, key in enumerate(path):
        if isinstance(value, list):
            if key == "count":
                return len(value)
            if not key.lstrip("-").isdecimal():
                return [_at(item, path[at:]) for item in value]
            value = value[int(key)] if -len(value) <= int(key) < len(value) else None
        elif key == "rounded" and isinstance(value, int | float):
            value = round(value)
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value
