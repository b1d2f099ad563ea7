"""The chunk: the part of a document that is embedded, found and cited as one; its id, its lesson
and its annotation.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from json import dumps
from string import Formatter
from uuid import NAMESPACE_DNS, uuid5

from citeloom.domain.documents.conversion import Box, Doubt, SourcePlace
from citeloom.domain.documents.metadata import MetadataSchema, MetadataValue
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.errors import InvalidPointId

# What a chunk of a lesson holds: its type, its part of the section, and how it was made.


class LessonType(StrEnum):
    """What a section of a lesson is for."""

    STRUCTURAL = "structural"
    INSTRUCTIONAL = "instructional"
    CODE_HEAVY = "code_heavy"


class Enrichment(StrEnum):
    """What was done to a section that is too short or too long to be found by itself."""

    CONTEXT_INJECTION = "context_injection"
    OVERLAPPING_WINDOWS = "overlapping_windows"


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPart:
    """A section of a lesson, or one of the `total_chunks` that a long section is divided into.
    Injected context is embedded before the text and never part of it.
    """

    section_type: LessonType
    """What the section is."""
    chunk_index: int = 0
    """The chunk's number in the section, from 0."""
    total_chunks: int = 1
    """How many chunks the section has."""
    enrichment_strategy: Enrichment | None = None
    """How the section was enriched, if it was."""

    def __post_init__(self) -> None:
        if not 0 <= self.chunk_index < self.total_chunks:
            raise ValueError(f"there is no part {self.chunk_index} of {self.total_chunks}")


# The annotation or note of Zotero that a chunk was made of.

Rect = tuple[float, float, float, float]

_COLORS: Mapping[str, str] = {
    "#ffd400": "yellow",
    "#ff6666": "red",
    "#5fb236": "green",
    "#2ea8e5": "blue",
    "#a28ae5": "purple",
    "#e56eee": "magenta",
    "#f19837": "orange",
    "#aaaaaa": "gray",
}


def color_name(color: str) -> str:
    """Zotero's name of a colour, or an empty text."""
    return _COLORS.get(color.lower(), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationRef:
    """An annotation or note by its key in Zotero.

    `quotes` says that the chunk's text is a highlight of the work; else it is the reader's own.
    `comment` is the reader's comment on the highlight. `rects` are as in Zotero: left, bottom,
    right, top in PDF points with the origin at the bottom left. `fingerprint` changes with the
    content of the mark; `parts` is the number of its chunks. `annotation` is the key of the
    annotation that a quotation in a note was made of.
    """

    key: str
    fingerprint: str = ""
    parts: int = 1
    quotes: bool = False
    comment: str = ""
    color: str = ""
    tags: tuple[str, ...] = ()
    rects: tuple[Rect, ...] = ()
    annotation: str = ""

    @property
    def color_name(self) -> str:
        """Zotero's name of the colour; empty for a colour it does not offer."""
        return color_name(self.color)


# The chunk: the part of a document that is embedded, found and cited as one.


class ChunkKind(StrEnum):
    """What a chunk holds; `hidden` text is in the file, and no reader sees it."""

    TEXT = "text"
    TABLE = "table"
    REFERENCE = "reference"
    ANNOTATION = "annotation"
    NOTE = "note"
    HIDDEN = "hidden"


class SectionType(StrEnum):
    """What most of a chunk of Markdown or plain text is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    CODE_BLOCK = "code_block"
    LIST = "list"
    TABLE = "table"


_DEEPEST_HEADING = 6

MARKS = (ChunkKind.ANNOTATION, ChunkKind.NOTE)
"""The kinds made of what a reader wrote in Zotero; all others are the document's text."""
LEFT_OUT = (ChunkKind.REFERENCE, ChunkKind.HIDDEN)
"""What a query leaves out unless it asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBox:
    page: int
    box: Box


def chunk_id(
    *,
    doc_id: str,
    page_span: tuple[int, int] | None,
    section_path: tuple[str, ...],
    embedding_model: str,
    index: int,
) -> str:
    """The first 16 hex digits of SHA-256 over the parts as JSON, so that none runs into another.

    The same inputs give the same id on every machine. The id depends on a chunk's place, not on
    its text, so a repeated ingest overwrites chunks and never duplicates them.
    """
    parts = dumps((doc_id, page_span, section_path, embedding_model, index))
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A citable piece of text with its exact place: pages, or paragraphs where there are none.

    `text` is what is quoted. `heading_context` is put before it for embedding only.
    `token_count` counts what the bound model reads: text, heading context and special tokens; it
    is an estimate where the model's tokenizer is not at hand.
    `section_path` is that of the innermost section that holds all of the text; where the text has
    parts of several, `sections` are the paths of these.
    `code` are the spans of the text that its author marked as code.
    `boxes` are the bounding boxes of the text, `page_labels` the printed label of each page of
    the span (empty where uncertain), `page_starts` the offset in `text` at which each page but the
    first begins (empty for one page, or where unknown). An annotation or a note has its `mark`, and
    may be without pages and paragraphs, or have the label of one page alone.
    Of Markdown and plain text, `source` is the smallest part of the file that holds the chunk's
    text, `section_type` what most of it is, and `heading_level` the level of the section's
    heading, 1 to 6. With `lesson` it is part of a lesson. `doubts` are why its words should be
    compared with the page.
    """

    id: str
    doc_id: str
    text: str
    page_span: tuple[int, int] | None = None
    paragraphs: tuple[Paragraph, Paragraph] | None = None
    section_path: tuple[str, ...] = ()
    sections: tuple[tuple[str, ...], ...] = ()
    code: tuple[tuple[int, int], ...] = ()
    chunk_idx: int
    token_count: int
    signal_to_noise: float
    kind: ChunkKind = ChunkKind.TEXT
    page_labels: tuple[str, ...] = ()
    page_starts: tuple[int, ...] = ()
    boxes: tuple[PageBox, ...] = ()
    heading_context: tuple[str, ...] = ()
    mark: AnnotationRef | None = None
    source: SourcePlace | None = None
    heading_level: int | None = None
    section_type: SectionType | None = None
    lesson: LessonPart | None = None
    token_count_estimated: bool = False
    doubts: tuple[Doubt, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("a chunk must have text")
        placed = (self.page_span is not None) + (self.paragraphs is not None)
        if placed > 1 or (placed == 0 and self.mark is None):
            raise ValueError("a chunk has either pages or paragraphs")
        if self.page_span and not 1 <= self.page_span[0] <= self.page_span[1]:
            raise ValueError(f"not a page span: {self.page_span}")
        first, last = self.page_span or (0, 0)
        if self.page_starts and len(self.page_starts) != last - first:
            raise ValueError(f"{len(self.page_starts)} page starts for pages {first} to {last}")
        if self.chunk_idx < 0 or self.token_count < 0:
            raise ValueError("a chunk's index and token count must not be negative")
        if self.heading_level is not None and not 1 <= self.heading_level <= _DEEPEST_HEADING:
            raise ValueError(f"heading levels lie in 1..6, not {self.heading_level}")
        if not 0.0 <= self.signal_to_noise <= 1.0:
            raise ValueError(f"signal-to-noise must lie in 0..1, not {self.signal_to_noise}")

    def is_code(self, start: int, end: int) -> bool:
        """Whether the characters `[start, end)` are of a listing of code."""
        return any(begun <= start < end <= ended for begun, ended in self.code)

    def pages_between(self, start: int, end: int) -> tuple[int, int] | None:
        """The first and the last page of the characters `[start, end)`, if there are pages.

        They are the chunk's own where it is not known which page a character is on.
        """
        return pages_between(self.page_span, self.page_starts, start, end)

    def between(self, start: int, end: int) -> Chunk:
        """The characters `[start, end)` alone, with the pages that these are on."""
        span = self.pages_between(start, end)
        starts: tuple[int, ...] = ()
        labels = self.page_labels
        if self.page_span is not None and span is not None:
            offset = self.page_span[0]
            labels = labels[span[0] - offset : span[1] - offset + 1]
            inner = self.page_starts[span[0] - offset : span[1] - offset]
            starts = tuple(at - start for at in inner)
        return replace(
            self,
            text=self.text[start:end],
            page_span=span,
            page_labels=labels,
            page_starts=starts,
            code=tuple((a - start, b - start) for a, b in self.code if start <= a < b <= end),
            boxes=(),
            heading_context=(),
        )

    @property
    def section_heading(self) -> str | None:
        """The title of the innermost section that holds the chunk."""
        return self.section_path[-1] if self.section_path else None

    @property
    def section_titles(self) -> str:
        """The title of the section that holds the chunk, or those of all that have a part of it."""
        return self.section_heading or "; ".join(path[-1] for path in self.sections)

    @property
    def stands_in(self) -> tuple[tuple[str, ...], ...]:
        """The path of each section that the text has a part of."""
        return self.sections or (self.section_path,)

    @property
    def titles(self) -> frozenset[str]:
        """The titles of all sections above any part of the text."""
        return frozenset(title for path in self.stands_in for title in path)

    @property
    def heading_chain(self) -> str:
        """The titles above as one text, `3 Methods > 3.1 Sampling`; where the text has parts of
        several sections all of these, `3 Methods > 3.1 Sampling; 3.2 Analysis`.
        """
        above = " > ".join(self.section_path)
        below = [" > ".join(path[len(self.section_path) :]) for path in self.sections]
        if "" in below:
            return "; ".join(filter(None, (above, *below)))
        return " > ".join(filter(None, (above, "; ".join(below))))

    @property
    def embedding_text(self) -> str:
        """What is embedded: the heading context, then the text, then the comment on it."""
        comment = self.mark.comment if self.mark else ""
        return "\n".join(filter(None, (" > ".join(self.heading_context), self.text, comment)))


# Ids from a template of the project's, so that they mean the same to other programs.

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_OF_CHUNK = ("section_title", "section_path", "chunk_index", "chunk_idx", "doc_id")


def point_id_fields(template: str) -> tuple[str, ...]:
    """The fields that a template names.

    Raises `ValueError` for one that names none or is malformed.
    """
    parsed = list(Formatter().parse(template))
    names = tuple(name for _, name, _, _ in parsed if name is not None)
    if not names or not all(_NAME.fullmatch(name) for name in names):
        raise ValueError("must name fields in braces, such as {id}:{section_title}:{chunk_index}")
    if any(form or conversion for _, _, form, conversion in parsed):
        raise ValueError("must name fields only, without a format")
    return names


def check_point_id(template: str, schema: MetadataSchema) -> None:
    """Raise `ValueError` for a field that neither front matter nor a chunk has."""
    names = (*schema.fields, *_OF_CHUNK)
    for name in point_id_fields(template):
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]}?" if near else "declare it under front_matter"
            raise ValueError(f"point_id names an unknown field '{name}'; {hint}")


def with_point_ids(
    template: str, chunks: Sequence[Chunk], metadata: Mapping[str, MetadataValue]
) -> tuple[Chunk, ...]:
    """A document's chunks with the ids of the template. Where two would have the same, the second
    section of a title in a lesson is `Title (2)`, and so on.

    Raises `InvalidPointId` where two have the same id nevertheless.
    """
    ids = [point_id_of(template, chunk, metadata) for chunk in chunks]
    if len(set(ids)) < len(ids):
        times = Counter[str]()
        for at, chunk in enumerate(chunks):
            title = chunk.section_heading or ""
            times[title] += chunk.lesson is not None and chunk.lesson.chunk_index == 0
            ids[at] = point_id_of(template, chunk, metadata, times[title])
    named = tuple(replace(chunk, id=new_id) for chunk, new_id in zip(chunks, ids))
    check_distinct(named)
    return named


def pages_between(
    page_span: tuple[int, int] | None, page_starts: Sequence[int], start: int, end: int
) -> tuple[int, int] | None:
    """The pages of the characters `[start, end)` of a text on these pages, all where it is not
    known which page a character is on.
    """
    if page_span is None or not page_starts:
        return page_span
    first, last = page_span[0], max(start, end - 1)
    return first + bisect_right(page_starts, start), first + bisect_right(page_starts, last)


def point_id_of(
    template: str, chunk: Chunk, metadata: Mapping[str, MetadataValue], section: int = 1
) -> str:
    """The UUIDv5, in the namespace of DNS, of the template filled in; `section` counts those of one
    title.

    Raises `InvalidPointId` where the document's metadata lacks a field.
    """
    known: dict[str, MetadataValue] = {
        **metadata,
        "section_title": chunk.section_heading or "",
        "section_path": " > ".join(chunk.section_path),
        "chunk_index": chunk.lesson.chunk_index if chunk.lesson else chunk.chunk_idx,
        "chunk_idx": chunk.chunk_idx,
        "doc_id": chunk.doc_id,
    }
    if section > 1:
        for name in ("section_title", "section_path"):
            known[name] = f"{known[name]} ({section})"
    missing = [name for name in point_id_fields(template) if name not in known]
    if missing:
        raise InvalidPointId(
            f"point_id = {template!r} needs the field {missing[0]}, which the front matter lacks",
            "Add it to the file, or take it out of point_id.",
        )
    return str(uuid5(NAMESPACE_DNS, template.format_map(known)))


def check_distinct(chunks: Iterable[Chunk]) -> None:
    """Raise `InvalidPointId` if two chunks of a document have the same id."""
    seen: dict[str, Chunk] = {}
    for chunk in chunks:
        first = seen.setdefault(chunk.id, chunk)
        if first is not chunk:
            raise InvalidPointId(
                f"two of its chunks get the id {chunk.id}: {_named(first)} and {_named(chunk)}",
                "Rename one of the sections, or add {section_path} or {chunk_idx} to point_id.",
            )


def _named(chunk: Chunk) -> str:
    return f"'{chunk.section_heading or 'the beginning'}' (chunk {chunk.chunk_idx})"
