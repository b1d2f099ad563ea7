"""The JSON of passages: that of `--format json`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from citeloom.domain.chunks.chunk import ChunkKind, Enrichment, LessonType, SectionType
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.coverage import Strength

MetadataEntry = str | int | float | bool | list[str]
"""A value of a document's front matter."""


class ParagraphPlace(TypedDict):
    """A paragraph within its innermost section."""

    section: str
    paragraph: int


class Annotation(TypedDict):
    """An annotation in Zotero: what is the work's in it, and what is the reader's."""

    key: str
    highlight: str | None
    comment: str | None
    color: str | None
    color_name: str | None
    tags: list[str]
    rects: list[list[float]]


class Note(TypedDict):
    """A note in Zotero."""

    key: str
    tags: list[str]
    quotes: bool
    remark: str | None
    annotation: str | None


class Lesson(TypedDict):
    """The section of a lesson that a chunk is, or a part of it."""

    section_type: LessonType
    chunk_index: int
    total_chunks: int
    enrichment_strategy: Enrichment | None


class Links(TypedDict):
    """Where a passage can be opened. Links to files on the server's machine are null."""

    pdf: str | None
    file: str | None
    zotero: str | None
    zotero_pdf: str | None
    zotero_reader: str | None


class Work(TypedDict):
    """A work, by its reference; what is not known is null or empty."""

    citekey: str | None
    title: str | None
    year: int | None
    doi: str | None
    url: str | None
    attachment: str | None
    item_key: str | None
    citekey_made_up: bool
    authors: list[str]
    more_authors: bool
    tags: list[str]


class Source(Work):
    """Where a chunk comes from: the work, and the place in it."""

    doc_id: str
    kind: ChunkKind
    chunk_idx: int
    token_count: int
    token_count_estimated: bool
    lesson: Lesson | None
    page_span: list[int] | None
    page: int | None
    page_index: int | None
    paragraph_span: list[ParagraphPlace] | None
    page_labels: list[str]
    locator: str
    section_path: list[str]
    heading_chain: str
    section_hierarchy: str
    heading_level: int | None
    section_type: SectionType | None
    start_position: int | None
    end_position: int | None
    metadata: dict[str, MetadataEntry]
    source_path: str
    annotation: Annotation | None
    note: Note | None
    links: Links


class ShownPassage(Source):
    """A stored passage."""

    chunk_id: str
    content: Literal["untrusted"]
    text: str


class Rank(TypedDict):
    """The place of a passage in one side of a search."""

    rank: int
    score: float


class Sides(TypedDict):
    """The places of a passage in the dense and in the sparse search, and by a reranker."""

    dense: Rank | None
    sparse: Rank | None
    rerank: Rank | None


class Fit(TypedDict):
    """How well passages fit a question, with reasons in plain words."""

    strength: Strength
    value: float | None
    reasons: list[str]


class Neighbour(TypedDict):
    """What a chunk beside a passage adds to it, with its own place."""

    chunk_id: str
    content: Literal["untrusted"]
    text: str
    citation: str | None
    locator: str
    page_labels: list[str]


class Neighbours(TypedDict, total=False):
    """The neighbours of a passage, where they are asked for and there are any."""

    before: list[str]
    after: list[str]
    context_before: list[Neighbour]
    context_after: list[Neighbour]


class FoundPassage(ShownPassage, Neighbours):
    """A passage that answers a question."""

    score: float
    scores: Sides
    fit: Fit | None
    why: list[str]
    trimmed: bool
    verbatim: bool
    citation: str | None
    citation_label: str | None
    duplicates: list[Source]


class Models(TypedDict):
    """The models a collection is bound to."""

    dense: str
    sparse: str | None


Stage = TypedDict("Stage", {"name": str, "in": int, "out": int, "detail": str})
"""A stage of retrieval, with how many passages went in and came out."""


class Reranked(TypedDict):
    """What a reranker did: where it is not `done`, the order is that of the search."""

    model: str
    done: bool
    passages: int
    sent_to: str | None
    duration_ms: float


class Works(TypedDict):
    """How many works the passages are of, and how many were found."""

    shown: int
    found: int


class QueryAnswer(TypedDict):
    """The passages that answer a question, best first."""

    project: str
    query: str
    mode: Mode
    models: Models
    fusion: str | None
    feedback: list[str]
    fit: Fit | None
    stages: list[Stage]
    rerank: Reranked | None
    sent_to: str | None
    notes: list[str]
    works: Works
    count: int
    items: list[FoundPassage]
    duration_ms: float
    correlation_id: str


class PassageAnswer(TypedDict):
    """A passage with its neighbours, in reading order."""

    project: str
    count: int
    items: list[ShownPassage]


class CollectedAnswer(TypedDict):
    """A passage in the file of a chapter; it was `added` unless it was there already."""

    project: str
    chunk_id: str
    citation: str | None
    chapter: str
    path: str
    added: bool


class CollectedChapter(TypedDict):
    """The file of a chapter, and the ids of the project's passages in it."""

    chapter: str
    path: str
    count: int
    chunk_ids: list[str]


class ChapterText(CollectedChapter):
    """The file of a chapter with its text: that of `collect --chapter … --json`."""

    text: str


class ChaptersAnswer(TypedDict):
    """The chapters that passages are collected for."""

    project: str
    count: int
    items: list[CollectedChapter]
