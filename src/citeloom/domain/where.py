"""Conditions on the metadata of documents: `module=Module 1`, `hardware_tier<=2`, `tags=a,b`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from enum import StrEnum

from citeloom.domain.chunk import SectionType
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.lesson import LessonType
from citeloom.domain.metadata import FieldKind, MetadataField, MetadataSchema, number_of

_WRITTEN = re.compile(r"\s*([^\s<>=!]+)\s*(<=|>=|!=|==?|<|>)(.*)", re.DOTALL)
_QUOTED = re.compile(r"\"(.*)\"|'(.*)'", re.DOTALL)
_HOW = "Write it as field=value, field!=value, field<=value or the like."


class Operator(StrEnum):
    """How a field is compared."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A condition on a field of front matter, or with `on_chunk` on what a chunk is.

    As asked, `value` is texts; one that is `written` may be a list with commas. As `resolved`
    against a schema, it is texts for a field of text or a list, of which the field has one (with
    `!=` none), and else a number that the field's number compares with. A document without the
    field meets only `!=`.
    """

    field: str
    operator: Operator
    value: tuple[str, ...] | float
    written: bool = False
    on_chunk: bool = False


CHUNK_FIELDS = {
    "section_type": MetadataField(
        name="section_type", choices=tuple(one.value for one in SectionType)
    ),
    "lesson_section_type": MetadataField(
        name="lesson_section_type", choices=tuple(one.value for one in LessonType)
    ),
}
"""What a chunk is, by the name that it is stored under: what most of its text is, and the type of
its section in a lesson."""


def parse_where(text: str) -> Where:
    """The condition that is written. Raises `InvalidFilter` for anything else."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise InvalidFilter(f"'{text}' is no condition", _HOW)
    value = found[3].strip()
    if quoted := _QUOTED.fullmatch(value):
        value = quoted[1] or quoted[2] or ""
    operator = Operator(found[2].replace("==", "="))
    return Where(field=found[1], operator=operator, value=(value,), written=True)


def conditions(asked: Sequence[str | Where] | Mapping[str, object]) -> tuple[Where, ...]:
    """The conditions that are written, or that fields have these values, one of them where there
    is a list. Raises `InvalidFilter`.
    """
    if isinstance(asked, Mapping):
        return tuple(
            Where(field=name, operator=Operator.EQUAL, value=_as_written(value))
            for name, value in asked.items()
        )
    listed = [asked] if isinstance(asked, str) else asked
    return tuple(one if isinstance(one, Where) else parse_where(one) for one in listed)


def resolved(where: Where, schema: MetadataSchema) -> Where:
    """The condition with a value of the field's type.

    A field of front matter comes before one of the chunk of the same name. Raises `InvalidFilter`
    for an unknown field, and for a value or an operator that does not fit.
    """
    field = schema.fields.get(where.field)
    if field is None and where.field in CHUNK_FIELDS:
        return _of_chunk(where)
    if field is None:
        raise _unknown(where.field, schema)
    texts = _texts(where, field)
    if not field.kind.is_text:
        return replace(where, value=_number(field, texts), written=False)
    if where.operator not in (Operator.EQUAL, Operator.NOT_EQUAL):
        raise InvalidFilter(
            f"'{field.name}' is text, and {where.operator.value} compares numbers and dates",
            f"Ask for {field.name}=value.",
        )
    return replace(where, value=texts, written=False)


def _of_chunk(where: Where) -> Where:
    """The condition on what a chunk is. `section_type` with the types of a lesson's sections asks
    for these.
    """
    if where.operator not in (Operator.EQUAL, Operator.NOT_EQUAL):
        raise InvalidFilter(
            f"'{where.field}' is text, and {where.operator.value} compares numbers and dates",
            f"Ask for {where.field}=value.",
        )
    listed = MetadataField(name=where.field, kind=FieldKind.TEXTS)
    values = _texts(where, listed)
    lesson_types = CHUNK_FIELDS["lesson_section_type"].choices
    of_lesson = where.field == "section_type" and set(values) <= set(lesson_types)
    field = CHUNK_FIELDS["lesson_section_type" if of_lesson else where.field]
    for value in values:
        if value not in field.choices:
            raise InvalidFilter(
                f"'{value}' is no {field.name}", f"There are: {', '.join(field.choices)}."
            )
    return replace(where, field=field.name, value=values, written=False, on_chunk=True)


def _texts(where: Where, field: MetadataField) -> tuple[str, ...]:
    """The values that are asked for; those of a written list are separated by commas."""
    texts = where.value if isinstance(where.value, tuple) else (str(where.value),)
    if where.written and field.kind is FieldKind.TEXTS:
        texts = tuple(part for text in texts for part in text.split(","))
    texts = tuple(text.strip() for text in texts)
    if not texts or not all(texts):
        raise InvalidFilter(f"the value of '{field.name}' is empty", _HOW)
    return texts


def _number(field: MetadataField, texts: tuple[str, ...]) -> float:
    if len(texts) > 1:
        raise InvalidFilter(f"'{field.name}' is compared with one value, not {len(texts)}", _HOW)
    try:
        value = MetadataField(name=field.name, kind=field.kind).value_of(texts[0])
    except ValueError as error:
        raise InvalidFilter(
            f"'{field.name}' is of type {field.kind.value}: {error}", _HOW
        ) from error
    number = None if value is None else number_of(value)
    if number is None:
        raise InvalidFilter(f"'{field.name}' is of type {field.kind.value}, not '{texts[0]}'", _HOW)
    return number


def _unknown(name: str, schema: MetadataSchema) -> InvalidFilter:
    fields = (*schema.fields, *CHUNK_FIELDS)
    by_fold = {one.casefold(): one for one in fields}
    near = get_close_matches(name.casefold(), by_fold, n=1)
    hint = f"Did you mean {by_fold[near[0]]}?" if near else f"There are: {', '.join(fields)}."
    return InvalidFilter(f"there is no metadata field '{name}'", hint)


def _as_written(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list | tuple) else (value,)
    return tuple(_text(item) for item in items)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)
