"""Embedded metadata of a PDF: title, author, DOI, page labels, text of the first pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pypdfium2 as pdfium

from citeloom.domain.conversion import EmbeddedMetadata
from citeloom.infrastructure.conversion.pdf_layout.elements.page import PageLayout

FRONT_PAGES = 3
FRONT_CHARACTERS = 20_000

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"'<>\\(){}\[\]]+")
_DOI_KEYS = ("doi", "DOI", "WPS-ARTICLEDOI", "Subject", "Keywords")
# XMP packets are stored uncompressed so that any program can find them
_XMP = re.compile(rb"<x:xmpmeta.*?</x:xmpmeta>", re.DOTALL)
_XMP_DOI = re.compile(r"(?:prism:doi|pdfx:doi|dc:identifier|crossmark:DOI)\W(.{0,200})", re.DOTALL)


def embedded_metadata(document: pdfium.PdfDocument, path: Path) -> EmbeddedMetadata:
    """Title and author of the information dictionary, the embedded DOI if any, the front text."""
    return EmbeddedMetadata(
        title=_entry(document, "Title"),
        author=_entry(document, "Author"),
        doi=_doi_in_information(document) or _doi_in_xmp(path.read_bytes()),
        front_text=front_text(document),
    )


def _entry(document: pdfium.PdfDocument, key: str) -> str:
    return " ".join(str(document.get_metadata_value(key)).split())


def _doi_in_information(document: pdfium.PdfDocument) -> str:
    for key in _DOI_KEYS:
        if found := _DOI.search(_entry(document, key)):
            return found.group().rstrip(".,;")
    return ""


def _doi_in_xmp(content: bytes) -> str:
    for packet in _XMP.findall(content):
        for value in _XMP_DOI.findall(packet.decode("utf-8", "replace")):
            if found := _DOI.search(value):
                return found.group().rstrip(".,;")
    return ""


def page_text(document: pdfium.PdfDocument, page: int) -> str:
    """All text of a page as PDFium reads it; empty if PDFium cannot load the page."""
    try:
        opened = document[page - 1]
    except pdfium.PdfiumError:
        return ""
    try:
        return str(opened.get_textpage().get_text_range()).replace("\r\n", "\n")
    except pdfium.PdfiumError:
        return ""
    finally:
        opened.close()


def front_text(document: pdfium.PdfDocument) -> str:
    """The text of the first pages, running headers included."""
    pages = range(1, min(FRONT_PAGES, len(document)) + 1)
    return "\n".join(page_text(document, page) for page in pages)[:FRONT_CHARACTERS]


def with_read_front(embedded: EmbeddedMetadata, pages: Iterable[PageLayout]) -> EmbeddedMetadata:
    """The metadata with the OCR text of first pages that are images in the front text."""
    read = [
        "\n".join(line for block in page.blocks for line in block.lines)
        for page in pages
        if page.number <= FRONT_PAGES and page.confidence is not None
    ]
    front = "\n".join((embedded.front_text, *read))[:FRONT_CHARACTERS]
    return replace(embedded, front_text=front) if read else embedded


def page_labels(document: pdfium.PdfDocument) -> Mapping[int, str]:
    """The declared label of each page; empty if the document declares none."""
    labels = {page: document.get_page_label(page - 1) for page in range(1, len(document) + 1)}
    return {page: label for page, label in labels.items() if label}
