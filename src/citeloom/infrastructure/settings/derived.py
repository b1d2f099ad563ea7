"""Tables of the file that are made of the program's own values: the fields of a value are the keys,
with the defaults, constraints and descriptions that stand there.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from dataclasses import Field as DataclassField
from functools import cache, reduce
from operator import or_
from types import GenericAlias, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, create_model

from citeloom.domain.constraints import Bounds, Checked, Example, Key, NotEmpty, NotInFile
from citeloom.infrastructure.settings.values import Table, WhenWritten, one_or_many

Made = TypeVar("Made")

FORMS: dict[object, Any] = {}
"""How the file writes values that it does not write as their fields."""


class TableOf(Table, Generic[Made]):
    """The keys of a value of the program. Those that are not set have the value's own defaults."""

    kind: ClassVar[type]

    @classmethod
    def __class_getitem__(cls, kind: Any) -> Any:
        """A table with the keys of a dataclass."""
        if isinstance(kind, type) and is_dataclass(kind):
            return _table_of(kind)
        return super().__class_getitem__(kind)

    def value(self, **others: object) -> Made:
        """The value, with `others` in place of keys. Raises `ValueError` if they contradict each
        other.
        """
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return cast("Made", _made(self.kind, given | others))


def whole(table: TableOf[Made]) -> TableOf[Made]:
    """The table. Raises `ValueError` if its keys contradict each other."""
    table.value()
    return table


def descriptions(kind: type) -> dict[str, str]:
    """What stands below each field of a value, by its key."""
    found: dict[str, str] = {}
    below = dict(_below_fields(kind))
    for field in _key_fields(kind):
        found |= descriptions(field.part) if field.part else {field.key: below.get(field.name, "")}
    return found


def _below_fields(kind: type) -> Iterator[tuple[str, str]]:
    """The texts below the fields of a class, in its source."""
    (defined,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(defined, ast.ClassDef)
    for statement, following in zip(defined.body, defined.body[1:]):
        if isinstance(statement, ast.AnnAssign) and isinstance(following, ast.Expr):
            text = ast.literal_eval(following.value)
            yield ast.unparse(statement.target), " ".join(text.split())


# The fields of a value that are keys of the file.


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeyField:
    """A field that is a key, or a `part` whose own fields are keys of the same table."""

    name: str
    key: str
    hint: Any
    field: DataclassField[Any]
    examples: list[object]
    part: type | None

    def as_pydantic(self) -> tuple[Any, Any]:
        """The form of the key in the file, and its default."""
        form, examples = _form(self.hint), self.examples or None
        if isinstance(form, type) and issubclass(form, TableOf):
            return Annotated[form, WhenWritten()], Field(
                default_factory=form.model_construct, examples=examples
            )
        if self.field.default_factory is not MISSING:
            return form, Field(default_factory=self.field.default_factory, examples=examples)
        if self.field.default == "" and NotEmpty() in getattr(self.hint, "__metadata__", ()):
            return form | None, Field(default=None, examples=examples)
        return form, Field(default=self.field.default, examples=examples)


@cache
def _key_fields(kind: type) -> tuple[_KeyField, ...]:
    hints, own = get_type_hints(kind, include_extras=True), inspect.get_annotations(kind)
    key_fields = (
        _key_field(field, hints[field.name]) for field in fields(kind) if field.name in own
    )
    return tuple(field for field in key_fields if field is not None)


def _key_field(field: DataclassField[Any], hint: Any) -> _KeyField | None:
    metadata = getattr(hint, "__metadata__", ())
    if NotInFile() in metadata:
        return None
    return _KeyField(
        name=field.name,
        key=next((one.name for one in metadata if isinstance(one, Key)), field.name),
        hint=hint,
        field=field,
        examples=[one.value for one in metadata if isinstance(one, Example)],
        part=hint if isinstance(hint, type) and is_dataclass(hint) and hint not in FORMS else None,
    )


@cache
def _table_of(kind: type) -> type[TableOf[Any]]:
    table = create_model(
        f"{kind.__name__}Table", __base__=TableOf, __doc__=kind.__doc__, **dict(_keys(kind))
    )
    table.kind = kind
    return table


def _keys(kind: type) -> Iterator[tuple[str, Any]]:
    for field in _key_fields(kind):
        if field.part:
            yield from _keys(field.part)
        else:
            yield field.key, field.as_pydantic()


def _made(kind: type, given: Mapping[str, object]) -> object:
    """The value with what is given by key; `name`s of fields that are no keys count, too."""
    parts: dict[str, object] = {}
    for field in _key_fields(kind):
        if field.part:
            parts[field.name] = _made(field.part, given)
        elif field.key in given:
            value = given[field.key]
            parts[field.name] = value.value() if isinstance(value, TableOf) else value
    names = {field.name for field in fields(kind)}
    return kind(**{name: value for name, value in given.items() if name in names} | parts)


# The form of a value in the file.


def _form(hint: Any) -> Any:
    """The type of a field as pydantic reads it, with the constraints of the domain."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        base, *metadata = parts
        constraints = [constraint for each in metadata for constraint in _constraints(each, base)]
        return Annotated[(_form(base), *constraints)] if constraints else _form(base)
    if hint in FORMS:
        return FORMS[hint]
    if origin in (Union, UnionType):
        return reduce(or_, map(_form, parts))
    if origin is tuple and parts[-1] is ...:
        return Annotated[GenericAlias(tuple, (_form(parts[0]), ...)), BeforeValidator(one_or_many)]
    if origin is tuple:
        return GenericAlias(tuple, tuple(map(_form, parts)))
    return hint


def _constraints(constraint: object, base: Any) -> Iterator[object]:
    if isinstance(constraint, Bounds):
        finite = False if base is float else None
        yield Field(
            ge=constraint.least, gt=constraint.above, le=constraint.most, allow_inf_nan=finite
        )
    elif isinstance(constraint, NotEmpty):
        yield StringConstraints(strip_whitespace=True, min_length=1)
    elif isinstance(constraint, Checked):
        check = constraint.check
        yield AfterValidator(lambda text: (check(text), text)[1])
