"""The filters of a query, checked so that none is empty or impossible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citeloom.domain.chunk import ChunkKind
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.where import Where

_YEARS = re.compile(r"(\d{1,4})?(?:(\.\.)(\d{1,4})?)?", re.ASCII)
_LAST_YEAR = 9999
LEAVE_OUT = "Leave the filter out, or see where its value comes from: a variable that is not set?"
"""What to do about a value that is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions that a passage must all meet; none by default.

    A work must have each of the `tags`, whatever their case. `section` is titles that follow one
    another in a section path; each condition of `where` on front matter, or on what a chunk is,
    holds; of `kinds` a chunk has one, and without any, reference lists are left out. A citekey may
    be written with its `@`. Raises `InvalidFilter` for what is empty or impossible.
    """

    doc_id: str | None = None
    citekey: str | None = None
    tags: tuple[str, ...] = ()
    year_from: int | None = None
    year_to: int | None = None
    kinds: tuple[ChunkKind, ...] = ()
    section: tuple[str, ...] = ()
    source_path: str | None = None
    where: tuple[Where, ...] = ()

    def __post_init__(self) -> None:
        if self.citekey is not None:
            object.__setattr__(self, "citekey", self.citekey.removeprefix("@"))
        for what, value in self._texts():
            check_text(what, value, LEAVE_OUT)
        _check_years(self.year_from, self.year_to)

    def _texts(self) -> Iterator[tuple[str, str]]:
        named = (
            ("document id", self.doc_id),
            ("citekey", self.citekey),
            ("source path", self.source_path),
        )
        yield from ((what, value) for what, value in named if value is not None)
        yield from (("tag", tag) for tag in self.tags)
        yield from (("section title", title) for title in self.section)


def check_text(what: str, value: str, hint: str = "") -> None:
    """Raise `InvalidFilter` where the value is blank, or not text in Unicode."""
    if not value.strip():
        raise InvalidFilter(f"the {what} is empty", hint)
    if any("\ud800" <= character <= "\udfff" for character in value) or "\0" in value:
        raise InvalidFilter(f"the {what} is not text: {value!a}", "Write it in UTF-8.")


def parse_section(text: str) -> tuple[str, ...]:
    """The titles of a section path: `Methods > Sampling`."""
    return tuple(title.strip() for title in text.split(">"))


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


def _check_years(first: int | None, last: int | None) -> None:
    for year in (first, last):
        if year is not None and not 0 <= year <= _LAST_YEAR:
            raise InvalidFilter(f"{year} is no year", f"Years lie in 0..{_LAST_YEAR}.")
    if first is not None and last is not None and first > last:
        raise InvalidFilter(
            f"no year lies in {first}..{last}", f"Put the earlier year first: {last}..{first}."
        )
