"""Docling's standard pipeline for PDFs."""

from __future__ import annotations

from pathlib import Path

from docling.datamodel.base_models import InputFormat
from docling.datamodel.pipeline_options import PdfPipelineOptions
from docling.document_converter import DocumentConverter, PdfFormatOption
from docling_core.types.doc.document import DoclingDocument


class StockPipeline:
    """Converts PDFs with the weights in a folder, which are loaded with the first document."""

    def __init__(self, weights: Path) -> None:
        options = PdfPipelineOptions(artifacts_path=weights, do_ocr=False)
        pdf = PdfFormatOption(pipeline_options=options)
        self._converter = DocumentConverter(format_options={InputFormat.PDF: pdf})

    def __call__(self, path: Path) -> DoclingDocument:
        """The document that Docling makes of the file."""
        return self._converter.convert(path).document
