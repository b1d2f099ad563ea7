"""What every reader of raw pages promises."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.page_texts import PageTexts
from citeloom.domain.errors import EncryptedDocument, UnreadableDocument, UnsupportedFormat
from citeloom.infrastructure.conversion.pdfium import PdfiumPageTexts
from tests.fakes.page_texts import InMemoryPageTexts

PAGES = ("Head of the first page\nWheat grows.", "", "Third page")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A PDF of three pages, the second blank, a locked one, a broken one and a note."""
    for name, lock in (("three.pdf", None), ("locked.pdf", StandardEncryption("key"))):
        canvas = Canvas(str(tmp_path / name), encrypt=lock)
        for page in PAGES:
            for line, text in enumerate(page.splitlines()):
                canvas.drawString(72, 700 - 20 * line, text)
            canvas.showPage()
        canvas.save()
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    (tmp_path / "note.md").write_text("# No pages", encoding="utf-8")
    return tmp_path


@pytest.fixture(params=["pdfium", "memory"])
def page_texts(request: pytest.FixtureRequest) -> PageTexts:
    if request.param == "pdfium":
        return PdfiumPageTexts()
    return InMemoryPageTexts(
        {
            "three.pdf": PAGES,
            "locked.pdf": EncryptedDocument("locked"),
            "broken.pdf": UnreadableDocument("broken"),
            "note.md": UnsupportedFormat("no pages"),
        }
    )


def test_every_page_is_read_in_order(page_texts: PageTexts, folder: Path) -> None:
    assert tuple(page_texts.pages(folder / "three.pdf")) == PAGES


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("locked.pdf", EncryptedDocument),
        ("broken.pdf", UnreadableDocument),
        ("missing.pdf", UnreadableDocument),
        ("note.md", UnsupportedFormat),
    ],
)
def test_a_file_without_readable_pages_is_refused(
    page_texts: PageTexts, folder: Path, name: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        page_texts.pages(folder / name)
