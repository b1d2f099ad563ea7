"""The fields of requests: what stands beside one in its annotation, and what a request makes of it.

A field is annotated with what a caller in Python may give. Other doors show the most exact of it:
a `Sequence[ChunkKind | str] | str` is a list of chunk kinds for them. Beside it stand its bounds,
as `annotated_types` has them, its text for help and documents, as `doc`, and the markers below.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum, StrEnum, auto
from functools import cache, update_wrapper
from math import isfinite
from types import MethodType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ParamSpec,
    Protocol,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from annotated_types import DocInfo, Ge, Gt, Le, MaxLen, MinLen, doc

from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.retrieval.filters import check_text

M = TypeVar("M")
Name = TypeVar("Name", bound=Enum)


# Markers of fields.


class For(Enum):
    """Whom a field without a place in every door is for."""

    CALLERS = auto()
    """Callers in this process alone."""
    PEOPLE = auto()
    """Python and the command line: other programs may not ask for it."""
    PROGRAMS = auto()
    """Python and HTTP; the command line says it in another way."""
    EXPERTS = auto()
    """All but language models, whose context each option of a tool takes up."""
    SCOPE = auto()
    """All; tools of language models have them in one object, `scope`, which takes less of it."""


@dataclass(frozen=True, slots=True)
class Called:
    """What messages call the value of a field, where that is not its name."""

    noun: str


@dataclass(frozen=True, slots=True)
class Flag:
    """The option of the command line, where it is not `--` and the name of the field."""

    names: tuple[str, ...] = ()
    metavar: str | None = None


@dataclass(frozen=True, slots=True)
class Served:
    """What other programs may give: the largest number or longest value, a pattern of texts, and
    the key in JSON, where that is not the name of the field.
    """

    most: int | None = None
    pattern: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Brief:
    """What language models are told of the field, where its name does not say it."""

    text: str


@dataclass(frozen=True, slots=True)
class Parser:
    """A function that makes the value of what was given. In JSON, a pair has two fields with the
    names of its `parts`, each with its meaning, and a list may stand as one `text`.
    """

    read: Callable[[Any], object]
    parts: tuple[tuple[str, str], ...] = ()
    text: bool = False


@dataclass(frozen=True, slots=True)
class Choices:
    """Beside the type of each of several texts: the texts that there are, and a name for these."""

    title: str
    texts: Collection[str]

    @property
    def kind(self) -> Any:
        make: Any = StrEnum
        return make(self.title, [(text, text) for text in self.texts])


def flag(*names: str, metavar: str | None = None) -> Flag:
    """The names of a field's option on the command line."""
    return Flag(names, metavar)


# A field as doors see it.


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestField:
    """A field of a request: `kind` is the type of its value, or of each of `many`."""

    name: str
    kind: Any
    many: bool
    optional: bool
    positional: bool
    default: object
    markers: tuple[object, ...]
    item_markers: tuple[object, ...] = ()

    def get(self, marker: type[M]) -> M | None:
        """The marker of that type beside the field."""
        return next((found for found in self.markers if isinstance(found, marker)), None)

    @property
    def is_required(self) -> bool:
        return self.default is MISSING

    @property
    def help(self) -> str:
        """What it means."""
        text = self.get(DocInfo)
        return text.documentation if text else ""

    @property
    def noun(self) -> str:
        """What messages call its value, or each of its values."""
        called = self.get(Called)
        if called is not None:
            return called.noun
        return self.name.removesuffix("s" if self.many else "").replace("_", " ")

    @property
    def most(self) -> Any:
        """The largest number, or the longest value, that other programs may give; None without a
        bound.
        """
        largest, longest, served = self.get(Le), self.get(MaxLen), self.get(Served)
        bounds: list[Any] = [largest.le] if largest else [longest.max_length] if longest else []
        return min([*bounds, *([served.most] if served and served.most else [])], default=None)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of its value in JSON, several for the parts of a pair."""
        reads, served = self.get(Parser), self.get(Served)
        if reads and reads.parts:
            return tuple(part for part, _ in reads.parts)
        return ((served.key if served else None) or self.name,)


@cache
def fields_of(request: Any) -> Mapping[str, RequestField]:
    """The fields of a request by name, those given by position first."""
    hints = get_type_hints(request, include_extras=True)
    found = []
    for each in fields(request):
        hint, *markers = _unwrapped(hints[each.name])
        kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        several = [kind for kind in kinds if get_origin(kind) is Sequence]
        kind, *item_markers = _unwrapped(get_args(several[0])[0] if several else hint)
        choices = next((marker for marker in item_markers if isinstance(marker, Choices)), None)
        factory: Any = each.default_factory
        found.append(
            RequestField(
                name=each.name,
                kind=choices.kind if choices else _most_exact(kind),
                many=bool(several),
                optional=NoneType in kinds,
                positional=not each.kw_only,
                default=each.default if factory is MISSING else factory(),
                markers=tuple(markers),
                item_markers=tuple(item_markers),
            )
        )
    return {each.name: each for each in sorted(found, key=lambda each: not each.positional)}


def values_of(request: Request, kind: Any) -> dict[str, Any]:
    """The values that a request has for the fields of `kind`, a class that it inherits from."""
    return {name: getattr(request, name) for name in fields_of(kind)}


def _unwrapped(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) is Annotated else (hint,)


def _most_exact(hint: Any) -> Any:
    """The most exact of the types that may be given: an enumeration rather than its names, and a
    text rather than the value that is made of it.
    """
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    kinds = tuple(kind for kind in kinds if kind is not NoneType)
    named = (kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Enum))
    return next(named, kinds[0])


# A request checks its fields when it is made.


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked: the values of its fields as they are meant, each within its bounds.

    Raises `InvalidFilter` for an empty, impossible or out-of-range value.
    """

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name, each in fields_of(kind).items():
            given = getattr(self, name)
            if given is None:
                continue
            value = _parsed(given, each)
            if value is not given:
                object.__setattr__(self, name, value)
            _check(value, each)


@dataclass(frozen=True, kw_only=True)
class CancellableRequest(Request):
    """A request whose work another thread may end."""

    cancellation: Annotated[
        Cancellation | None, For.CALLERS, doc("Ends it from another thread.")
    ] = field(default=None, compare=False, repr=False)


def _parsed(given: Any, field: RequestField) -> object:
    reads = field.get(Parser)
    if reads is not None:
        return reads.read(given)
    is_name = isinstance(field.kind, type) and issubclass(field.kind, Enum)
    if not field.many:
        return choice(field.name, field.kind, given) if is_name else given
    alone = isinstance(given, str) or not isinstance(given, Iterable)
    values = (given,) if alone else tuple(given)
    return tuple(choice(field.noun, field.kind, value) for value in values) if is_name else values


def choice(what: str, choices: type[Name], name: object) -> Name:
    """The one of `choices` with that name. Raises `InvalidFilter` with all of them for another."""
    try:
        return choices(name)
    except ValueError:
        names = ", ".join(str(value.value) for value in choices)
        raise InvalidFilter(f"there is no {what} {name!r}", f"It is one of {names}.") from None


def _check(value: Any, field: RequestField) -> None:
    noun, shortest, longest = field.noun, field.get(MinLen), field.get(MaxLen)
    if field.many and (shortest or longest):
        least, most = (shortest.min_length if shortest else 0), longest.max_length if longest else 0
        if len(value) < least or (longest and len(value) > most):
            span = f"{least} to {most:,}" if longest else f"at least {least}"
            raise InvalidFilter(f"there are {len(value):,} {noun}s", f"Give {span}.")
    elif isinstance(value, str) and not isinstance(value, StrEnum):
        if shortest:
            check_text(noun, value)
        if longest and len(value) > longest.max_length:
            raise InvalidFilter(
                f"the {noun} has {len(value):,} characters, more than {longest.max_length:,}",
                "Ask in fewer words.",
            )
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_number(value, field)


def _check_number(value: float, field: RequestField) -> None:
    if isinstance(value, float) and not isfinite(value):
        raise InvalidFilter(f"the {field.noun} must be a number, not {value}", "Or leave it out.")
    least, most, above = field.get(Ge), field.get(Le), field.get(Gt)
    low: Any = least.ge if least else value
    high: Any = most.le if most else value
    if low <= value <= high and (above is None or value > cast("Any", above.gt)):
        return
    span = f"lie in {low}..{high}" if most else f"be at least {low}" if least else "be more"
    raise InvalidFilter(
        f"the {field.noun} must {span}, not {value}", "Give one of these, or leave it out."
    )


# Methods that take a request, or its fields.

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", bound=Request)
Request_contra = TypeVar("Request_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


class Accepting(Protocol[Request_contra, P, Result_co]):
    """A method of an object that takes a request, or in its place the fields of one."""

    @overload
    def __call__(self, request: Request_contra, /) -> Result_co: ...

    @overload
    def __call__(self, *args: P.args, **options: P.kwargs) -> Result_co: ...


class AcceptingMethod(Protocol[Request_contra, P, Result_co]):
    """The same in its class."""

    def __get__(
        self, instance: object, owner: Any = None, /
    ) -> Accepting[Request_contra, P, Result_co]: ...


def accepts(
    request: Callable[P, R],
) -> Callable[[Callable[[Any, R], T]], AcceptingMethod[R, P, T]]:
    """Lets a method that takes such a request be called with its fields, too; editors, type
    checkers and `inspect` see the signature of the request. Where the first field takes several
    values, each may be an argument of its own.
    """
    kind = cast("type[R]", request)
    return lambda method: cast("AcceptingMethod[R, P, Any]", _RequestMethod(method, kind))


class _RequestMethod:
    """A method that accepts a request or its fields. What the types of these are is found when
    somebody looks at the signature.
    """

    def __init__(self, method: Callable[[Any, Any], Any], kind: type[Request]) -> None:
        update_wrapper(self, method)
        self._method, self._kind = method, kind

    def __get__(self, instance: object, owner: Any = None, /) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, instance: Any, /, *args: Any, **options: Any) -> Any:
        if len(args) == 1 and not options and isinstance(args[0], self._kind):
            return self._method(instance, args[0])
        return self._method(instance, _request(self._kind, args, options))

    @property
    def __signature__(self) -> inspect.Signature:
        hints, signature = get_type_hints(self._kind), inspect.signature(self._method)
        instance, _ = signature.parameters.values()
        options = inspect.signature(self._kind).parameters.values()
        return signature.replace(
            parameters=[
                instance.replace(kind=inspect.Parameter.POSITIONAL_ONLY),
                *(option.replace(annotation=hints[option.name]) for option in options),
            ]
        )


def _request(kind: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    first = next(iter(fields_of(kind).values()))
    if first.many and first.positional and len(args) > 1:
        args = (args,)
    if first.is_required and not args and first.name not in options:
        raise InvalidFilter(f"there is no {first.noun}", f"Name it: {first.name}=…")
    return kind(*args, **options)
