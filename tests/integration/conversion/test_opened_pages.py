"""Pages that are loaded once for everything that is read of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pypdfium2 as pdfium
import pytest

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.parsing.characters import PageCharacters
from citeloom_pdf.parsing.metadata import outline_of
from citeloom_pdf.parsing.opened_pages import OpenedPages
from tests.integration.conversion import documents


class Counted(pdfium.PdfDocument):  # type: ignore[misc]
    """A document that counts how often its pages are loaded."""

    loads = 0

    def get_page(self, index: int) -> pdfium.PdfPage:
        self.loads += 1
        return super().get_page(index)


@pytest.fixture
def document(tmp_path: Path) -> Iterator[Counted]:
    document = Counted(documents.ruled_table(tmp_path / "table.pdf"))
    yield document
    document.close()


def test_a_page_is_loaded_once_until_it_is_released(document: Counted) -> None:
    pages = OpenedPages(document)
    assert len(pages[1].letters) == pages[1].count > 0
    assert pages.text(1) == pages[1].text.get_text_range()
    assert document.loads == 1
    pages.release(1)
    assert pages[1].count > 0
    assert document.loads == 2
    pages.close()


def test_the_text_of_a_page_is_read_once_and_the_page_not_held(document: Counted) -> None:
    pages = OpenedPages(document)
    assert pages.text(1) == pages.text(1) != ""
    assert pages.text(2) == pages.text(2) == ""  # there is no such page
    assert document.loads == 2
    pages[1].page.close()  # a page of its own


def test_only_pages_with_very_many_objects_are_released_early(
    document: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = OpenedPages(document)
    assert pages[1].count > 0
    pages.release_heavy()
    assert pages[1].count > 0
    assert document.loads == 1
    monkeypatch.setattr("citeloom_pdf.parsing.opened_pages._HEAVY", 1)
    pages.release_heavy()
    assert pages[1].count > 0
    assert document.loads == 2
    pages.close()


def test_an_outline_loads_no_page(tmp_path: Path) -> None:
    document = Counted(documents.book(tmp_path / "outline.pdf"))
    entries = outline_of(document)
    assert [(entry.title, entry.page_no) for entry in entries] != []
    assert document.loads == 0
    document.close()


def test_a_quotation_mark_is_read_as_printed_where_its_box_lies_below_it(tmp_path: Path) -> None:
    source = (
        "#set page(width: 200pt, height: 100pt)\n#set text(size: 20pt)\n\u201cHe\u201d said so."
    )
    with pdfium.PdfDocument(documents.typeset(source, tmp_path / "quote.pdf")) as document:
        page = OpenedPages(document)[1]
        left, bottom, right, top = page.text.get_charbox(page.text.get_text_range().index("\u201c"))
        height = top - bottom
        low = 100 - bottom + 2
        below = Rect(left, low, right, low + height)
        assert PageCharacters(page).as_printed('"', below) == "\u201c"
        assert PageCharacters(page).as_printed("e", below) == "e"


def test_a_triangle_that_its_font_names_is_no_letter_of_its_code(tmp_path: Path) -> None:
    source = "#set page(width: 200pt, height: 100pt)\n#set text(size: 20pt)\nI First"
    with pdfium.PdfDocument(documents.typeset(source, tmp_path / "item.pdf")) as document:
        page = OpenedPages(document)[1]
        left, bottom, right, top = page.text.get_charbox(0)
        box = Rect(left, 100 - top, right, 100 - bottom)
        assert PageCharacters(page).as_printed("\u25b6", box) == "\u25b6"
        assert PageCharacters(page).as_printed("\u2729", box) == "I"
