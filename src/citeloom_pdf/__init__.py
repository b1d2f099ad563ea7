"""Reads a PDF: its pages with their blocks, and the whole as a `DoclingDocument` in reading order.

    from pathlib import Path
    from citeloom_pdf import read_pdf

    pdf = read_pdf(Path("article.pdf"))
    print(pdf.document.export_to_markdown())

Nothing of it loads before the first file. It needs docling, docling-parse and pypdfium2, and
nothing of citeloom.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from citeloom_pdf.options import (
    ImageReader,
    ImageUnreadable,
    PageImage,
    PdfOptions,
    PdfUnreadable,
    RecognisedLine,
)

if TYPE_CHECKING:
    from citeloom_pdf.reading import ReadPdf

ENGINE = "heuristic-33"
"""Changes whenever a result may."""

__all__ = [
    "ENGINE",
    "ImageReader",
    "ImageUnreadable",
    "PageImage",
    "PdfOptions",
    "PdfUnreadable",
    "RecognisedLine",
    "read_pdf",
]


def read_pdf(path: Path, options: PdfOptions | None = None) -> ReadPdf:
    """What the PDF says. PDFium is started anew for it, unless something of it is open in this
    process, of which no other thread may use PDFium meanwhile.

    Raises `PdfUnreadable` for a file that PDFium cannot open.
    """
    from citeloom_pdf.reading import read

    return read(path, options or PdfOptions())
