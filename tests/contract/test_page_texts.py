"""What every reader of raw pages promises."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import PageTexts
from citeloom.infrastructure.conversion.pdfium import PdfiumPageTexts
from tests.fakes.page_texts import InMemoryPageTexts
from tests.fakes.pageless_files import PAGELESS, REFUSED, write_pageless

PAGES = ("Head of the first page\nWheat grows.", "", "Third page")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A PDF of three pages, the second blank, and files whose pages cannot be read."""
    canvas = Canvas(str(tmp_path / "three.pdf"))
    _draw(canvas)
    canvas.save()
    write_pageless(tmp_path, _draw)
    return tmp_path


def _draw(canvas: Canvas) -> None:
    for page in PAGES:
        for line, text in enumerate(page.splitlines()):
            canvas.drawString(72, 700 - 20 * line, text)
        canvas.showPage()


@pytest.fixture(params=["pdfium", "memory"])
def page_texts(request: pytest.FixtureRequest) -> PageTexts:
    if request.param == "pdfium":
        return PdfiumPageTexts()
    return InMemoryPageTexts({"three.pdf": PAGES, **PAGELESS})


def test_every_page_is_read_in_order(page_texts: PageTexts, folder: Path) -> None:
    pages = page_texts.pages(folder / "three.pdf")
    assert tuple(page.text for page in pages) == PAGES
    lines = [[line.text for line in page.lines] for page in pages]
    assert lines == [text.splitlines() for text in PAGES]


@pytest.mark.parametrize(("name", "error"), REFUSED)
def test_a_file_without_readable_pages_is_refused(
    page_texts: PageTexts, folder: Path, name: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        page_texts.pages(folder / name)
