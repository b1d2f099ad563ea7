"""Document metadata: the authors, and what front matter says, checked against a schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from functools import cached_property
from math import isfinite
from typing import Annotated

from citeloom.domain.documents.conversion import Block, BlockKind
from citeloom.domain.errors import InvalidMetadata
from citeloom.domain.fields import Count, Example, Texts, key

# The author block of a work: names and addresses between its title and its text.

_NAMES = 0.6
"""Least share of capitalised words in names and addresses."""


def with_authors(blocks: Sequence[Block], text: str) -> list[Block]:
    """The blocks of a document, with those that name its authors below the title labelled so."""
    marked = list(blocks)
    title = next((n for n, block in enumerate(blocks) if block.kind is BlockKind.TITLE), None)
    if title is None:
        return marked
    for index in range(title + 1, len(blocks)):
        block = blocks[index]
        if block.kind is not BlockKind.PARAGRAPH or not _reads_like_names(block, text):
            break
        marked[index] = replace(block, kind=BlockKind.AUTHORS)
    return marked


def _reads_like_names(block: Block, text: str) -> bool:
    words = [word for word in text[block.start : block.end].split() if word[0].isalpha()]
    words = [word for word in words if word != "and"]
    return len(words) > 1 and sum(w[0].isupper() for w in words) >= _NAMES * len(words)


# Document metadata: what the front matter of a Markdown file says, checked against a schema.

MetadataValue = str | int | float | bool | tuple[str, ...]
"""A value of a field; a date is text in ISO form."""
FRONT_MATTER_SUFFIXES = frozenset({".md", ".markdown", ".mdx"})
"""The suffixes of files that may have front matter."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_YES_OR_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NO_VALUE = ("", "~", "null")
_MOST_UNDECLARED = 50
_MOST_ITEMS = 50
_DEEPEST = 3
_LONGEST_NAME = 100
_LONGEST_TEXT = 1000
_LONGEST_TOGETHER = 8000


class FieldKind(StrEnum):
    """The type of a field, as configurations name it."""

    TEXT = "str"
    WHOLE = "int"
    NUMBER = "float"
    YES_OR_NO = "bool"
    DATE = "date"
    TEXTS = "list[str]"

    @property
    def is_text(self) -> bool:
        """Whether values are compared as text, and not as numbers."""
        return self in (FieldKind.TEXT, FieldKind.TEXTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataField:
    """A field of the front matter of Markdown files. A field with only a type may be written in
    short, as `module = "str"`. A file without a required field, or with an invalid one, is not
    ingested.
    """

    name: str = field(metadata=key(None))
    kind: FieldKind = field(default=FieldKind.TEXT, metadata=key("type"))
    """The type of its value."""
    required: bool = False
    """Whether every file must have it."""
    max_length: Annotated[Count | None, Example(255)] = None
    """Maximum number of characters in a text, or in each text of a list."""
    max_items: Annotated[Count | None, Example(50)] = None
    """Maximum number of items in a list."""
    choices: Annotated[Texts, Example(("A2", "B1"))] = ()
    """The allowed values. Unset, any."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"'{self.name}' is no field name: letters, digits, '_' and '-' make one"
            )

    def value_of(self, written: object) -> MetadataValue | None:
        """The value of what is written, None for nothing; an empty list is a list.

        Raises `ValueError` with the reason.
        """
        texts = _texts(written)
        if not texts:
            return () if self.kind is FieldKind.TEXTS and written == [] else None
        if self.kind is FieldKind.TEXTS:
            if self.max_items is not None and len(texts) > self.max_items:
                raise ValueError(f"{len(texts)} items, and no more than {self.max_items} may be")
        elif isinstance(written, list | tuple):
            raise ValueError(f"a list, and not a value of type {self.kind.value}")
        for text in texts:
            self._check(text)
        return texts if self.kind is FieldKind.TEXTS else _READERS[self.kind](texts[0])

    def _check(self, text: str) -> None:
        if self.max_length is not None and len(text) > self.max_length:
            raise ValueError(f"{len(text)} characters, and no more than {self.max_length} may be")
        if self.choices and text not in self.choices:
            raise ValueError(f"'{text}' is none of {', '.join(self.choices)}")


STANDARD_FIELDS = (
    MetadataField(name="title", max_length=255),
    MetadataField(name="summary", max_length=1000),
    MetadataField(name="tags", kind=FieldKind.TEXTS, max_items=50),
    MetadataField(name="topics", kind=FieldKind.TEXTS, max_items=50),
    MetadataField(name="keywords", kind=FieldKind.TEXTS, max_items=50),
    MetadataField(name="llm_hints", max_length=1000),
    MetadataField(name="language", max_length=35),
)
"""The fields that every Markdown file may have."""
COUNTED_FIELDS = (
    MetadataField(name="word_count", kind=FieldKind.WHOLE),
    MetadataField(name="section_count", kind=FieldKind.WHOLE),
    MetadataField(name="has_frontmatter", kind=FieldKind.YES_OR_NO),
)
"""The fields that are counted, and not written in the file."""


@dataclass(frozen=True, slots=True)
class UndeclaredFields:
    """The fields of front matter that no schema names, as texts and lists of texts, and the names
    of those that are `shortened` or `left_out` since there is too much.
    """

    values: Mapping[str, MetadataValue]
    shortened: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class MetadataSchema:
    """The fields of a project's Markdown files: the declared ones and the standard ones.

    A declared field of a standard name keeps the standard type, and the standard limits it does
    not set itself. Raises `ValueError` for another type or a counted field.
    """

    declared: tuple[MetadataField, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "declared", tuple(map(_with_standard_limits, self.declared)))

    @cached_property
    def fields(self) -> Mapping[str, MetadataField]:
        """Every field by name, the counted ones among them."""
        return {field.name: field for field in (*STANDARD_FIELDS, *COUNTED_FIELDS, *self.declared)}

    def validated(self, written: Mapping[str, object]) -> dict[str, MetadataValue]:
        """The values of all known fields; the case of names does not count.

        Raises `InvalidMetadata` for a missing or an invalid one.
        """
        values = {field.name: _validated(field, value) for field, value in self._known(written)}
        return {name: value for name, value in values.items() if value is not None}

    def valid(self, written: Mapping[str, object]) -> dict[str, MetadataValue]:
        """The values of those known fields that are valid."""
        values: dict[str, MetadataValue] = {}
        for known, value in self._known(written):
            with suppress(InvalidMetadata):
                if (validated := _validated(known, value)) is not None:
                    values[known.name] = validated
        return values

    def _known(self, written: Mapping[str, object]) -> list[tuple[MetadataField, object]]:
        """Each known field that is not counted, and what is written for it."""
        by_name = {name.casefold(): value for name, value in written.items()}
        counted = {field.name for field in COUNTED_FIELDS}
        return [
            (field, by_name.get(field.name.casefold()))
            for field in self.fields.values()
            if field.name not in counted
        ]

    def undeclared(self, written: Mapping[str, object]) -> UndeclaredFields:
        """All other fields as written, nested ones by names such as `params.author`.

        At most 50 fields of 8,000 characters together, names of 100 characters, texts of 1,000 and
        lists of 50 items; mappings below the third level and in lists become JSON text.
        """
        known = {name.casefold() for name in self.fields}
        others = {name: value for name, value in written.items() if name.casefold() not in known}
        values: dict[str, MetadataValue] = {}
        shortened, left_out, room = [], [], _LONGEST_TOGETHER
        for name, leaf in _leaves(others):
            value = _plain(leaf)
            if value == "":
                continue
            short = _shortened(value)
            size = len(name) + sum(map(len, short))
            full = len(values) == _MOST_UNDECLARED or len(name) > _LONGEST_NAME or size > room
            if full:
                left_out.append(name[:_LONGEST_NAME])
                continue
            values[name] = short
            room -= size
            if short != value:
                shortened.append(name)
        return UndeclaredFields(values, tuple(shortened), tuple(left_out))


def as_text(value: MetadataValue) -> str:
    """The value in words, those of a list with commas between them."""
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def number_of(value: MetadataValue) -> float | None:
    """A number that compares as the value does, for a date its day; None for text and lists."""
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str):
        return None
    try:
        return float(date.fromisoformat(value).toordinal())
    except ValueError:
        return None


def _validated(declared: MetadataField, written: object) -> MetadataValue | None:
    try:
        value = declared.value_of(written)
    except ValueError as error:
        raise InvalidMetadata(
            f"invalid frontmatter field: {declared.name}: {error}",
            "Correct it, or change its declaration under front_matter of the project.",
        ) from error
    if value is None and declared.required:
        raise InvalidMetadata(
            f"missing frontmatter field: {declared.name}",
            "Add it to the front matter at the top, or declare it as not required.",
        )
    return value


def _leaves(
    fields: Mapping[str, object], prefix: str = "", depth: int = 1
) -> Iterator[tuple[str, object]]:
    """The names and values of fields; those of nested mappings have their parents' names before."""
    for name, value in fields.items():
        if isinstance(value, Mapping) and depth < _DEEPEST:
            yield from _leaves(value, f"{prefix}{name}.", depth + 1)
        else:
            yield f"{prefix}{name}", value


def _plain(value: object) -> str | tuple[str, ...]:
    """The value as text or as a list of texts; "" where nothing is written."""
    if isinstance(value, list | tuple):
        return tuple(text for item in value if (text := _line(item)))
    return _line(value)


def _line(value: object) -> str:
    """A scalar as text, anything nested as JSON."""
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    text = "" if value is None else str(value).strip()
    return "" if text in _NO_VALUE else text


def _shortened(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    if isinstance(value, tuple):
        return tuple(_cut(text) for text in value[:_MOST_ITEMS])
    return _cut(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def _with_standard_limits(declared: MetadataField) -> MetadataField:
    if any(declared.name == counted.name for counted in COUNTED_FIELDS):
        raise ValueError(f"'{declared.name}' is counted and cannot be declared")
    standard = next((field for field in STANDARD_FIELDS if field.name == declared.name), None)
    if standard is None:
        return declared
    if declared.kind is not standard.kind:
        raise ValueError(f"'{declared.name}' is of type {standard.kind.value}")
    return replace(
        declared,
        max_length=standard.max_length if declared.max_length is None else declared.max_length,
        max_items=standard.max_items if declared.max_items is None else declared.max_items,
    )


def _texts(written: object) -> tuple[str, ...]:
    """The texts of a scalar or a list. Raises `ValueError` for anything nested."""
    items = written if isinstance(written, list | tuple) else [] if written is None else [written]
    if not all(isinstance(item, str) for item in items):
        raise ValueError("a nested value, and not text or a list of texts")
    return tuple(text for item in items if (text := str(item).strip()) not in _NO_VALUE)


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"'{text}' is no whole number")
    return int(text)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise ValueError(f"'{text}' is no number")
    return number


def _yes_or_no(text: str) -> bool:
    if text.casefold() not in _YES_OR_NO:
        raise ValueError(f"'{text}' is neither true nor false")
    return _YES_OR_NO[text.casefold()]


def _date(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"'{text}' is no date like 2024-05-01") from None


_READERS: Mapping[FieldKind, Callable[[str], MetadataValue]] = {
    FieldKind.TEXT: str,
    FieldKind.WHOLE: _whole,
    FieldKind.NUMBER: _number,
    FieldKind.YES_OR_NO: _yes_or_no,
    FieldKind.DATE: _date,
}
