"""Embedded metadata of a PDF: title, author, DOI, page labels, outline, text of the first pages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

import pypdfium2 as pdfium
from docling.utils.pdf_outline import _PdfOutlineItem as OutlineItem
from docling.utils.pdf_outline import extract_outline_from_pdfium

from citeloom_pdf.elements.block import FURNITURE, PageLayout
from citeloom_pdf.elements.page import DocumentMetadata
from citeloom_pdf.elements.patterns import tight
from citeloom_pdf.parsing.opened_pages import OpenedPages

# Embedded metadata of a PDF: title, author, DOI, page labels, text of the first pages.

FRONT_PAGES = 3  # pages whose raw text is kept for matching references
FRONT_CHARACTERS = 20_000  # characters of that text

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"'<>\\(){}\[\]]+")
_DOI_KEYS = ("doi", "DOI", "WPS-ARTICLEDOI", "Subject", "Keywords")
# XMP packets are stored uncompressed so that any program can find them
_XMP = re.compile(rb"<x:xmpmeta.*?</x:xmpmeta>", re.DOTALL)
_XMP_DOI = re.compile(r"(?:prism:doi|pdfx:doi|dc:identifier|crossmark:DOI)\W(.{0,200})", re.DOTALL)


def embedded_metadata(pages: OpenedPages, path: Path) -> DocumentMetadata:
    """Title and author of the information dictionary, the embedded DOI if any, the front text."""
    document = pages.document
    return DocumentMetadata(
        title=_entry(document, "Title"),
        author=_entry(document, "Author"),
        doi=next(_dois(document, path), ""),
        front_text=front_text(pages),
    )


def _entry(document: pdfium.PdfDocument, key: str) -> str:
    return " ".join(str(document.get_metadata_value(key)).split())


def _dois(document: pdfium.PdfDocument, path: Path) -> Iterator[str]:
    """Those of the information dictionary, then those of the XMP packets."""
    for key in _DOI_KEYS:
        if match := _DOI.search(_entry(document, key)):
            yield match[0].rstrip(".,;")
    for packet in _XMP.findall(path.read_bytes()):
        for value in _XMP_DOI.findall(packet.decode("utf-8", "replace")):
            if match := _DOI.search(value):
                yield match[0].rstrip(".,;")


def front_text(pages: OpenedPages) -> str:
    """The text of the first pages, running headers included."""
    numbers = range(1, min(FRONT_PAGES, len(pages)) + 1)
    texts = (pages.text(number).replace("\r\n", "\n") for number in numbers)
    return "\n".join(texts)[:FRONT_CHARACTERS]


def with_read_front(embedded: DocumentMetadata, pages: Iterable[PageLayout]) -> DocumentMetadata:
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


# The numbers in running headers and footers: candidates for printed page numbers.

_NUMBER = re.compile(r"(?<![\w.,:/\-\u2010-\u2015])\d{1,5}(?![\w/:\-\u2010-\u2015]|[.,]\d)")


def edge_numbers(pages: Sequence[PageLayout]) -> Mapping[int, tuple[int, ...]]:
    """The standalone whole numbers in each page's running headers and footers."""
    by_page = {}
    for page in pages:
        texts = [block.text for block in page.blocks if block.label in FURNITURE]
        numbers = {int(number) for text in texts for number in _NUMBER.findall(text)}
        if numbers:
            by_page[page.number] = tuple(sorted(numbers))
    return by_page


# The document's outline.


class _Heights:
    """A document whose pages have a height and nothing else, so that none is parsed for it."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self._document = document
        self.get_toc = document.get_toc

    def __getitem__(self, index: int) -> _Height:
        return _Height(self._document.get_page_size(index)[1])


class _Height(NamedTuple):
    height: float

    def get_height(self) -> float:
        return self.height

    def close(self) -> None:
        """Nothing is open."""


def outline_of(document: pdfium.PdfDocument) -> list[OutlineItem]:
    """The document's bookmarks in order; none if one points to a page that cannot be loaded."""
    try:
        return extract_outline_from_pdfium(cast("pdfium.PdfDocument", _Heights(document)))
    except pdfium.PdfiumError:
        return []


def titles_by_page(outline: Iterable[OutlineItem]) -> Mapping[int, Set[str]]:
    """The titles of an outline, as letters and digits, by page."""
    titles: dict[int, set[str]] = defaultdict(set)
    for bookmark in outline:
        if bookmark.page_no is not None and tight(bookmark.title):
            titles[bookmark.page_no].add(tight(bookmark.title))
    return titles
