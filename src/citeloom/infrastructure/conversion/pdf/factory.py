"""Building the PDF converter in a worker process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from citeloom.application.limits import DOCUMENT_LIMITS
from citeloom.application.ports.conversion import OcrEngine
from citeloom.infrastructure.conversion.file_converter import FileConverter, pdf_version


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfConversion:
    """Builds the PDF converter when called, so that the parent process loads nothing of it.

    `windows` is the folder for finished page windows of long documents, if they are kept. The
    first of the `engines` that reads most of the wanted languages reads the images of pages.
    """

    page_window: int = DOCUMENT_LIMITS.page_window
    threads: int = 1
    windows: Path | None = None
    engines: tuple[OcrEngine, ...] = ()

    def __call__(self) -> FileConverter:
        from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
        from citeloom.infrastructure.conversion.pdf.preflight import PreflightedPdf
        from citeloom_pdf.parsing.windows import WindowStore

        store = WindowStore(self.windows, pdf_version()) if self.windows else None
        converter = PdfConverter(
            page_window=self.page_window,
            threads=self.threads,
            windows=store,
            engines=self.engines,
        )
        return PreflightedPdf(converter)
