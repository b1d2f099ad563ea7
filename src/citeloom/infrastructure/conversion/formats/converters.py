"""Conversion of documents without fixed pages, and of presentations, in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import EmptyDocument
from citeloom.infrastructure.conversion.docling_document import Body, body_of
from citeloom.infrastructure.conversion.file_converter import (
    FORMATS_ENGINE,
    FileConverter,
    FileTask,
    converter_version,
    own_versions,
    with_hidden,
)
from citeloom.infrastructure.conversion.formats.archive import Bounds
from citeloom.infrastructure.conversion.formats.markup import Declared, embedded_metadata
from citeloom.infrastructure.conversion.formats.office import OfficeFile, document_of_html
from citeloom.infrastructure.conversion.formats.pages import Page


class PageConverter(FileConverter):
    """Converts formats that become one HTML page: HTML, EPUB."""

    def __init__(self, read: Callable[[Path, Bounds], Page], bounds: Bounds) -> None:
        self._read = read
        self._bounds = bounds

    def convert(self, task: FileTask) -> ConversionResult:
        with self._bounds.refusing(task.path):
            page = self._read(task.path, self._bounds)
            body = body_of(document_of_html(page.html), marked=True)
        result = _result(task.path, task.doc_id, body, page.declared, notes=page.notes)
        return with_hidden(result, page.hidden)


class OfficeConverter(FileConverter):
    """Converts Word documents and presentations."""

    def __init__(self, read: Callable[[Path, Bounds], OfficeFile], bounds: Bounds) -> None:
        self._read = read
        self._bounds = bounds

    def convert(self, task: FileTask) -> ConversionResult:
        file = self._read(task.path, self._bounds)
        body = body_of(file.document, marked=True)
        return _result(task.path, task.doc_id, body, file.declared, pages=file.pages)


def _result(
    path: Path,
    doc_id: str,
    body: Body,
    declared: Declared,
    *,
    pages: int = 0,
    notes: tuple[str, ...] = (),
) -> ConversionResult:
    if not body.blocks:
        raise EmptyDocument(
            f"{path.name} has no text", "It may hold images only, and those are not read."
        )
    return ConversionResult(
        doc_id=doc_id,
        plain_text=body.plain_text,
        blocks=tuple(body.blocks),
        headings=tuple(body.headings),
        page_map=body.page_map,
        page_count=pages,
        engine=FORMATS_ENGINE,
        converter_version=own_versions().get(path.suffix.lower(), converter_version()),
        embedded=embedded_metadata(declared, body.plain_text),
        notes=notes,
    )
