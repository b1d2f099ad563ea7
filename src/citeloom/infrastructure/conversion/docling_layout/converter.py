"""Conversion of one PDF by Docling's own pipeline, with its layout and table models."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from docling.datamodel.base_models import InputFormat
from docling.datamodel.pipeline_options import PdfPipelineOptions
from docling.document_converter import DocumentConverter, PdfFormatOption
from docling_core.types.doc.document import DoclingDocument

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import EmptyDocument, UnreadableDocument
from citeloom.infrastructure.conversion.docling_document import body_of
from citeloom.infrastructure.conversion.file_converter import (
    NO_PLAIN_PAGES,
    FileConverter,
    FileTask,
)
from citeloom.infrastructure.conversion.pdf.converter import embedded
from citeloom.infrastructure.conversion.pdfium import open_pdf
from citeloom_pdf.parsing.metadata import embedded_metadata, page_labels
from citeloom_pdf.parsing.opened_pages import OpenedPages

# Docling's standard pipeline for PDFs.


class StockPipeline:
    """Converts PDFs with the weights in a folder, which are loaded with the first document."""

    def __init__(self, weights: Path) -> None:
        options = PdfPipelineOptions(artifacts_path=weights, do_ocr=False)
        pdf = PdfFormatOption(pipeline_options=options)
        self._converter = DocumentConverter(format_options={InputFormat.PDF: pdf})

    def __call__(self, path: Path) -> DoclingDocument:
        return self._converter.convert(path).document


Pipeline = Callable[[Path], DoclingDocument]


class DoclingLayoutPdf(FileConverter):
    """Converts with `pipeline`; images are not read, and no page is timed on its own.

    After a page stopped an earlier attempt, `otherwise` converts the document.
    """

    def __init__(self, pipeline: Pipeline, *, version: str, otherwise: FileConverter) -> None:
        self._pipeline = pipeline
        self._version = version
        self._otherwise = otherwise

    def convert(self, task: FileTask) -> ConversionResult:
        if task.plain != NO_PLAIN_PAGES:
            result = self._otherwise.convert(task)
            return replace(result, converter_version=self._version)
        path = task.path
        task.on_page(0)
        try:
            body = body_of(self._pipeline(path))
        except (RuntimeError, ValueError) as error:
            raise UnreadableDocument(
                f"'{path.name}' cannot be read by Docling's pipeline: {error}",
                'Set layout = "rules" under [conversion], or exclude the file.',
            ) from error
        if not body.blocks:
            raise EmptyDocument(
                f"'{path.name}' has no text", 'Images are read with layout = "rules" only.'
            )
        with open_pdf(path) as document, closing(OpenedPages(document)) as pages:
            return ConversionResult(
                doc_id=task.doc_id,
                plain_text=body.plain_text,
                blocks=tuple(body.blocks),
                headings=tuple(body.headings),
                page_map=body.page_map,
                page_count=len(document),
                page_labels=page_labels(document),
                engine=self._version,
                converter_version=self._version,
                embedded=embedded(embedded_metadata(pages, path)),
            )
