"""Pages of PDFs as images, drawn by PDFium."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import pypdfium2
from PIL import Image, ImageChops, ImageDraw

from citeloom.application.ports.page_images import PageImages
from citeloom.domain.conversion import Box
from citeloom.domain.errors import NotFound, UnreadableDocument
from citeloom.infrastructure.conversion.pdfium.opening import opened

_MOST_PIXELS, _LONGEST_SIDE = 8_000_000, 20_000
_KEPT_IMAGES = 8
_MARKER = (255, 236, 120)
_MARGIN = 1.5  # points around a box


class PdfiumPageImages(PageImages):
    """Draws pages of PDFs, and keeps the last ones until their file changes."""

    def __init__(self) -> None:
        self._drawn = lru_cache(maxsize=_KEPT_IMAGES)(_drawn)

    def draw(self, path: Path, page: int, boxes: Sequence[Box], *, scale: float) -> bytes:
        try:
            known = path.stat()
        except OSError as error:
            raise UnreadableDocument(
                f"'{path.name}' is not there any more", "Put it back, or ingest what is there now."
            ) from error
        version = (known.st_mtime_ns, known.st_size)
        return self._drawn(path, version, page, tuple(boxes), scale)


def _drawn(
    path: Path, _version: tuple[int, int], page: int, boxes: tuple[Box, ...], scale: float
) -> bytes:
    with opened(path) as document:
        image, scale = _bitmap(document, path, page, scale)
    marked = ImageChops.multiply(image, _marker(image.size, boxes, scale))
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


def _marker(size: tuple[int, int], boxes: Sequence[Box], scale: float) -> Image.Image:
    """A white sheet with the boxes in the colour of a marker, to be laid over a page."""
    sheet = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(sheet)
    for box in boxes:
        corners = (
            *(box.left - _MARGIN, box.top - _MARGIN),
            *(box.right + _MARGIN, box.bottom + _MARGIN),
        )
        pen.rectangle([scale * corner for corner in corners], fill=_MARKER)
    return sheet
