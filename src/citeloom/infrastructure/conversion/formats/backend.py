"""Docling's format backends without its pipelines."""

from __future__ import annotations

from io import BytesIO

from docling.backend.html_backend import HTMLDocumentBackend
from docling.backend.noop_backend import NoOpBackend
from docling.datamodel.backend_options import HTMLBackendOptions
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling_core.types.doc.document import DoclingDocument

from citeloom.infrastructure.conversion.formats.markup import KEPT_SPACE

_MARKS = range(0x2010, 0x2028)
_SHIELDED = {mark: mark + 0x10DF00 for mark in _MARKS}
_BARE = {shielded: mark for mark, shielded in (_SHIELDED | KEPT_SPACE).items()}


def document_of_html(html: str) -> DoclingDocument:
    """Docling's document of an HTML page; nothing is fetched.

    Dashes and quotation marks, which Docling would turn into ASCII, are kept.
    """
    stream = BytesIO(
        html.translate(_SHIELDED).encode("utf-8-sig")
    )  # without a BOM the encoding is guessed
    options = HTMLBackendOptions.model_validate({"add_title": False, "infer_furniture": False})
    backend = HTMLDocumentBackend(described(stream, InputFormat.HTML), stream, options)
    document = backend.convert()
    for item in document.texts:
        item.text = item.text.translate(_BARE)
    for cell in (cell for table in document.tables for cell in table.data.table_cells):
        cell.text = cell.text.translate(_BARE)
    return document


def described(stream: BytesIO, kind: InputFormat) -> InputDocument:
    """The input description that a backend needs beside the bytes."""
    return InputDocument(
        path_or_stream=stream, format=kind, backend=NoOpBackend, filename=f"document.{kind.value}"
    )
