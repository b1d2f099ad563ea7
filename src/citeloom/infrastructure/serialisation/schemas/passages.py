"""The JSON of passages: that of `--format json`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from citeloom.domain.chunks.chunk import ChunkKind, Enrichment, LessonType, SectionType
from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.words import Strength

MetadataEntry = str | int | float | bool | list[str]
"""A value of a document's front matter."""


class ParagraphPlace(TypedDict):
    """A paragraph within its innermost section."""

    section: str
    """The number of the section."""
    paragraph: int
    """Counted from 1 within the section."""


class Annotation(TypedDict):
    """An annotation in Zotero: what is the work's in it, and what is the reader's."""

    key: str
    """Zotero's key of it."""
    highlight: str | None
    """The work's words."""
    comment: str | None
    """The reader's words."""
    color: str | None
    """As Zotero has it."""
    color_name: str | None
    """Zotero's name of the colour."""
    tags: list[str]
    """Its own tags."""
    rects: list[list[float]]
    """Left, bottom, right and top in PDF points from the bottom left, as Zotero has them."""


class Note(TypedDict):
    """A note in Zotero."""

    key: str
    """Zotero's key of it."""
    tags: list[str]
    """Its own tags."""
    quotes: bool
    """Whether the text is a quotation of the work. If not, the `citation` names the work alone, and
    `paragraph_span` and `section_path` are the note's.
    """
    remark: str | None
    """The reader's words on the quotation."""
    annotation: str | None
    """The key of the annotation that it was made of."""


class Lesson(TypedDict):
    """The section of a lesson that a chunk is, or a part of it."""

    section_type: LessonType
    """What the section is."""
    chunk_index: int
    """The chunk's number in the section, from 0."""
    total_chunks: int
    """How many chunks the section has."""
    enrichment_strategy: Enrichment | None
    """How the section was enriched, if it was."""


class Links(TypedDict):
    """Where a passage can be opened. Links to files on the server's machine are null."""

    pdf: str | None
    """Opens a PDF at the page."""
    file: str | None
    """Opens the file, a PDF at the page."""
    zotero: str | None
    """Selects the item, or the note, in Zotero."""
    zotero_pdf: str | None
    """Opens the PDF in Zotero's reader at the page and the annotation."""
    zotero_reader: str | None
    """Likewise, also for an annotation in an EPUB or a web page."""


class Work(TypedDict):
    """A work, by its reference; what is not known is null or empty."""

    citekey: str | None
    """The key that manuscripts cite by."""
    title: str | None
    """The title."""
    year: int | None
    """The year of issue."""
    doi: str | None
    """The DOI."""
    url: str | None
    """The address."""
    attachment: str | None
    """What Zotero calls the file, where the item has several."""
    item_key: str | None
    """Zotero's key of the item."""
    citekey_generated: bool
    """Whether the reference has no citekey in Zotero, or in the references file, and was given this
    one.
    """
    authors: list[str]
    """Family name first."""
    more_authors: bool
    """Whether the reference has authors whom it does not name (`and others`, `et al.`)."""
    tags: list[str]
    """The tags of the reference."""


class Source(Work):
    """Where a chunk comes from: the work, and the place in it."""

    doc_id: str
    """The document."""
    kind: ChunkKind
    """`hidden` is text that no reader of the file sees; an `annotation` or a `note` is the
    reader's.
    """
    doubts: list[Doubt]
    """Why its words should be compared with the page: the `order` of its lines or the cells of its
    `table` are doubtful, or it has a `formula`.
    """
    chunk_idx: int
    """The chunk's number in the document, from 0."""
    token_count: int
    """How many tokens the embedding model reads of it, headings included."""
    token_count_estimated: bool
    """Whether that is an estimate."""
    lesson: Lesson | None
    """By the strategy [`lessons`](../chunking.md#lessons) alone."""
    page_span: list[int] | None
    """First and last physical page, counted from 1; a slide is a page. Null where the format has no
    pages.
    """
    page: int | None
    """The first page, counted from 1."""
    page_index: int | None
    """The first page, counted from 0."""
    paragraph_span: list[ParagraphPlace] | None
    """First and last paragraph; null where there are pages."""
    page_labels: list[str]
    """What is printed on these pages; empty where that is not certain ([how it is
    known](../pages.md)).
    """
    locator: str
    """The place in words: `p. 1124 (PDF page 2)`, or, without pages, `sec. 2.3, ¶ 4`."""
    section_path: list[str]
    """The headings above, outermost first."""
    heading_chain: str
    """The same as one string."""
    heading_level: int | None
    """Of Markdown: the level of the innermost heading above, 1 to 6."""
    section_type: SectionType | None
    """Of Markdown: what most of the passage is; plain text is a `paragraph`."""
    start_position: int | None
    """Of Markdown and plain text: where the passage begins [in the file](../json.md#where-a-
    passage-stands-in-the-file).
    """
    end_position: int | None
    """Likewise, where it ends."""
    metadata: dict[str, MetadataEntry]
    """What the [front matter](../front-matter.md) of a Markdown file says, and `word_count`,
    `section_count`, `has_frontmatter`; else empty.
    """
    source_path: str
    """The file, relative to the folder of citeloom.toml where it lies below it."""
    annotation: Annotation | None
    """Of an annotation alone."""
    note: Note | None
    """Of a note alone."""
    links: Links
    """Where it can be opened."""


class ShownPassage(Source):
    """A stored passage."""

    chunk_id: str
    """The chunk."""
    content: Literal["untrusted"]
    """The words of the object are a document's."""
    text: str
    """What can be quoted."""


class Rank(TypedDict):
    """The place of a passage in one side of a search."""

    rank: int
    """From 1."""
    score: float
    """The score on that side."""


class Sides(TypedDict):
    """The places of a passage in the dense and in the sparse search, and by a reranker."""

    dense: Rank | None
    """With `--explain`: on the dense side of the widened query."""
    sparse: Rank | None
    """Likewise, on the sparse side."""
    rerank: Rank | None
    """By a reranker; null for passages that none has put in order."""


class Fit(TypedDict):
    """How well passages fit a question, with reasons in plain words."""

    strength: Strength
    """`strong` begins at 0.7, `weak` ends at 0.25."""
    value: float | None
    """From -1 to 1; null for a question without words that carry content."""
    reasons: list[str]
    """Which of the question's words occur nowhere in the library, or in none of the passages found
    of the work.
    """


class Neighbour(TypedDict):
    """What a chunk beside a passage adds to it, with its own place."""

    chunk_id: str
    """The chunk."""
    content: Literal["untrusted"]
    """The words of the object are a document's."""
    text: str
    """Its text without what the passage has already."""
    citation: str | None
    """Its own citation."""
    locator: str
    """Its own place."""
    page_labels: list[str]
    """Its own labels."""


class Neighbours(TypedDict, total=False):
    """The neighbours of a passage, where they are asked for and there are any."""

    before: list[str]
    """With `--context`, the texts of the chunks before."""
    after: list[str]
    """Likewise, after."""
    context_before: list[Neighbour]
    """With `--context`, what each chunk before adds."""
    context_after: list[Neighbour]
    """Likewise, after."""


class FoundPassage(ShownPassage, Neighbours):
    """A passage that answers a question."""

    score: float
    """Higher is better; comparable within one answer only. Quotations, the passages of a work that
    tell most of the place, the best passage of each page, and the first of a work that scores at
    least 0.95 of the third of another, come before others that may score more.
    """
    scores: Sides
    """Where it stands on each side."""
    fit: Fit | None
    """How well its work fits the question; null where the question is a quotation that only other
    passages hold.
    """
    why: list[str]
    """With `--explain`, why the passage stands where it does, in words; else empty."""
    trimmed: bool
    """Whether the text was cut (`--full-text` lifts that)."""
    verbatim: bool
    """Whether the passage holds the query word for word, or its larger part and the neighbouring
    chunk the rest; such passages come first.
    """
    citation: str | None
    """`[@key, p. 45]`, without pages `[@key, sec. 2.3, para. 4]`; null for a document without a
    reference.
    """
    citation_label: str | None
    """The project's own label, made by its template; null without one, and where a field of it has
    no value.
    """
    duplicates: list[Source]
    """Passages of other documents with nearly the same text, folded under this one: where each
    stands.
    """


class BoundModels(TypedDict):
    """The models a collection is bound to."""

    dense: str
    """The dense model."""
    sparse: str | None
    """The sparse model."""


Stage = TypedDict("Stage", {"name": str, "in": int, "out": int, "detail": str})
"""A stage of retrieval, with how many passages went in and came out."""


class Reranked(TypedDict):
    """What a reranker did: where it is not `done`, the order is that of the search."""

    model: str
    """Its name."""
    done: bool
    """If not, the order is that of the search, and a note says why."""
    passages: int
    """How many passages it read."""
    sent_to: str | None
    """The host they were sent to."""
    duration_ms: float
    """How long it took."""


class Works(TypedDict):
    """How many works the passages are of, and how many are among all passages compared, which are
    not all of the project.
    """

    shown: int
    """How many works the passages are of."""
    found: int
    """How many works those are of that were compared."""


class QueryAnswer(TypedDict):
    """The passages that answer a question, best first."""

    project: str
    """What was asked."""
    query: str
    """The question."""
    mode: Mode
    """How it was searched."""
    models: BoundModels
    """The models the collection is bound to."""
    fusion: str | None
    """How the two sides were merged; null when only one was asked."""
    feedback: list[str]
    """The chunks a hybrid query was widened by before it was asked again; empty where it was asked
    once.
    """
    fit: Fit | None
    """How well the first passage's work fits the question; null without passages."""
    stages: list[Stage]
    """Each stage of retrieval: its `name`, how many passages went `in` and came `out`, and a
    `detail`.
    """
    rerank: Reranked | None
    """What a [reranker](../reranking.md) did. Null where there is none, and where a quotation
    settles the order.
    """
    sent_to: str | None
    """The hosts that the question was meant for, of a remote embedding model and of a reranker,
    separated by a comma.
    """
    notes: list[str]
    """What else is to be known of the answer."""
    works: Works
    """How many works there are."""
    count: int
    """How many passages."""
    items: list[FoundPassage]
    """The passages, best first."""
    duration_ms: float
    """From the question to the passages, models loaded as needed."""
    correlation_id: str
    """A name for this answer, to find it again in logs."""


class PassageAnswer(TypedDict):
    """A passage with its neighbours, in reading order."""

    project: str
    """The project."""
    count: int
    """How many passages."""
    items: list[ShownPassage]
    """The passages, in reading order."""


class CollectedAnswer(TypedDict):
    """A passage in the file of a chapter; it was `added` unless it was there already."""

    project: str
    """The project."""
    chunk_id: str
    """The passage."""
    citation: str | None
    """Null for a document without a reference."""
    chapter: str
    """The heading of the file."""
    path: str
    """The file."""
    added: bool
    """False where the passage was there already."""


class CollectedChapter(TypedDict):
    """The file of a chapter, and the ids of the project's passages in it."""

    chapter: str
    """The heading of the file."""
    path: str
    """The file."""
    count: int
    """How many passages."""
    chunk_ids: list[str]
    """In the order of the file."""


class ChapterText(CollectedChapter):
    """The file of a chapter with its text: that of `collect --chapter … --json`."""

    text: str
    """The text of the file."""


class ChaptersAnswer(TypedDict):
    """The chapters that passages are collected for."""

    project: str
    """The project."""
    count: int
    """How many chapters."""
    items: list[CollectedChapter]
    """The chapters."""


class ConcordanceLine(TypedDict):
    """A place of a word with the words around it, in one line each."""

    chunk_id: str
    """The chunk."""
    citekey: str | None
    """Null for a document without a reference."""
    year: int | None
    """The year of the work."""
    citation: str | None
    """Of the page that the word is on; null for a document without a reference."""
    locator: str
    """The page, section or paragraph."""
    doubts: list[Doubt]
    """What speaks against the words of its passage, as in a query."""
    before: str
    """Up to 200 characters before the word."""
    word: str
    """The word as it stands there."""
    after: str
    """Up to 200 characters behind it."""


class ConcordanceAnswer(TypedDict):
    """Every place of the words; the counts are of all, also where fewer are listed."""

    project: str
    """The project."""
    words: list[str]
    """As they were asked for."""
    exact: bool
    """Whether other forms of the words were left out."""
    content: Literal["untrusted"]
    """The words of the object are a document's."""
    complete: bool
    """False where more passages have the words than are read."""
    occurrences: int
    """How many places."""
    passages: int
    """How many passages have the words."""
    works: dict[str, int]
    """How many places by citekey, or by file where there is none."""
    years: dict[str, int]
    """How many places by the year of the work."""
    items: list[ConcordanceLine]
    """The places in the order of the works."""
