"""PDF pages as PDFium reads and draws them."""

from citeloom.infrastructure.conversion.pdfium.page_images import PdfiumPageImages
from citeloom.infrastructure.conversion.pdfium.page_texts import PdfiumPageTexts

__all__ = ["PdfiumPageImages", "PdfiumPageTexts"]
