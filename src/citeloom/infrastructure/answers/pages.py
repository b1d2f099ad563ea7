"""A page of a document as it is answered: what is on it, and where."""

from __future__ import annotations

from pathlib import PurePath
from typing import Self

from citeloom.application.documents import DocumentPage, ListedDocument, OutlineEntry
from citeloom.application.retrieval.page_view import PageView, PlacedPassage
from citeloom.domain.documents.conversion import Box
from citeloom.infrastructure.answers.model import UNTRUSTED, Model, Untrusted, filled
from citeloom.infrastructure.answers.passages import ShownPassage


class PassageOnPage(ShownPassage):
    """A passage, or a reader's annotation, and where on the page it is."""

    citation: str | None
    """`[@key, p. 45]`; null for a document without a reference."""
    boxes: tuple[Box, ...]
    """In PDF points from the upper left of the page as it is shown."""

    @classmethod
    def of(cls, placed: PlacedPassage) -> Self:
        return cls.of_chunk(placed.stored, boxes=placed.boxes, citation=placed.stored.cited)


class PageAnswer(Model):
    """A page of a document. Without fixed pages, a part of the text takes its place."""

    project: str
    """The project."""
    content: Untrusted = UNTRUSTED
    """The words of the object are a document's."""
    document: ListedDocument
    """The document."""
    title: str
    """That of its reference, else of its front matter, else the file's name."""
    authors: tuple[str, ...]
    """Family name first."""
    more_authors: bool
    """Whether the reference has authors whom it does not name."""
    year: int | None
    """The year of issue."""
    container: str | None
    """The journal, series or book that it is in."""
    retracted: str | None
    """When the work was retracted, as Zotero knows, or `undated`."""
    outline: tuple[OutlineEntry, ...]
    """Its headings, each with its page or part."""
    pages: tuple[DocumentPage, ...]
    """Its pages or parts."""
    has_pages: bool
    """Whether it has fixed pages."""
    page: int
    """Which of them it is, counted from 1."""
    label: str | None
    """What is printed on it, where that is certain."""
    size: tuple[float, float] | None
    """Its width and height in PDF points; null where it cannot be drawn."""
    problem: str | None
    """Why it cannot be drawn; null where it can, or never could."""
    passages: tuple[PassageOnPage, ...]
    """What is on it, in reading order."""
    annotations: tuple[PassageOnPage, ...]
    """What the reader marked on it."""
    chunk_id: str | None
    """The passage that is looked at."""
    words: tuple[Box, ...]
    """Where the words that are looked for are on it, a box a line."""
    word_span: tuple[int, int] | None
    """Where they are in the text of the passage."""
    is_without_words: bool
    """Whether words are looked for that are not found on it."""

    @classmethod
    def of(cls, view: PageView, project: str) -> Self:
        geometry, document = view.geometry, view.contents.document
        works = [placed.stored.citation for placed in view.passages[:1]]
        work = works[0] if works else None
        return filled(
            cls,
            view.page,
            view.contents,
            document,
            view,
            project=project,
            title=document.title or PurePath(document.path).name,
            retracted=work.retracted if work else None,
            more_authors=work.more_authors if work else False,
            size=(geometry.width, geometry.height) if geometry else None,
            problem=view.problem and view.problem.message,
            passages=tuple(map(PassageOnPage.of, view.passages)),
            annotations=tuple(map(PassageOnPage.of, view.annotations)),
            chunk_id=view.passage and view.passage.chunk.id,
        )
