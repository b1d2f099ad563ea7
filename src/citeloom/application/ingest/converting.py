"""What a document is converted from and how, and what its conversion leaves to be told."""

from __future__ import annotations

from citeloom.application.ingest.images import wanted_reading
from citeloom.application.ingest.parts import IngestParts
from citeloom.application.ingest.plan import PlannedDocument
from citeloom.application.ports.document_converter import Converted, Source
from citeloom.application.reports import ImagesRead, IngestReport


def source_of(document: PlannedDocument, parts: IngestParts) -> Source:
    """The document as the converter takes it."""
    return Source(
        path=document.file.path,
        doc_id=document.doc_id,
        content_hash=document.content_hash,
        ocr=wanted_reading(document, parts),
    )


def take_notes(name: str, outcome: Converted, report: IngestReport, *, least: float) -> None:
    """Report what was assumed, which pages failed, and which were read as images; those read
    with `least` confidence or more are not told one by one.
    """
    result, wanted = outcome.result, outcome.source.ocr
    if result is None:
        return
    if result.notes:
        report.notes[name] = list(result.notes)
    if result.page_failures:
        report.page_failures[name] = [
            f"page {failure.page}: {failure.reason}" for failure in result.page_failures
        ]
    if wanted is not None and result.ocr_pages:
        report.images_read[name] = ImagesRead(
            engine=result.ocr_engine,
            languages=result.ocr_languages,
            source=wanted.source,
            pages=len(result.ocr_pages),
            poor={page: sure for page, sure in result.ocr_pages.items() if sure < least},
        )
