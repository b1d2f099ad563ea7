"""The use case `page view`: a document page by page, with what stands and is marked on each."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from citeloom.application.documents import (
    DocumentPage,
    ListedDocument,
    OutlineEntry,
    describe_document,
)
from citeloom.application.retrieval.show import check_scale, source_file
from citeloom.domain.chunks.chunk import MARKS, ChunkKind, Rect
from citeloom.domain.documents.conversion import Box
from citeloom.domain.errors import CiteloomError, NotFound
from citeloom.domain.retrieval.filters import check_text
from citeloom.domain.retrieval.passage import StoredChunk
from citeloom.domain.text.normal_form import KeyedText
from citeloom.domain.text.verbatim import quotation_spans

if TYPE_CHECKING:
    from citeloom.application.open_project import OpenProject
    from citeloom.application.ports.conversion import PageGeometry, PageImages

# What a document contains, read once.

_UNSEEN = (*MARKS, ChunkKind.HIDDEN)
_PART = 12
"""How many passages are shown at a time of a document without pages."""
_KEPT = 32
"""Of how many documents the contents are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentContents:
    """A document with its outline and its pages, and between which chunks the passages of each page
    are. Without fixed pages, parts of twelve passages take their place.
    """

    document: ListedDocument
    outline: tuple[OutlineEntry, ...]
    pages: tuple[DocumentPage, ...]
    chunks: Mapping[int, tuple[int, int]]
    has_pages: bool

    def part_of(self, stored: StoredChunk) -> int:
        """The first page of a chunk, or the part that it is in."""
        return _numbers(stored, has_pages=self.has_pages)[0]

    def page_of_label(self, label: str) -> int:
        """The page that a label is printed on. Raises `NotFound`."""
        wanted = label.strip().casefold()
        for page in self.pages:
            if (page.label or "").casefold() == wanted:
                return page.page
        raise NotFound(f"no page is known to be printed '{label}'", "Name the page of the file.")


class ContentsCache:
    """The contents of the documents that were looked at last."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, tuple[Hashable, DocumentContents]] = OrderedDict()
        self._lock = Lock()

    def contents(self, project: OpenProject, doc_id: str) -> DocumentContents:
        """What a document contains, read again once it has changed in the index."""
        known = self._known.get(doc_id)
        if not known or known[0] != _version(project, doc_id, known[1].document.path):
            contents = _read(project, doc_id)
            known = (_version(project, doc_id, contents.document.path), contents)
        with self._lock:
            self._known[doc_id] = known
            self._known.move_to_end(doc_id)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return known[1]


def _version(project: OpenProject, doc_id: str, path: str) -> Hashable:
    entry = project.manifest.get(project.id, path)
    count = project.index.count(project.collection, replace(project.everything, doc_id=doc_id))
    return count, entry and (entry.content_hash, entry.updated_at, entry.citekey)


def _read(project: OpenProject, doc_id: str) -> DocumentContents:
    detail = describe_document(project, doc_id)
    seen = [stored for stored in detail.chunks if stored.chunk.kind not in _UNSEEN]
    has_pages = any(stored.chunk.page_span for stored in seen) or bool(detail.document.pages)
    chunks: dict[int, tuple[int, int]] = {}
    first_pages: dict[str, int] = {}
    for stored in seen:
        at, numbers = stored.chunk.chunk_idx, _numbers(stored, has_pages=has_pages)
        first_pages[stored.chunk.id] = numbers[0]
        for number in numbers:
            low, high = chunks.get(number, (at, at))
            chunks[number] = (min(low, at), max(high, at))
    pages = detail.pages
    if not has_pages:
        parts = range(1, max(chunks, default=1) + 1)
        pages = tuple(DocumentPage(page=part, label=None, chunks=_PART) for part in parts)
    return DocumentContents(
        document=detail.document,
        outline=tuple(
            replace(entry, page=entry.page or first_pages.get(entry.chunk_id, 1))
            for entry in detail.outline
        ),
        pages=pages,
        chunks=chunks,
        has_pages=has_pages,
    )


def _numbers(stored: StoredChunk, *, has_pages: bool) -> range:
    """The pages of a chunk, or else the one part that it is in."""
    span = stored.chunk.page_span
    if not has_pages or span is None:
        part = 1 if has_pages else stored.chunk.chunk_idx // _PART + 1
        return range(part, part + 1)
    return range(span[0], span[1] + 1)


# A page, as it is looked at.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPassage:
    """A passage, or a reader's annotation, with its boxes on the page that is looked at."""

    stored: StoredChunk
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """A page of a document: what is on it, and the `passage` that is looked at, if any.

    `page` is the part where the document `has_pages` not. `geometry` is None where the page has no
    picture, with the `problem` unless there never is one. `words` are the boxes of the words that
    are looked for, `word_span` where these are in the passage's text; `is_without_words` says that
    they are not found on the page.
    """

    contents: DocumentContents
    page: DocumentPage
    passages: tuple[PlacedPassage, ...]
    annotations: tuple[PlacedPassage, ...] = ()
    passage: StoredChunk | None = None
    geometry: PageGeometry | None = None
    problem: CiteloomError | None = None
    words: tuple[Box, ...] = ()
    word_span: tuple[int, int] | None = None
    is_without_words: bool = False


def view_page(
    project: OpenProject,
    images: PageImages,
    doc_id: str,
    *,
    page: int | None = None,
    label: str | None = None,
    chunk_id: str | None = None,
    words: str = "",
) -> PageView:
    """A page of a document, by its number or printed label, else that where the passage of this
    `chunk_id`, or the `words` of it, begin.

    Raises `NotFound` for an unknown document, page or passage, or one of another document.
    """
    check_text("document id", doc_id)
    project.existing_collection()
    contents = project.kept(ContentsCache).contents(project, doc_id)
    passage = project.passage(chunk_id) if chunk_id else None
    if passage is not None and passage.chunk.doc_id != doc_id:
        raise NotFound(
            f"passage '{chunk_id}' is of another document", "Open it by its own address."
        )
    span = _span_of(words, passage) if passage and words else None
    number = page or _first_page(contents, passage, span)
    if label and page is None:
        number = contents.page_of_label(label)
    if not 1 <= number <= len(contents.pages):
        raise NotFound(
            f"the document has no page {number}, only {len(contents.pages)}",
            "Pages are counted from 1.",
        )
    passages, annotations = _on_page(project, contents, number)
    view = PageView(
        contents=contents,
        page=contents.pages[number - 1],
        passages=tuple(_placed(stored, number) for stored in passages),
        passage=passage,
        word_span=span,
        annotations=tuple(PlacedPassage(stored=stored) for stored in annotations),
    )
    return _with_picture(project, images, view, words) if contents.has_pages else view


def _span_of(words: str, passage: StoredChunk) -> tuple[int, int] | None:
    """Where words stand in the text of a passage, character for character."""
    text = KeyedText(text=passage.chunk.text, starts=(0,))
    span = next(quotation_spans(words, text), None)
    return (span.start, span.end) if span else None


def _first_page(
    contents: DocumentContents, passage: StoredChunk | None, span: tuple[int, int] | None
) -> int:
    if passage is None:
        return 1
    pages = passage.chunk.pages_between(*span) if span else None
    return pages[0] if pages else contents.part_of(passage)


def _on_page(
    project: OpenProject, contents: DocumentContents, number: int
) -> tuple[list[StoredChunk], list[StoredChunk]]:
    """The passages of a page, and the annotations on it, in one exchange with the store."""
    whole = replace(project.everything, doc_id=contents.document.doc_id)
    between = contents.chunks.get(number, (0, 0))
    selections = [
        replace(whole, chunks=between, without_kinds=_UNSEEN),
        replace(whole, kinds=(ChunkKind.ANNOTATION,)),
    ]
    passages, annotations = project.index.scroll_batch(project.collection, selections)
    return (
        _in_order(p for p in passages if number in _numbers(p, has_pages=contents.has_pages)),
        _in_order(one for one in annotations if one.chunk.page_span == (number, number)),
    )


def _in_order(chunks: Iterable[StoredChunk]) -> list[StoredChunk]:
    return sorted(chunks, key=lambda stored: stored.chunk.chunk_idx)


def _placed(stored: StoredChunk, page: int) -> PlacedPassage:
    boxes = tuple(placed.box for placed in stored.chunk.boxes if placed.page == page)
    return PlacedPassage(stored=stored, boxes=boxes)


def _with_picture(project: OpenProject, images: PageImages, view: PageView, words: str) -> PageView:
    """The view with the size of its page, and where on it words and annotations are; with the
    problem where the file cannot be drawn.
    """
    number, passage = view.page.page, view.passage
    sought = _words_on(number, passage, view.word_span, words) if passage else ""
    boxes = _placed(passage, number).boxes if passage else ()
    marks = [one.stored.chunk.mark for one in view.annotations]
    rectangles: list[Rect] = [rect for mark in marks if mark for rect in mark.rects]
    try:
        geometry = images.geometry(
            source_file(project, view.contents.document.path),
            number,
            words=sought,
            within=boxes,
            rectangles=rectangles,
        )
    except CiteloomError as error:
        return replace(view, problem=error)
    placed = iter(geometry.rectangles)
    return replace(
        view,
        geometry=geometry,
        words=geometry.words,
        is_without_words=bool(sought) and not geometry.words,
        annotations=tuple(
            replace(one, boxes=tuple(next(placed) for _ in mark.rects) if mark else ())
            for one, mark in zip(view.annotations, marks)
        ),
    )


def _words_on(page: int, passage: StoredChunk, span: tuple[int, int] | None, words: str) -> str:
    """Those of the words that are on a page; all where that is not known."""
    chunk = passage.chunk
    if span is None or chunk.page_span is None or not chunk.page_starts:
        return words
    bounds = [0, *chunk.page_starts, len(chunk.text)]
    at = page - chunk.page_span[0]
    if not 0 <= at < len(bounds) - 1:
        return ""
    return chunk.text[max(span[0], bounds[at]) : min(span[1], bounds[at + 1])].strip()


# The picture of a page, without any mark.


def draw_plain_page(
    project: OpenProject, images: PageImages, doc_id: str, page: int, *, scale: float
) -> bytes:
    """A page of a document as PNG, `scale` pixels a point.

    Raises `NotFound` for an unknown document or page and a file that is gone, `UnsupportedFormat`
    where the document has no pages to draw, `SourceChanged` when its file has changed since it was
    indexed.
    """
    check_scale(scale)
    check_text("document id", doc_id)
    project.existing_collection()
    contents = project.kept(ContentsCache).contents(project, doc_id)
    file = source_file(project, contents.document.path)
    return images.draw(file, page, (), scale=scale)
