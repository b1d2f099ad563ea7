"""Passages as every door answers them: of a query, of `show`, and what is collected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import PurePath
from types import SimpleNamespace
from typing import ClassVar, Self

from citeloom.application.manuscript.collect import Chapter, CollectedPassage
from citeloom.application.retrieval.result import QueryResult
from citeloom.application.retrieval.show import Shown
from citeloom.domain.chunks.chunk import AnnotationRef, ChunkKind, LessonPart, SectionType
from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval import passage as retrieval
from citeloom.domain.retrieval.candidates import RerankTrace
from citeloom.domain.retrieval.passage import Ranked
from citeloom.domain.retrieval.words import QueryCoverage
from citeloom.infrastructure.answers.model import (
    ABSENT,
    UNTRUSTED,
    FilePlace,
    Model,
    SourcePath,
    Untrusted,
    filled,
)
from citeloom.infrastructure.answers.text import (
    first_page,
    in_pdf,
    is_pdf,
    link_to_reader,
    link_to_zotero,
)

MetadataEntry = str | int | float | bool | tuple[str, ...]
"""A value of a document's front matter."""


class ParagraphPlace(Model):
    """A paragraph within its innermost section."""

    section: str
    """The number of the section."""
    paragraph: int
    """Counted from 1 within the section."""


class Annotation(Model):
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
    tags: tuple[str, ...]
    """Its own tags."""
    rects: tuple[tuple[float, ...], ...]
    """Left, bottom, right and top in PDF points from the bottom left, as Zotero has them."""

    @classmethod
    def of(cls, mark: AnnotationRef, text: str) -> Self:
        """A mark on the work, whose text is the work's if the mark quotes it."""
        return filled(
            cls,
            mark,
            highlight=text if mark.quotes else None,
            comment=(mark.comment or None) if mark.quotes else text,
            color=mark.color or None,
            color_name=mark.color_name or None,
        )


class Note(Model):
    """A note in Zotero."""

    key: str
    """Zotero's key of it."""
    tags: tuple[str, ...]
    """Its own tags."""
    quotes: bool
    """Whether the text is a quotation of the work. If not, the `citation` names the work alone, and
    `paragraph_span` and `section_path` are the note's.
    """
    remark: str | None
    """The reader's words on the quotation."""
    annotation: str | None
    """The key of the annotation that it was made of."""

    @classmethod
    def of(cls, mark: AnnotationRef) -> Self:
        remark, annotation = mark.comment or None, mark.annotation or None
        return filled(cls, mark, remark=remark, annotation=annotation)


class Lesson(Model, of=LessonPart):
    """The section of a lesson that a chunk is, or a part of it."""


class Links(Model):
    """Where a passage can be opened. Links to files on the server's machine are null."""

    pdf: FilePlace | None
    """Opens a PDF at the page."""
    file: FilePlace | None
    """Opens the file, a PDF at the page."""
    zotero: str | None
    """Selects the item, or the note, in Zotero."""
    zotero_pdf: str | None
    """Opens the PDF in Zotero's reader at the page and the annotation."""
    zotero_reader: str | None
    """Likewise, also for an annotation in an EPUB or a web page."""

    @classmethod
    def of(cls, stored: retrieval.StoredChunk) -> Self:
        """To the file, and into Zotero; None where there is nothing to open."""
        path = stored.source_path
        file = FilePlace(path, first_page(stored)) if path else None
        reader = link_to_reader(stored)
        return cls(
            pdf=file if is_pdf(path) else None,
            file=file,
            zotero=link_to_zotero(stored),
            zotero_pdf=reader if in_pdf(stored) else None,
            zotero_reader=reader,
        )


_WORK = (
    *("citekey", "title", "year", "doi", "url", "attachment", "item_key", "citekey_generated"),
    *("authors", "more_authors", "tags", "item_type", "container", "language", "collections"),
    *("collection_keys", "libraries", "added", "aliases", "identifiers", "related", "retracted"),
)


class Work(Model, of=CitationMeta, keys=_WORK):
    """A work, by its reference; what is not known is null or empty."""

    citekey: str | None
    """The key that manuscripts cite by."""
    title: str | None
    """The title."""
    year: int | None
    """The year of issue."""
    authors: tuple[str, ...]
    """Family name first."""
    more_authors: bool
    """Whether the reference has authors whom it does not name (`and others`, `et al.`)."""

    @classmethod
    def of_reference(cls, work: CitationMeta | None) -> Self:
        """The work of a reference; its fields are empty without one."""
        return filled(cls, work or _NO_REFERENCE)


_NO_REFERENCE = SimpleNamespace(
    **{
        each.name: None if each.default is MISSING else each.default
        for each in fields(CitationMeta)
    }
)
"""What a document without a reference has in the place of one."""


class Source(Work):
    """Where a chunk comes from: the work, and the place in it."""

    title: str | None
    """That of its reference, else of its front matter, else the file's name."""
    doc_id: str
    """The document."""
    kind: ChunkKind
    """`hidden` is text that no reader of the file sees; an `annotation` or a `note` is the
    reader's.
    """
    doubts: tuple[Doubt, ...]
    """Why its words should be compared with the page: the `order` of its lines or the cells of its
    `table` are doubtful, it has a `formula`, it is the misread text of an old `scan`, `ocr` was
    unsure of it, it is set as a `picture`, words are missing beside it (`loss`), its `letters` are
    not those of the page, or another `reading` of the page differs.
    """
    doubtful_words: tuple[str, ...]
    """Up to three words that `scan` and `ocr` are about: they seem misread."""
    chunk_idx: int
    """The chunk's number in the document, from 0."""
    token_count: int
    """How many tokens the embedding model reads of it, headings included."""
    token_count_estimated: bool
    """Whether that is an estimate."""
    lesson: Lesson | None
    """By the strategy [`lessons`](../chunking.md#lessons) alone."""
    page_span: tuple[int, ...] | None
    """First and last physical page, counted from 1; a slide is a page, and of an EPUB those of its
    page list count. Null where there are no pages.
    """
    page: int | None
    """The first page, counted from 1."""
    page_index: int | None
    """The first page, counted from 0."""
    paragraph_span: tuple[ParagraphPlace, ...] | None
    """First and last paragraph; null where there are pages."""
    page_labels: tuple[str, ...]
    """What is printed on these pages; empty where that is not certain ([how it is
    known](../pages.md)).
    """
    locator: str
    """The place in words: `p. 1124 (PDF page 2)`, or, without pages, `sec. 2.3, ¶ 4`."""
    section_path: tuple[str, ...]
    """The headings above all of it, outermost first."""
    sections: tuple[tuple[str, ...], ...]
    """Of a passage with parts of several sections: the headings above each."""
    heading_chain: str
    """The headings as one string, with those of each section: `3 Methods > 3.1 Sampling; 3.2
    Analysis`.
    """
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
    metadata: Mapping[str, MetadataEntry]
    """What the [front matter](../front-matter.md) of a Markdown file says, and `word_count`,
    `section_count`, `has_frontmatter`; else empty.
    """
    source_path: SourcePath
    """The file, relative to the folder of citeloom.toml where it lies below it."""
    annotation: Annotation | None
    """Of an annotation alone."""
    note: Note | None
    """Of a note alone."""
    links: Links
    """Where it can be opened."""

    @classmethod
    def of_chunk(cls, stored: retrieval.StoredChunk, *first: object, **computed: object) -> Self:
        """Where a chunk comes from; other fields are computed, or those of the values `first`."""
        chunk, mark = stored.chunk, stored.chunk.mark
        page = chunk.page_span[0] if chunk.page_span else None
        named = stored.citation.title if stored.citation else stored.metadata.get("title")
        place: dict[str, object] = {
            "chunk_id": chunk.id,
            "title": str(named or PurePath(stored.source_path).name),
            "lesson": Lesson.of_optional(chunk.lesson),
            "page": page,
            "page_index": page - 1 if page else None,
            "paragraph_span": tuple(
                ParagraphPlace(section=paragraph.section, paragraph=paragraph.number)
                for paragraph in chunk.paragraphs
            )
            if chunk.paragraphs
            else None,
            "locator": str(stored.locator),
            "start_position": chunk.source.start_position if chunk.source else None,
            "end_position": chunk.source.end_position if chunk.source else None,
            "annotation": Annotation.of(mark, chunk.text)
            if mark and chunk.kind is ChunkKind.ANNOTATION
            else None,
            "note": Note.of(mark) if mark and chunk.kind is ChunkKind.NOTE else None,
            "links": Links.of(stored),
        }
        values = {name: value for name, value in place.items() if name in cls.FIELDS}
        work = stored.citation or _NO_REFERENCE
        return filled(cls, *first, chunk, work, stored, **{**values, **computed})


class ShownPassage(Source):
    """A stored passage."""

    LEADING: ClassVar[tuple[str, ...]] = ("chunk_id", "content", "text")

    chunk_id: str
    """The chunk."""
    content: Untrusted = UNTRUSTED
    """The words of the object are a document's."""
    text: str
    """What can be quoted."""


class Rank(Model, of=Ranked):
    """The place of a passage in one side of a search."""


class Sides(Model):
    """The places of a passage in the dense and in the sparse search, and by a reranker."""

    dense: Rank | None
    """With `--explain`: on the dense side of the widened query."""
    sparse: Rank | None
    """Likewise, on the sparse side."""
    rerank: Rank | None
    """By a reranker; null for passages that none has put in order."""


class Fit(Model, of=QueryCoverage):
    """How well passages fit a question, with reasons in plain words."""


class Neighbour(Model):
    """What a chunk beside a passage adds to it, with its own place."""

    chunk_id: str
    """The chunk."""
    content: Untrusted = UNTRUSTED
    """The words of the object are a document's."""
    text: str
    """Its text without what the passage has already."""
    citation: str | None
    """Its own citation."""
    locator: str
    """Its own place."""
    page_labels: tuple[str, ...]
    """Its own labels."""

    @classmethod
    def of(cls, neighbour: retrieval.AddedContext) -> Self:
        return filled(
            cls,
            neighbour,
            chunk_id=neighbour.stored.chunk.id,
            locator=str(neighbour.locator),
            page_labels=neighbour.locator.page_labels,
        )


class Neighbours(Model):
    """The neighbours of a passage, where they are asked for and there are any."""

    before: tuple[str, ...] = ABSENT
    """With `--context`, the texts of the chunks before."""
    after: tuple[str, ...] = ABSENT
    """Likewise, after."""
    context_before: tuple[Neighbour, ...] = ABSENT
    """With `--context`, what each chunk before adds."""
    context_after: tuple[Neighbour, ...] = ABSENT
    """Likewise, after."""


class FoundPassage(ShownPassage, Neighbours):
    """A passage that answers a question."""

    LEADING = (
        *("chunk_id", "score", "scores", "fit", "why"),
        *("content", "text", "trimmed", "verbatim"),
    )

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
    why: tuple[str, ...]
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
    duplicates: tuple[Source, ...]
    """Passages of other documents with nearly the same text, folded under this one: where each
    stands.
    """

    @classmethod
    def of(cls, passage: retrieval.Passage) -> Self:
        """A passage of an answer, with its neighbours if there are any."""
        ranks = {"dense": passage.dense, "sparse": passage.sparse, "rerank": passage.reranked}
        sides = {side: Rank.of_optional(rank) for side, rank in ranks.items()}
        neighbours: dict[str, object] = dict.fromkeys(Neighbours.FIELDS, ABSENT)
        if passage.before or passage.after:
            neighbours = {
                "before": tuple(stored.chunk.text for stored in passage.before),
                "after": tuple(stored.chunk.text for stored in passage.after),
                "context_before": tuple(map(Neighbour.of, passage.context_before)),
                "context_after": tuple(map(Neighbour.of, passage.context_after)),
            }
        return cls.of_chunk(
            passage.stored,
            passage,
            scores=Sides.of(**sides),
            fit=Fit.of_optional(passage.fit),
            duplicates=tuple(map(Source.of_chunk, passage.duplicates)),
            **neighbours,
        )


class BoundModels(Model):
    """The models a collection is bound to."""

    dense: str
    """The dense model."""
    sparse: str | None
    """The sparse model."""


class Stage(Model):
    """A stage of retrieval."""

    name: str
    """Its name."""
    in_: int
    """How many passages went in."""
    out: int
    """How many came out."""
    detail: str
    """What it did."""


class Reranked(Model, of=RerankTrace, keys=("model", "done", "passages", "sent_to", "duration_ms")):
    """What a reranker did: where it is not `done`, the order is that of the search."""


class Works(Model):
    """How many works the passages are of, and how many are among all passages compared, which are
    not all of the project.
    """

    shown: int
    """How many works the passages are of."""
    found: int
    """How many works those are of that were compared."""


class QueryAnswer(Model):
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
    feedback: tuple[str, ...]
    """The chunks a hybrid query was widened by before it was asked again; empty where it was asked
    once.
    """
    fit: Fit | None
    """How well the first passage's work fits the question; null without passages."""
    stages: tuple[Stage, ...]
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
    notes: tuple[str, ...]
    """What else is to be known of the answer."""
    works: Works
    """How many works there are."""
    count: int
    """How many passages."""
    items: tuple[FoundPassage, ...]
    """The passages, best first."""
    duration_ms: float
    """From the question to the passages, models loaded as needed."""
    correlation_id: str
    """A name for this answer, to find it again in logs."""

    @classmethod
    def of(cls, result: QueryResult, **computed: object) -> Self:
        stages = (
            Stage(name=stage.name.value, in_=stage.hits_in, out=stage.hits_out, detail=stage.detail)
            for stage in result.stages
        )
        models = result.models
        return filled(
            cls,
            result,
            models=BoundModels(dense=models.get("dense") or "", sparse=models.get("sparse")),
            fit=Fit.of_optional(result.fit),
            stages=tuple(stages),
            rerank=Reranked.of_optional(result.reranked),
            sent_to=", ".join(result.destinations) or None,
            works=Works(shown=result.works_shown, found=result.works_found),
            count=len(result.passages),
            items=tuple(map(FoundPassage.of, result.passages)),
            **computed,
        )


class PassageAnswer(Model):
    """A passage with its neighbours, in reading order."""

    project: str
    """The project."""
    count: int
    """How many passages."""
    items: tuple[ShownPassage, ...]
    """The passages, in reading order."""

    @classmethod
    def of(cls, shown: Shown, project: str) -> Self:
        items = shown_passages(shown)
        return cls(project=project, count=len(items), items=items)


def shown_passages(shown: Shown) -> tuple[ShownPassage, ...]:
    """What `show` shows, in reading order."""
    return tuple(map(ShownPassage.of_chunk, (*shown.before, *shown.chunks, *shown.after)))


class CollectedAnswer(Model, of=CollectedPassage):
    """A passage in the file of a chapter; it was `added` unless it was there already."""

    path: SourcePath
    """The file."""


class CollectedChapter(Model):
    """The file of a chapter, and the ids of the project's passages in it."""

    chapter: str
    """The heading of the file."""
    path: SourcePath
    """The file."""
    count: int
    """How many passages."""
    chunk_ids: tuple[str, ...]
    """In the order of the file."""

    @classmethod
    def of(cls, chapter: Chapter) -> Self:
        return filled(cls, chapter, count=len(chapter.chunk_ids))


class ChapterText(CollectedChapter):
    """The file of a chapter with its text: that of `collect --chapter … --json`."""

    text: str
    """The text of the file."""


class ChaptersAnswer(Model):
    """The chapters that passages are collected for."""

    project: str
    """The project."""
    count: int
    """How many chapters."""
    items: tuple[CollectedChapter, ...]
    """The chapters."""
