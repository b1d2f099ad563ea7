"""Answers as values: each is described once, as a class of fields, and made into data here."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from enum import Enum
from functools import cache
from pathlib import Path
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NotRequired,
    Self,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_type_hints,
)

from typing_extensions import TypedDict

from citeloom.domain.policies import InstalledStrategy
from citeloom.infrastructure.answers.text import link_to_place

# What an answer is described with.

Untrusted = Literal["untrusted"]
"""Marks what holds words of documents: to be quoted, never to be obeyed."""
UNTRUSTED: Untrusted = "untrusted"

_PATH = object()
SourcePath = Annotated[str, _PATH]
"""The path of a file, whose place on this machine is nobody else's business."""


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Any = _Absent.ABSENT
"""The default of a field whose key is left out unless it is given."""

T = TypeVar("T")
M = TypeVar("M", bound="Model")


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A page of a file, or the file: in JSON a link to it, where the reader has the file."""

    path: str
    page: int | None = None

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, __: object) -> object:
        from pydantic_core.core_schema import str_schema  # noqa: PLC0415 - for schemas alone

        return str_schema()


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Model:
    """An answer, or a part of one. Its keys are its annotated names, those of `LEADING` first; an
    underscore behind a name that Python keeps for itself is no part of the key. What is described
    as a value of the application is a model `of` its class, with its fields, or the fields and
    properties that `keys` names; one that is annotated here, too, is another value of that name.

    Not a dataclass: one costs a millisecond or more to define, and most commands need none of
    these fields.
    """

    LEADING: ClassVar[tuple[str, ...]] = ()
    FIELDS: ClassVar[tuple[str, ...]] = ()
    _FIELD_SET: ClassVar[frozenset[str]] = frozenset()
    SOURCE: ClassVar[type | None] = None

    def __init_subclass__(cls, of: type | None = None, keys: tuple[str, ...] = ()) -> None:
        if of is not None:
            cls.SOURCE, keys = of, keys or _names(of)
        named = [
            name
            for name, hint in cls.__annotations__.items()
            if not str(hint).startswith("ClassVar")
        ]
        inherited = (name for base in cls.__bases__ for name in getattr(base, "FIELDS", ()))
        cls.FIELDS = tuple(dict.fromkeys((*inherited, *keys, *named)))
        cls._FIELD_SET = frozenset(cls.FIELDS)

    def __init__(self, **values: object) -> None:
        if values.keys() != self._FIELD_SET:
            missing = [n for n in self.FIELDS if n not in values and not hasattr(type(self), n)]
            if missing or (missing := [name for name in values if name not in self.FIELDS]):
                raise TypeError(f"{type(self).__name__}: {', '.join(missing)}")
        self.__dict__.update(values)

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.__dict__})"

    @classmethod
    def of(cls, *values: Any, **computed: Any) -> Self:
        """The model of values, by `filled`."""
        return filled(cls, *values, **computed)

    @classmethod
    def of_optional(cls, *values: Any, **computed: Any) -> Self | None:
        """Likewise, of a value if there is one."""
        return None if values[0] is None else cls.of(*values, **computed)

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, handler: Callable[[object], Any]) -> Any:
        kind: Any = cls
        return handler(described(kind))


class ListPart(Model):
    """Some of what there is: `count` of `total`, from `offset` on."""

    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""


def filled(kind: type[M], *values: object, **computed: object) -> M:
    """The model of values: each field that is not `computed` is the attribute of that name of the
    first value that has one, or its default. Raises `TypeError` for a field without any.
    """
    for name in kind.FIELDS:
        if name in computed:
            continue
        for value in values:
            part = getattr(value, name, ABSENT)
            if part is not ABSENT:
                computed[name] = part
                break
    return kind(**computed)


def replaced(model: M, **changes: object) -> M:
    return type(model)(**{**model.__dict__, **changes})


def hints(kind: Any) -> dict[str, Any]:
    """The types of a model's fields, or of those of a dataclass."""
    described_by = [kind, *(vars(base)["SOURCE"] for base in kind.__mro__ if source_of(base))]
    types = ChainMap(*(get_type_hints(each, include_extras=True) for each in described_by))
    return {
        name: types[name] if name in types else _returned(described_by[-1], name)
        for name in getattr(kind, "FIELDS", _names(kind))
    }


def source_of(kind: type) -> type | None:
    return vars(kind).get("SOURCE")


def _returned(kind: Any, name: str) -> Any:
    return get_type_hints(getattr(kind, name).fget, include_extras=True)["return"]


@cache
def described(kind: Any) -> Any:
    """The JSON of a model as a type that schemas are made of."""
    keys = {
        key_of(name): NotRequired[hint] if getattr(kind, name, None) is ABSENT else hint
        for name, hint in hints(kind).items()
    }
    make: Any = TypedDict
    typed = make(kind.__name__, keys)
    typed.__module__, typed.__doc__ = kind.__module__, kind.__doc__
    return typed


def key_of(name: str) -> str:
    return name.removesuffix("_")


# What is made of an answer at a door.


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Where an answer goes. Relative files lie in `base_dir`. With `public`, which makes a path one
    that everybody may read, no link leads to a file. Of a type in `include` the fields named there
    are written alone.
    """

    base_dir: Path | None = None
    public: Callable[[str], str] | None = None
    include: Mapping[type, Collection[str]] = field(default_factory=dict)

    def link(self, place: FilePlace) -> str | None:
        """The address that opens a file, a PDF at its page; None where files are out of reach."""
        if self.public is not None:
            return None
        return link_to_place(place.path, place.page, self.base_dir or Path.cwd())


HERE = Door()
"""A door that hides nothing."""
_AS_IT_IS = frozenset({str, int, float, bool, type(None)})


def plain(value: object, door: Door = HERE) -> Any:
    """What JSON has for a value: an object for a model, a dataclass and a mapping, a list for what
    is several, text for a path, a time and anything else.
    """
    if type(value) in _AS_IT_IS:
        return value
    if isinstance(value, (Enum, InstalledStrategy)):
        return value.value
    if isinstance(value, (str, int, float)):
        return value
    written: object
    if isinstance(value, FilePlace):
        written = door.link(value)
    elif isinstance(value, Model) or (is_dataclass(value) and not isinstance(value, type)):
        written = _object(value, door)
    elif isinstance(value, Mapping):
        written = {plain(key, door): plain(item, door) for key, item in value.items()}
    elif isinstance(value, (list, tuple)):
        written = [plain(item, door) for item in value]
    elif isinstance(value, (set, frozenset)):
        written = sorted(plain(item, door) for item in value)
    elif isinstance(value, datetime):
        written = value.isoformat()
    else:
        written = value.as_posix() if isinstance(value, Path) else str(value)
    return written


def _object(value: object, door: Door) -> dict[str, Any]:
    kind: Any = type(value)
    written = {}
    for name in door.include.get(kind) or _names(kind):
        part = getattr(value, name)
        if part is ABSENT:
            continue
        if door.public is not None and part is not None and name in _paths(kind):
            part = door.public(str(part))
        written[key_of(name)] = plain(part, door)
    return written


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """The fields of a type in the order of its keys."""
    if issubclass(kind, Model):
        return tuple(dict.fromkeys((*kind.LEADING, *kind.FIELDS)))
    return tuple(each.name for each in fields(kind))


@cache
def _paths(kind: Any) -> frozenset[str]:
    return frozenset(name for name, hint in hints(kind).items() if _is_path(hint))


def _is_path(hint: object) -> bool:
    marks = getattr(hint, "__metadata__", ())
    return _PATH in marks or any(map(_is_path, get_args(hint)))


def included(kind: type, *names: str) -> tuple[str, ...]:
    """Fields of a type in their order. Raises `AttributeError` for a name that none of them has."""
    if unknown := set(names) - {*_names(kind)}:
        raise AttributeError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    return tuple(name for name in _names(kind) if name in names)


def with_texts(value: T, change: Callable[[str], str]) -> T:
    """The value with every text in it changed, the keys of mappings, too."""
    changed: Any = value
    if type(value) is str:
        changed = change(changed)
    elif isinstance(value, Model):
        parts = {name: with_texts(part, change) for name, part in value.__dict__.items()}
        changed = replaced(value, **parts)
    elif is_dataclass(value) and not isinstance(value, type):
        parts = {e.name: with_texts(getattr(value, e.name), change) for e in fields(value)}
        changed = replace(value, **parts)
    elif isinstance(value, Mapping):
        changed = {with_texts(key, change): with_texts(item, change) for key, item in value.items()}
    elif isinstance(value, (list, tuple)):
        changed = [with_texts(item, change) for item in value]
    return cast("T", changed)
