"""PDFs as PDFium opens them, one at a time: it may not be called by two threads at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
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
        raise UnsupportedFormat(
            f"{path.name} is not a PDF: it has no pages to look at",
            "It is cited by section and paragraph.",
        )
    with _ONE_CALLER, closing(document_at(path)) as document:
        yield document


def document_at(path: Path) -> pypdfium2.PdfDocument:
    """The PDF, which the caller closes; no other thread may use PDFium before that.

    Raises `EncryptedDocument` and `UnreadableDocument`.
    """
    try:
        return pypdfium2.PdfDocument(path)
    except (pypdfium2.PdfiumError, FileNotFoundError) as error:
        raise _refusal(path, error) from error


def _refusal(path: Path, error: Exception) -> EncryptedDocument | UnreadableDocument:
    if getattr(error, "err_code", None) in _PROTECTED:
        return EncryptedDocument(
            f"'{path.name}' is protected by a password",
            "Save a copy without a password and ingest that.",
        )
    if isinstance(error, FileNotFoundError):
        return UnreadableDocument(
            f"'{path.name}' is not there any more", "Put it back, or ingest what is there now."
        )
    return UnreadableDocument(
        f"'{path.name}' cannot be read as a PDF: its structure is damaged",
        "Open it in a PDF reader and save it again, or get another copy.",
    )
