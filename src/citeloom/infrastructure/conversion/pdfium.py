"""A PDF through PDFium alone: opened, and as pictures of its pages."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from threading import RLock

import pypdfium2
from PIL import Image, ImageChops, ImageDraw
from pypdfium2 import raw

from citeloom.application.ports.conversion import PageImages
from citeloom.domain.documents.conversion import Box
from citeloom.domain.errors import (
    EncryptedDocument,
    NotFound,
    UnreadableDocument,
    UnsupportedFormat,
)
from citeloom.infrastructure.conversion.word_boxes import word_boxes

# PDFs as PDFium opens them, one at a time: it may not be called by two threads at once.

_PROTECTED = (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
_ONE_CALLER = RLock()


@contextmanager
def open_pdf(path: Path) -> Iterator[pypdfium2.PdfDocument]:
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
        raise refusal(path, error) from error


def refusal(path: Path, error: BaseException) -> EncryptedDocument | UnreadableDocument:
    """Why PDFium could not open the file."""
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


# Pages of PDFs as images, drawn by PDFium.

_MOST_PIXELS, _LONGEST_SIDE = 8_000_000, 20_000
_MOST_IMAGES = 8
_MARKER = (255, 236, 120)
_MARGIN = 1.5  # points around a box


class PdfiumPageImages(PageImages):
    """Draws pages of PDFs, and keeps the last ones until their file changes."""

    def __init__(self) -> None:
        self._drawn = lru_cache(maxsize=_MOST_IMAGES)(_drawn)

    def draw(
        self, path: Path, page: int, boxes: Sequence[Box], *, scale: float, words: str = ""
    ) -> bytes:
        try:
            status = path.stat()
        except OSError as error:
            raise UnreadableDocument(
                f"'{path.name}' is not there any more", "Put it back, or ingest what is there now."
            ) from error
        version = (status.st_mtime_ns, status.st_size)
        return self._drawn(path, version, page, tuple(boxes), scale, words)


def _drawn(
    path: Path,
    _version: tuple[int, int],
    page: int,
    boxes: tuple[Box, ...],
    scale: float,
    words: str,
) -> bytes:
    marks: Sequence[Box] = boxes
    with open_pdf(path) as document:
        image, scale = _bitmap(document, path, page, scale)
        if words:
            marks = word_boxes(document[page - 1], words, boxes) or boxes
    sheet = Image.new("RGB", image.size, "white")
    pen = ImageDraw.Draw(sheet)
    for box in marks:
        corners = (
            *(box.left - _MARGIN, box.top - _MARGIN),
            *(box.right + _MARGIN, box.bottom + _MARGIN),
        )
        pen.rectangle([scale * corner for corner in corners], fill=_MARKER)
    marked = ImageChops.multiply(image, sheet)
    stream = io.BytesIO()
    marked.save(stream, "PNG", compress_level=3)
    return stream.getvalue()


def _bitmap(
    document: pypdfium2.PdfDocument, path: Path, number: int, scale: float
) -> tuple[Image.Image, float]:
    """The page as an image, and its scale."""
    if not 1 <= number <= len(document):
        raise NotFound(
            f"{path.name} has no page {number}, only {len(document)}", "Pages are counted from 1."
        )
    try:
        page = document[number - 1]
        width, height = page.get_size()
        scale = min(
            scale,
            math.sqrt(_MOST_PIXELS / max(width * height, 1.0)),
            _LONGEST_SIDE / max(width, height, 1.0),
        )
        bitmap = page.render(scale=scale)
        try:
            return bitmap.to_pil().convert("RGB"), scale
        finally:
            bitmap.close()
            page.close()
    except (pypdfium2.PdfiumError, ValueError) as error:
        raise UnreadableDocument(
            f"page {number} of {path.name} cannot be drawn", "Look at it in a PDF viewer."
        ) from error
