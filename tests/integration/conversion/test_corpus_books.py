"""Expectations of real books, English and German, that any good conversion meets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pypdfium2
import pytest

from citeloom.application.limits import DocumentLimits
from citeloom.application.ports.conversion import ConverterOptions, SourceFile
from citeloom.domain.documents.conversion import Block, BlockKind, ConversionResult
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom_pdf.elements.patterns import tight
from citeloom_pdf.structure.chapters import without_label

pytestmark = pytest.mark.corpus

RUNNING_HEADS = {
    "R-lang": r"Chapter \d: [A-Z]",
    "developers-reference.de": r"Debian Developer.s Reference, Release|Kapitel \d\. ",
}


class Bookmark(NamedTuple):
    """An entry of a PDF's outline: where it points to, its depth and its title."""

    page: int
    top: float
    level: int
    title: str


class Book(NamedTuple):
    """A book of the corpus, converted."""

    path: Path
    result: ConversionResult

    def bookmarks(self) -> Iterator[Bookmark]:
        """The outline, as PDFium reads it."""
        document = pypdfium2.PdfDocument(self.path)
        for entry in document.get_toc():
            place = entry.get_dest()
            page = place.get_index()
            top = document[page].get_height() - place.get_view()[1][1]
            yield Bookmark(page + 1, top, entry.level + 1, said(entry.get_title()))


def said(title: str) -> str:
    """A title's letters, its number left out."""
    return tight(re.sub(r"^([A-Z]|\d+)(\.\d+)*\.?\s", "", without_label(title)))


@pytest.fixture(scope="module", params=sorted(RUNNING_HEADS))
def book(request: pytest.FixtureRequest) -> Book:
    folder = os.environ.get("CITELOOM_CORPUS")
    if not folder:
        pytest.skip("CITELOOM_CORPUS does not name the shared research corpus")
    path = Path(folder) / "corpus" / "books" / f"{request.param}.pdf"
    return Book(path, PdfConverter().convert(SourceFile(path=path, doc_id="doc", content_hash="")))


def test_every_bookmark_is_a_heading_on_its_page_at_its_level(book: Book) -> None:
    found = {(h.page, h.level, said(h.title)) for h in book.result.headings}
    wanted = [(b.page, b.level, said(b.title)) for b in book.bookmarks()]
    assert [entry for entry in wanted if entry not in found] == []


def test_every_block_is_in_the_section_its_place_says(book: Book) -> None:
    bookmarks = list(book.bookmarks())
    for block in book.result.blocks:
        due = last_before(bookmarks, block)
        if due is None or block.kind in (BlockKind.HEADING, BlockKind.TITLE):
            continue
        path = book.result.section_path(block.section)
        assert said(path[-1]) == due.title, book.result.text_of(block)
        assert len(path) == due.level


def last_before(bookmarks: Sequence[Bookmark], block: Block) -> Bookmark | None:
    """The last bookmark that points to a place above the block."""
    first = block.fragments[0]
    assert first.box is not None
    place = (first.page or 0, first.box.top + 2)
    return next((b for b in reversed(bookmarks) if (b.page, b.top) <= place), None)


def test_running_heads_are_left_out(book: Book) -> None:
    lines = {book.result.text_of(block) for block in book.result.blocks}
    head = re.compile(RUNNING_HEADS[book.path.stem])
    assert [line for line in lines if head.match(line) and len(line) < 80] == []


def test_words_parted_at_line_ends_are_whole(book: Book) -> None:
    conjunctions = r"(?!(?:and|or|und|oder|als|aufrufen)\b)"
    parted = re.compile(rf"[a-zäöüß]{{2,}}[-\u00ad\u2010] {conjunctions}[a-zäöüß]{{2,}}")
    prose = [b for b in book.result.blocks if b.kind is BlockKind.PARAGRAPH]
    assert [found for b in prose for found in parted.findall(book.result.text_of(b))] == []


def test_the_window_does_not_show(book: Book) -> None:
    if book.result.page_count > 100:
        pytest.skip("one book is enough")
    again = PdfConverter(ConverterOptions(limits=DocumentLimits(page_window=7))).convert(
        SourceFile(path=book.path, doc_id="doc", content_hash="")
    )
    assert again == book.result


def test_printed_page_labels_are_kept(book: Book) -> None:
    roman, arabic = {"R-lang": (3, 6), "developers-reference.de": (4, 9)}[book.path.stem]
    labels = book.result.page_labels
    assert (labels[roman].isalpha(), labels[arabic]) == (True, "1")
    assert not book.result.page_failures
