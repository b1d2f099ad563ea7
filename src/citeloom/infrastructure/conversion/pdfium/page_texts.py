"""The text of each page of a PDF, by PDFium alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pypdfium2
from pypdfium2 import raw

from citeloom.application.ports.page_texts import PageTexts
from citeloom.domain.errors import EncryptedDocument, UnreadableDocument, UnsupportedFormat

_PROTECTED = (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)


class PdfiumPageTexts(PageTexts):
    """Reads PDFs; a page that PDFium cannot load has no text."""

    def pages(self, path: Path) -> Sequence[str]:
        if path.suffix.lower() != ".pdf":
            raise UnsupportedFormat(f"{path.name} is not a PDF: its pages cannot be compared")
        try:
            document = pypdfium2.PdfDocument(path)
        except (pypdfium2.PdfiumError, FileNotFoundError) as error:
            raise _refusal(path, error) from error
        try:
            return [_text(document, index) for index in range(len(document))]
        finally:
            document.close()


def _text(document: pypdfium2.PdfDocument, index: int) -> str:
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return ""
    try:
        return str(page.get_textpage().get_text_range()).replace("\r\n", "\n")
    finally:
        page.close()


def _refusal(path: Path, error: Exception) -> EncryptedDocument | UnreadableDocument:
    if getattr(error, "err_code", None) in _PROTECTED:
        return EncryptedDocument(f"{path.name} is protected by a password")
    if isinstance(error, FileNotFoundError):
        return UnreadableDocument(f"{path.name} is not there any more")
    return UnreadableDocument(f"{path.name} cannot be opened as a PDF")
