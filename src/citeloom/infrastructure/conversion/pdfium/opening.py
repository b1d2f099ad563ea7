"""PDFs as PDFium opens them, one at a time: it may not be called by two threads at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

import pypdfium2
from pypdfium2 import raw

from citeloom.domain.errors import EncryptedDocument, UnreadableDocument, UnsupportedFormat

_PROTECTED = (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
_ONE_CALLER = RLock()


@contextmanager
def opened(path: Path) -> Iterator[pypdfium2.PdfDocument]:
    """The PDF, closed at the end; meanwhile other threads wait.

    Raises `UnsupportedFormat` for another kind of file, `EncryptedDocument` and
    `UnreadableDocument` for a PDF that cannot be opened.
    """
    if path.suffix.lower() != ".pdf":
        raise UnsupportedFormat(f"{path.name} is not a PDF: it has no pages to look at")
    with _ONE_CALLER:
        try:
            document = pypdfium2.PdfDocument(path)
        except (pypdfium2.PdfiumError, FileNotFoundError) as error:
            raise _refusal(path, error) from error
        try:
            yield document
        finally:
            document.close()


def _refusal(path: Path, error: Exception) -> EncryptedDocument | UnreadableDocument:
    if getattr(error, "err_code", None) in _PROTECTED:
        return EncryptedDocument(f"{path.name} is protected by a password")
    if isinstance(error, FileNotFoundError):
        return UnreadableDocument(f"{path.name} is not there any more")
    return UnreadableDocument(f"{path.name} cannot be opened as a PDF")
