"""Scans, made by drawing the pages of a PDF as images."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pypdfium2 as pdfium
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas], None]


def scan(
    source: Path,
    path: Path,
    *,
    pages: frozenset[int] | None = None,
    dpi: int = 150,
    skew: float = 0.0,
    over: Draw | None = None,
) -> Path:
    """The document with these pages, or all, as images that rise by `skew` degrees; `over` draws
    on each of them.
    """
    document = pdfium.PdfDocument(source)
    for index in range(len(document)):
        if pages is None or index + 1 in pages:
            _replace(document, index, dpi, skew, over)
    document.save(path)
    document.close()
    return path


def _replace(
    document: pdfium.PdfDocument, index: int, dpi: int, skew: float, over: Draw | None
) -> None:
    page = document[index]
    size = page.get_size()
    picture = page.render(scale=dpi / 72, grayscale=True).to_pil().convert("L")
    image = image_page(picture.rotate(skew, Image.Resampling.BICUBIC, fillcolor=255), size, over)
    page.close()
    document.del_page(index)
    document.import_pages(pdfium.PdfDocument(image), index=index)


def image_page(picture: Image.Image, size: tuple[float, float], over: Draw | None = None) -> bytes:
    """A PDF of one page that the picture fills."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=size)
    canvas.drawImage(ImageReader(picture), 0, 0, *size)
    if over is not None:
        over(canvas)
    canvas.save()
    return buffer.getvalue()
