"""PDF pages as PDFium reads them."""

from citeloom.infrastructure.pdfium.page_texts import PdfiumPageTexts

__all__ = ["PdfiumPageTexts"]
