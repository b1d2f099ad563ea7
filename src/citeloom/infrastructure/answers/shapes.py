"""JSON in a project's own shape: fields that it names itself, taken from the documented JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from citeloom.domain.errors import ConfigError, nearest
from citeloom.infrastructure.answers.model import HERE, Door, plain

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
