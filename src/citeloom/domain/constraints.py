"""What the value of a field may be, said once, at the field: a value checks itself by it when it is
made, and the settings read from it what a key of citeloom.toml may hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from math import isfinite
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The smallest and the largest value of a finite number; `above` is not allowed itself."""

    least: float | None = None
    above: float | None = None
    most: float | None = None

    def check(self, name: str, value: float) -> None:
        """Raise `ValueError` for a value outside."""
        if isinstance(value, float) and not isfinite(value):
            raise ValueError(f"{name} must be a finite number")
        if self.least is not None and value < self.least:
            raise ValueError(f"{name} must be at least {self.least}, not {value}")
        if self.above is not None and value <= self.above:
            raise ValueError(f"{name} must be more than {self.above}, not {value}")
        if self.most is not None and value > self.most:
            raise ValueError(f"{name} must be at most {self.most}, not {value}")


@dataclass(frozen=True, slots=True)
class NotEmpty:
    """A text in a file has at least one character besides white space around it."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A text in a file passes a check, which raises `ValueError` for any other."""

    check: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Example:
    """A value that shows what a field without a default may hold."""

    value: object


@dataclass(frozen=True, slots=True)
class Key:
    """The key of citeloom.toml for a field of another name."""

    name: str


@dataclass(frozen=True, slots=True)
class NotInFile:
    """The program sets the field, and no key of citeloom.toml."""


Count = Annotated[int, Bounds(least=1)]
CountOrZero = Annotated[int, Bounds(least=0)]
Number = Annotated[float, Bounds()]
Share = Annotated[float, Bounds(least=0, most=1)]
Factor = Annotated[float, Bounds(least=1)]
Seconds = Annotated[float, Bounds(above=0)]
SecondsOrZero = Annotated[float, Bounds(least=0)]
Text = Annotated[str, NotEmpty()]


def check_bounds(value: Any) -> None:
    """Raise `ValueError` for the first number of a dataclass that is outside its bounds."""
    kind: Any = type(value)
    for name, bounds in _bounds_of(kind):
        number = getattr(value, name)
        if number is not None:
            bounds.check(name, number)


@cache
def _bounds_of(kind: Any) -> tuple[tuple[str, Bounds], ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        (field.name, bounds) for field in fields(kind) for bounds in _bounds_in(hints[field.name])
    )


def _bounds_in(hint: object) -> Iterator[Bounds]:
    """The bounds of a number, be it an optional one; those of the items of a list are not its."""
    if get_origin(hint) is Annotated:
        base, *metadata = get_args(hint)
        yield from (one for one in metadata if isinstance(one, Bounds))
        yield from _bounds_in(base)
    elif get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _bounds_in(part)
