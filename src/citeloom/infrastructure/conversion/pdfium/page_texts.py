"""The text of each page of a PDF, by PDFium alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pypdfium2

from citeloom.application.ports.page_texts import PageTexts
from citeloom.infrastructure.conversion.pdfium.opening import opened


class PdfiumPageTexts(PageTexts):
    """Reads PDFs; a page that PDFium cannot load has no text."""

    def pages(self, path: Path) -> Sequence[str]:
        with opened(path) as document:
            return [_text(document, index) for index in range(len(document))]


def _text(document: pypdfium2.PdfDocument, index: int) -> str:
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return ""
    try:
        return str(page.get_textpage().get_text_range()).replace("\r\n", "\n")
    finally:
        page.close()
