"""A draft in the form that every check reads: paragraphs with their citations and places."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from citeloom.domain.errors import CiteloomError
from citeloom.domain.manuscript.page_locator import (
    PageLocator,
    labelled_pages,
    page_locator,
    unread_locator,
)

MARK = "\ufffc"
"""Stands in the text of a paragraph where a citation or a footnote is."""
LARGEST_DRAFT = 12_000_000
"""Bytes of a draft's file."""


@dataclass(frozen=True, slots=True, order=True)
class DraftLocation:
    """A span of a draft: the offsets `[start, end)` in its text, and the line and column of its
    first character, both from 1. In a Word or OpenDocument file a line is a paragraph.
    """

    start: int
    end: int
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCitation:
    """A citation of one work: `[see @key, p. 45]` has a prefix and a suffix; `@key` in the text of
    a sentence is `in_text`. `pages_place` is where its pages stand if that is not behind its key.
    """

    citekey: str
    place: DraftLocation = DraftLocation(0, 0, 1, 1)
    prefix: str = ""
    suffix: str = ""
    in_text: bool = False
    pages_place: DraftLocation | None = None

    @property
    def locator(self) -> PageLocator | None:
        """The pages that the suffix names, or else the prefix, if either names any."""
        return page_locator(self.suffix) or labelled_pages(self.prefix)

    @property
    def unread_locator(self) -> str:
        """What the suffix says of a place in the work that cannot be read; empty without any."""
        return "" if self.locator else unread_locator(self.suffix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What stands at a `MARK`: the citations of one bracket, or those of a footnote, which may have
    quotations of its own.
    """

    offset: int
    citations: tuple[DraftCitation, ...]
    is_note: bool = False
    has_quotations: bool = False


class ParagraphKind(StrEnum):
    """What a paragraph of a draft is."""

    TEXT = "text"
    HEADING = "heading"
    QUOTATION = "quotation"
    CELL = "cell"
    CAPTION = "caption"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftParagraph:
    """A paragraph without markup. Quotation marks that the format writes as commands are curly.

    `anchors` are the words whose place in the draft is known: offset in the paragraph, offset in
    the draft, length there. `formulas` are the spans that are mathematics. Paragraphs of one block
    quotation have the same `block`, counted from 1; 0 outside of any. So do the cells of a table's
    row have the same `row`.
    """

    text: str
    kind: ParagraphKind = ParagraphKind.TEXT
    marks: tuple[Mark, ...] = ()
    anchors: tuple[tuple[int, int, int], ...] = ()
    formulas: tuple[tuple[int, int], ...] = ()
    block: int = 0
    row: int = 0

    @property
    def citations(self) -> Iterator[DraftCitation]:
        """The citations in it, without those of its footnotes, which are paragraphs themselves."""
        for mark in self.marks:
            if not mark.is_note:
                yield from mark.citations

    def span_in_draft(self, start: int, end: int) -> tuple[int, int] | None:
        """Where in the draft the words within `[start, end)` stand; None where none is known."""
        first = bisect_left(self.anchors, (start, -1, -1))
        last = bisect_left(self.anchors, (end, -1, -1)) - 1
        if first > last:
            return None
        _, at, _ = self.anchors[first]
        _, end_at, length = self.anchors[last]
        return (at, end_at + length) if at < end_at + length else None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedWork:
    """A work as a draft itself describes it: in a reference manager's field or, where it
    `is_in_text`, by author and year there. `citekey` is what the draft's citations call it,
    `letter` what stands behind the year in `2018b`.
    """

    citekey: str
    doi: str = ""
    title: str = ""
    author: str = ""
    year: int | None = None
    letter: str = ""
    is_in_text: bool = False

    def __str__(self) -> str:
        author = " ".join(filter(None, (self.author, str(self.year or ""))))
        return ", ".join(filter(None, (author, self.title))) or self.citekey


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCitation:
    """A citekey in a draft's file as a scan of its text finds it, and whether the reader of the
    draft has read it as a citation; one that is not certain may be something else.
    """

    citekey: str
    place: DraftLocation
    is_certain: bool = True
    is_read: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IncludedFile:
    """A file that a draft includes, as its text names it, and where."""

    name: str
    place: DraftLocation


_NOT_A_QUOTATION = re.compile(
    r"(?P<alone>^[ \t]*(?=(?:<!--|%|//|/\*|#)[^\n]*$))?"
    r"(?P<comment>(?:<!--|%|//|/\*|#)[ \t]*citeloom:[ \t]*not a quotation\b)",
    re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A draft: its name, its text as it is edited, and its paragraphs in order.

    The text of a Word or OpenDocument file is its paragraphs, one a line; its `works` are those
    that it describes itself, `unmatched` its citations by author and year of no work in the
    library. `written` are the citations that a scan of the file finds,
    `unreadable` the paragraphs that could not be read; with an `error` none could. `unread_files`
    are those of the files it includes that were not read with it.
    """

    name: str
    text: str
    paragraphs: tuple[DraftParagraph, ...]
    bibliographies: tuple[str, ...] = ()
    works: tuple[NamedWork, ...] = ()
    unmatched: tuple[DraftCitation, ...] = ()
    warnings: tuple[str, ...] = ()
    is_plain_text: bool = True
    written: tuple[WrittenCitation, ...] = ()
    unreadable: tuple[DraftLocation, ...] = ()
    unread_files: tuple[IncludedFile, ...] = ()
    error: CiteloomError | None = None

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    @cached_property
    def _lines_without_quotations(self) -> frozenset[int]:
        """The lines with a comment that says so, or below a line with nothing else."""
        lines = set()
        for match in _NOT_A_QUOTATION.finditer(self.text):
            line = bisect_right(self._line_starts, match.start("comment"))
            lines.add(line + (match["alone"] is not None))
        return frozenset(lines)

    def calls_no_quotation(self, place: DraftLocation) -> bool:
        """Whether a comment at the beginning or the end of what is quoted says that it is none."""
        last = bisect_right(self._line_starts, max(place.end - 1, place.start))
        return not self._lines_without_quotations.isdisjoint({place.line, last})

    def place(self, start: int, end: int) -> DraftLocation:
        """The place of the characters `[start, end)` of the text."""
        line = bisect_right(self._line_starts, start)
        return DraftLocation(start, end, line, start - self._line_starts[line - 1] + 1)

    def place_in(self, paragraph: DraftParagraph, start: int, end: int) -> DraftLocation:
        """The place of the characters `[start, end)` of a paragraph, or else of the paragraph."""
        span = paragraph.span_in_draft(start, end)
        if span is None and paragraph.anchors:
            near = max(bisect_left(paragraph.anchors, (start, -1, -1)) - 1, 0)
            _, at, length = paragraph.anchors[near]
            span = at, at + length
        return self.place(*(span or (0, 0)))

    @property
    def citations(self) -> list[DraftCitation]:
        """Every citation, in the order of the draft."""
        cited = (citation for paragraph in self.paragraphs for citation in paragraph.citations)
        return sorted(cited, key=lambda one: one.place)

    @property
    def citekeys(self) -> tuple[str, ...]:
        """The citekeys, each once, in the order of their first citation."""
        return tuple(dict.fromkeys(citation.citekey for citation in self.citations))
