"""PDF pages as PDFium reads them."""

from citeloom.infrastructure.conversion.pdfium.page_texts import PdfiumPageTexts

__all__ = ["PdfiumPageTexts"]
