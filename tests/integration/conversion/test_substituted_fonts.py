from __future__ import annotations

import gc
from contextlib import closing
from pathlib import Path

import pypdfium2 as pdfium

from citeloom_pdf import PdfOptions, read_pdf
from citeloom_pdf.parsing.opened_pages import OpenedPage
from tests.integration.conversion.test_letter_codes import written


def not_embedded(path: Path, width: int) -> Path:
    """A line in a font that is not embedded, all letters of this width."""
    widths = " ".join([str(width)] * 95)
    font = (
        "<< /Type /Font /Subtype /TrueType /BaseFont /GillSans /Encoding /WinAnsiEncoding"
        f" /FirstChar 32 /LastChar 126 /Widths [{widths}] /FontDescriptor 6 0 R >>"
    )
    descriptor = (
        b"<< /Type /FontDescriptor /FontName /GillSans /Flags 32 /StemV 80 /ItalicAngle 0"
        b" /Ascent 900 /Descent -200 /CapHeight 700 /FontBBox [0 0 1000 900] >>"
    )
    content = b"BT /F1 10 Tf 72 700 Td (Note : the gauge of the river is read) Tj ET"
    return written(path, content, b"<< /F1 5 0 R >>", font.encode(), descriptor)


def letter_boxes(path: Path) -> list[tuple[float, ...]]:
    """Where PDFium has each letter while the document is read."""
    boxes: list[tuple[float, ...]] = []

    def look_at(page: OpenedPage) -> None:
        boxes.extend(page.text.get_charbox(position) for position in range(page.count))

    read_pdf(path, PdfOptions(look_at=look_at))
    return boxes


def test_letters_of_a_font_that_is_not_embedded_are_as_wide_after_other_documents(
    tmp_path: Path,
) -> None:
    gc.collect()  # documents that other tests left open
    path = not_embedded(tmp_path / "read.pdf", 600)
    boxes = letter_boxes(path)
    with closing(pdfium.PdfDocument(not_embedded(tmp_path / "narrow.pdf", 250))) as narrow:
        narrow[0].render()
    assert letter_boxes(path) == boxes


def test_a_document_may_be_read_while_another_is_open(tmp_path: Path) -> None:
    with closing(pdfium.PdfDocument(not_embedded(tmp_path / "open.pdf", 600))) as other:
        read_pdf(not_embedded(tmp_path / "read.pdf", 600), PdfOptions())
        assert other[0].get_textpage().get_text_range().startswith("Note : the gauge")
