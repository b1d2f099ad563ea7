"""The filters of a query, on citation and metadata, checked so that none is empty or impossible."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from enum import StrEnum
from unicodedata import combining, normalize

from citeloom.domain.chunks.chunk import ChunkKind, LessonType, SectionType, color_name
from citeloom.domain.documents.language import language_code
from citeloom.domain.documents.metadata import FieldKind, MetadataField, MetadataSchema, number_of
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.references.item_types import item_type_of

# Conditions on the metadata of documents: `module=Module 1`, `hardware_tier<=2`, `tags=a,b`.

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
        name="section_type", choices=tuple(kind.value for kind in SectionType)
    ),
    "lesson_section_type": MetadataField(
        name="lesson_section_type", choices=tuple(kind.value for kind in LessonType)
    ),
}
"""What a chunk is, by the name that it is stored under: what most of its text is, and the type of
its section in a lesson."""


def parse_where(text: str) -> Where:
    """The condition that is written. Raises `InvalidFilter` for anything else."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise InvalidFilter(f"'{text}' is no condition", _HOW)
    value = match[3].strip()
    if quoted := _QUOTED.fullmatch(value):
        value = quoted[1] or quoted[2] or ""
    operator = Operator(match[2].replace("==", "="))
    return Where(field=match[1], operator=operator, value=(value,), written=True)


def conditions(filters: Sequence[str | Where] | Mapping[str, object]) -> tuple[Where, ...]:
    """The conditions that are written, or that fields have these values, one of them where there
    is a list. Raises `InvalidFilter`.
    """
    if isinstance(filters, Mapping):
        listed = {
            name: value if isinstance(value, list | tuple) else (value,)
            for name, value in filters.items()
        }
        return tuple(
            Where(field=name, operator=Operator.EQUAL, value=tuple(map(_text, values)))
            for name, values in listed.items()
        )
    return tuple(
        condition if isinstance(condition, Where) else parse_where(condition)
        for condition in ([filters] if isinstance(filters, str) else filters)
    )


def resolved(where: Where, schema: MetadataSchema) -> Where:
    """The condition with a value of the field's type.

    A field of front matter comes before one of the chunk of the same name. Raises `InvalidFilter`
    for an unknown field, and for a value or an operator that does not fit.
    """
    field = schema.fields.get(where.field)
    if field is None and where.field not in CHUNK_FIELDS:
        fields = (*schema.fields, *CHUNK_FIELDS)
        by_fold = {name.casefold(): name for name in fields}
        near = get_close_matches(where.field.casefold(), by_fold, n=1)
        hint = f"Did you mean {by_fold[near[0]]}?" if near else f"There are: {', '.join(fields)}."
        raise InvalidFilter(f"there is no metadata field '{where.field}'", hint)
    if field is not None and not field.kind.is_text:
        return replace(where, value=_number(field, _texts(where, listed=False)), written=False)
    if where.operator not in (Operator.EQUAL, Operator.NOT_EQUAL):
        raise InvalidFilter(
            f"'{where.field}' is text, and {where.operator.value} compares numbers and dates",
            f"Ask for {where.field}=value.",
        )
    if field is not None:
        texts = _texts(where, listed=field.kind is FieldKind.TEXTS)
        return replace(where, value=texts, written=False)
    # `section_type` with the types of a lesson's sections asks for these
    values = _texts(where, listed=True)
    lesson_types = CHUNK_FIELDS["lesson_section_type"].choices
    of_lesson = where.field == "section_type" and set(values) <= set(lesson_types)
    field = CHUNK_FIELDS["lesson_section_type" if of_lesson else where.field]
    for value in values:
        if value not in field.choices:
            raise InvalidFilter(
                f"'{value}' is no {field.name}", f"There are: {', '.join(field.choices)}."
            )
    return replace(where, field=field.name, value=values, written=False, on_chunk=True)


def _texts(where: Where, *, listed: bool) -> tuple[str, ...]:
    """The values that are asked for; those of a written list are separated by commas."""
    texts = where.value if isinstance(where.value, tuple) else (str(where.value),)
    if where.written and listed:
        texts = tuple(part for text in texts for part in text.split(","))
    texts = tuple(text.strip() for text in texts)
    if not texts or not all(texts):
        raise InvalidFilter(f"the value of '{where.field}' is empty", _HOW)
    return texts


def _number(field: MetadataField, texts: tuple[str, ...]) -> float:
    if len(texts) > 1:
        raise InvalidFilter(f"'{field.name}' is compared with one value, not {len(texts)}", _HOW)
    try:
        value = replace(field, max_length=None, choices=()).value_of(texts[0])
    except ValueError as error:
        raise InvalidFilter(
            f"'{field.name}' is of type {field.kind.value}: {error}", _HOW
        ) from error
    number = None if value is None else number_of(value)
    if number is None:
        raise InvalidFilter(f"'{field.name}' is of type {field.kind.value}, not '{texts[0]}'", _HOW)
    return number


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


# The filters of a query, checked so that none is empty or impossible.

_YEARS = re.compile(r"(\d{1,4})?(?:(\.\.)(\d{1,4})?)?", re.ASCII)
_LAST_YEAR = 9999
LEAVE_OUT = "Leave the filter out, or see where its value comes from: a variable that is not set?"
"""What to do about a value that is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Conditions that hold of a chunk, its document or its work, as asked and as a store has them.

    `section` is titles that follow one another in a section path; each condition of `where` on
    front matter, or on what a chunk is, holds; of `kinds` a chunk has one.
    """

    doc_id: str | None = None
    citekey: str | None = None
    year_from: int | None = None
    year_to: int | None = None
    kinds: tuple[ChunkKind, ...] = ()
    section: tuple[str, ...] = ()
    source_path: str | None = None
    added_since: date | None = None
    where: tuple[Where, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters(Conditions):
    """Conditions that a passage must all meet; none by default.

    Those of `SCOPES` name what a work has, whatever its case: each of the `tags` and `authors`, and
    one of the others, with `subcollections` also below a collection. Without `kinds`, reference
    lists are left out. A citekey may be written with its `@`. Raises `InvalidFilter` for what is
    empty or impossible.
    """

    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    subcollections: bool = False
    authors: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    item_types: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    annotation_colors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.citekey is not None:
            object.__setattr__(self, "citekey", self.citekey.removeprefix("@"))
        texts = [
            ("document id", self.doc_id),
            ("citekey", self.citekey),
            ("source path", self.source_path),
            *((scope.noun, value) for scope in SCOPES for value in getattr(self, scope.name)),
            *(("section title", title) for title in self.section),
        ]
        for what, value in texts:
            if value is not None:
                check_text(what, value, LEAVE_OUT)
        first, last = self.year_from, self.year_to
        for year in (first, last):
            if year is not None and not 0 <= year <= _LAST_YEAR:
                raise InvalidFilter(f"{year} is no year", f"Years lie in 0..{_LAST_YEAR}.")
        if first is not None and last is not None and first > last:
            raise InvalidFilter(
                f"no year lies in {first}..{last}", f"Put the earlier year first: {last}..{first}."
            )


# The filters by what works have, as a collection spells it.


def _is_same(requested: str, stored: str, _: bool = False) -> bool:
    return _folded(requested) == _folded(stored)


def _is_author(requested: str, stored: str, _: bool) -> bool:
    """Whether a name has all the words of the one asked for, of given names the first letters."""
    words = _WORDS.findall(_folded(stored))
    return all(
        word in words or (len(word) == 1 and any(each.startswith(word) for each in words[1:]))
        for word in _WORDS.findall(_folded(requested))
    )


def _is_collection(requested: str, stored: str, below: bool) -> bool:
    """Whether a path, of names or of keys, is the one asked for, ends in the key, or lies below."""
    names = _names(stored)
    if (path := _names(requested)) == names[: len(path)] and (below or len(path) == len(names)):
        return True
    return requested in (stored.split("/") if below else stored.split("/")[-1:])


def _is_library(requested: str, stored: str, _: bool) -> bool:
    """Whether it is the library of a path, an id, or a name."""
    folded, own = requested.casefold(), ("user", "my library")
    if stored.split("/", maxsplit=1)[0] == "library":
        return folded in ("library", *own, stored.partition("/")[2].casefold())
    group, number, *name = stored.split("/", 2)
    return folded in (f"{group}/{number}", number, *map(str.casefold, name))


def _is_item_type(requested: str, stored: str, _: bool) -> bool:
    return item_type_of(requested).casefold() == stored.casefold()


def _is_language(requested: str, stored: str, _: bool) -> bool:
    """Whether it is the language, or its variety of a country."""
    code = (language_code(requested) or requested).casefold()
    return stored.casefold() == code or stored.casefold().startswith(f"{code}-")


def _is_color(requested: str, stored: str, _: bool) -> bool:
    return requested.casefold() in (stored.casefold(), color_name(stored))


def _folded(text: str) -> str:
    """The text without case, accents and runs of spaces."""
    plain = "".join(c for c in normalize("NFKD", text) if not combining(c))
    return " ".join(plain.casefold().split())


def _names(path: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in _SLASH.split(path.casefold().strip("/ ")))


_WORDS = re.compile(r"\w+")
_SLASH = re.compile(r"(?<!\\)/")


READING_AGAIN = (
    "`citeloom sync`, or `citeloom ingest` where the references are a file, adds it to what was "
    "ingested before, without embedding anything again"
)
"""How passages get what an earlier version did not store of their works."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A filter of the field `name` by values that chunks are stored with under `key`: a chunk has
    one of the values, or one for `every` value that is asked for.

    `matches` says whether what is asked for means a stored value; its last argument is whether what
    lies below counts. `adding` is how passages get a value where none has one.
    """

    name: str
    key: str
    noun: str
    matches: Callable[[str, str, bool], bool] = _is_same
    every: bool = False
    adding: str = READING_AGAIN


SCOPES = (
    Scope(name="tags", key="tags", noun="tag", every=True),
    Scope(
        name="collections", key="in_collections", noun="Zotero collection", matches=_is_collection
    ),
    Scope(name="authors", key="authors", noun="author", matches=_is_author, every=True),
    Scope(name="libraries", key="libraries", noun="Zotero library", matches=_is_library),
    Scope(name="item_types", key="item_type", noun="item type", matches=_is_item_type),
    Scope(name="containers", key="container", noun="container"),
    Scope(name="languages", key="language", noun="language", matches=_is_language),
    Scope(
        name="annotation_colors",
        key="mark_color",
        noun="annotation colour",
        matches=_is_color,
        adding="`citeloom sync --annotations` makes annotations passages of their own",
    ),
)
"""The filters by values that the store lists."""
ADDED_DAY = "added_day"
ALIASES = "aliases"
SCOPE_KEYS = frozenset({scope.key for scope in SCOPES} | {ALIASES, ADDED_DAY}) - {"tags"}
"""The keys of payloads that these filters read; collections made before they were there may have no
index of them.
"""


def check_text(what: str, value: str, hint: str = "") -> None:
    """Raise `InvalidFilter` where the value is blank, or not text in Unicode."""
    if not value.strip():
        raise InvalidFilter(f"the {what} is empty", hint)
    if any("\ud800" <= character <= "\udfff" for character in value) or "\0" in value:
        raise InvalidFilter(f"the {what} is not text: {value!a}", "Write it in UTF-8.")


def parse_section(text: str) -> tuple[str, ...]:
    """The titles of a section path: `Methods > Sampling`."""
    return tuple(title.strip() for title in text.split(">"))


def parse_day(text: str) -> date:
    """The day of `2024-05-31`, or the first of `2024-05` or `2024`.

    Raises `InvalidFilter` for anything else.
    """
    parts = text.strip().split("-")
    try:
        year, month, day = map(int, [*parts, "1", "1"][: max(3, len(parts))])
        return date(year, month, day)
    except ValueError:
        raise InvalidFilter(f"'{text}' is no day", "Write it as 2024-05-31.") from None


def parse_years(text: str) -> tuple[int | None, int | None]:
    """The first and the last year of `2019`, `2019..2023`, `2019..` or `..2023`.

    Raises `InvalidFilter` for anything else.
    """
    match = _YEARS.fullmatch(text.strip())
    if match is None or not (match[1] or match[3]):
        raise InvalidFilter(f"'{text}' is no span of years", "Write it as 2019..2023.")
    first = int(match[1]) if match[1] else None
    last = int(match[3]) if match[3] else None
    return first, last if match[2] else first


# The keys of section titles, by which a filter finds chunks.

_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.|[A-Z](?:\.\d+)*\.)\s+")


def section_key(path: Sequence[str]) -> str:
    """The key of the titles of a path; case, numbering and spacing do not count.

    `("2 Methods", "2.1 Sampling")` → `"methods > sampling"`.
    """
    titles = (" ".join(_NUMBERING.sub("", title).casefold().split()) for title in path)
    return " > ".join(titles)


def section_keys(*paths: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of all titles that follow one another in a path, those from its root first.

    `("2 Methods", "2.1 Sampling")` → `("methods", "methods > sampling", "sampling")`.
    """
    keys = (
        section_key(path[first:last])
        for path in paths
        for first in range(len(path))
        for last in range(first + 1, len(path) + 1)
    )
    return tuple(dict.fromkeys(keys))
