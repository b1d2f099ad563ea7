"""What stands beside a field in its annotation: its bounds, as `annotated_types` has them, by which
a value checks itself when it is made, and how a file may write what is no plain value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from math import isfinite
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Le, MinLen, Predicate

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Example:
    """A value that shows what a field without a default may hold."""

    value: object


@dataclass(frozen=True, slots=True)
class Reads:
    """A function that makes what the field's type allows of what a file says. It raises
    `ValueError` for anything else.
    """

    read: Callable[[Any], object]

    def __get_pydantic_core_schema__(self, source: object, handler: Callable[[Any], Any]) -> Any:
        """A validator of pydantic's, which asks for it by this name."""
        function = {"type": "no-info", "function": self.read}
        return {"type": "function-before", "function": function, "schema": handler(source)}


def key(name: str | None) -> Mapping[str, object]:
    """The metadata of a field whose key in a file has another name, or None if it has no key."""
    return {"key": name}


def part(kind: type) -> Mapping[str, object]:
    """The metadata of a field whose own fields are keys of the same table."""
    return {"part": kind}


def keys_of(kind: Any) -> dict[str, tuple[str, ...]]:
    """The keys of a table for a dataclass, each with the name of its field, after that of the part
    that it is a field of.
    """
    keys: dict[str, tuple[str, ...]] = {}
    for field in fields(kind):
        if inner := field.metadata.get("part"):
            keys |= {key: (field.name, *path) for key, path in keys_of(inner).items()}
        elif name := field.metadata.get("key", field.name):
            keys[name] = (field.name,)
    return keys


def as_base(kind: type[T], value: Any) -> T:
    """A value of a class as one of the class `kind` that it inherits from."""
    return kind(**{field.name: getattr(value, field.name) for field in fields(cast("Any", kind))})


class Variable(str):
    """The value of an environment variable, which has no type but text."""

    __slots__ = ()


def one_or_many(value: object) -> object:
    """A single text as a list of one, a variable as the list in it: of JSON, or with commas between
    its entries. Anything else unchanged.
    """
    if not isinstance(value, Variable):
        return (value,) if isinstance(value, str) else value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            raise ValueError("must be a JSON list, or entries separated by commas") from None
    return tuple(entry.strip() for entry in value.split(",") if entry.strip())


Count = Annotated[int, Ge(1)]
CountOrZero = Annotated[int, Ge(0)]
Number = Annotated[float, Predicate(isfinite)]
Share = Annotated[float, Ge(0), Le(1)]
Seconds = Annotated[float, Gt(0)]
Text = Annotated[
    str, MinLen(1), Reads(lambda value: value.strip() if isinstance(value, str) else value)
]
Texts = Annotated[tuple[Text, ...], Reads(one_or_many)]


def check_bounds(value: Any) -> None:
    """Raise `ValueError` for the first number of a dataclass that is outside its bounds."""
    kind: Any = type(value)
    for name, bounds in _bounds_of(kind):
        number = getattr(value, name)
        if number is None:
            continue
        if isinstance(number, float) and not isfinite(number):
            raise ValueError(f"{name} must be a finite number")
        for bound in bounds:
            if isinstance(bound, Ge) and number < bound.ge:
                raise ValueError(f"{name} must be at least {bound.ge}, not {number}")
            if isinstance(bound, Gt) and number <= bound.gt:
                raise ValueError(f"{name} must be more than {bound.gt}, not {number}")
            if isinstance(bound, Le) and number > bound.le:
                raise ValueError(f"{name} must be at most {bound.le}, not {number}")


class WithinBounds:
    """A dataclass whose numbers are within their bounds."""

    __slots__ = ()

    def __post_init__(self) -> None:
        check_bounds(self)


@cache
def _bounds_of(kind: Any) -> tuple[tuple[str, tuple[object, ...]], ...]:
    hints = get_type_hints(kind, include_extras=True)
    bounds = ((field.name, tuple(_bounds_in(hints[field.name]))) for field in fields(kind))
    return tuple((name, those) for name, those in bounds if those)


def _bounds_in(hint: object) -> Iterator[object]:
    """The bounds of a number, be it an optional one; those of the items of a list are not its."""
    if get_origin(hint) is Annotated:
        base, *metadata = get_args(hint)
        yield from (each for each in metadata if isinstance(each, Ge | Gt | Le | Predicate))
        yield from _bounds_in(base)
    elif get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _bounds_in(part)
