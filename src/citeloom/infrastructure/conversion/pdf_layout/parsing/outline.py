"""Headings from a document's outline and table of contents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

import pypdfium2 as pdfium
from docling.utils.pdf_outline import _PdfOutlineItem as OutlineItem
from docling.utils.pdf_outline import extract_outline_from_pdfium
from docling_core.types.doc.labels import DocItemLabel

from citeloom.infrastructure.conversion.pdf_layout.elements.page import LayoutBlock, PageLayout
from citeloom.infrastructure.conversion.pdf_layout.elements.patterns import (
    HEADING_NUMBER,
    KNOWN_HEADING,
    tight,
)
from citeloom.infrastructure.conversion.pdf_layout.structure.chapters import without_label

_LEAST_THOROUGH = 8  # headings found in the outline,
_THOROUGH = 0.6  # and their share of all: then a heading that is not in the outline is dropped
_LEAST_ENTRIES = 3
_HEADING = DocItemLabel.SECTION_HEADER


def outline_of(document: pdfium.PdfDocument) -> list[OutlineItem]:
    """The document's bookmarks in order; none if one points to a page that cannot be loaded."""
    try:
        return extract_outline_from_pdfium(document)
    except pdfium.PdfiumError:
        return []


def titles_by_page(outline: Iterable[OutlineItem]) -> Mapping[int, Set[str]]:
    """The titles of an outline, as letters and digits, by page."""
    titles: dict[int, set[str]] = defaultdict(set)
    for bookmark in outline:
        if bookmark.page_no is not None and tight(bookmark.title):
            titles[bookmark.page_no].add(tight(bookmark.title))
    return titles


def unmark_beside_outline(pages: Sequence[PageLayout], body_size: float) -> None:
    """If the outline is thorough, unmark unnumbered headings it lacks, such as bold terms."""
    headings = _headings(pages)
    absent = [(page, block) for page, block in headings if not block.level]
    present = len(headings) - len(absent)
    if present < max(_LEAST_THOROUGH, _THOROUGH * len(headings)):
        return
    numbers = any(block.level and HEADING_NUMBER.match(block.text) for _, block in headings)
    for page, block in absent:
        if not (_is_named(block, numbers) or _is_large_and_alone(page, block, body_size)):
            block.label = DocItemLabel.TEXT


def _headings(pages: Sequence[PageLayout]) -> list[tuple[PageLayout, LayoutBlock]]:
    return [(page, block) for page in pages for block in page.blocks if block.label == _HEADING]


def _is_named(block: LayoutBlock, numbers: bool) -> bool:
    """Whether the text alone shows a heading; `numbers` says that the document numbers its own."""
    numbered = numbers and HEADING_NUMBER.match(block.text) is not None
    return numbered or KNOWN_HEADING.match(block.text) is not None


def _is_large_and_alone(page: PageLayout, block: LayoutBlock, body_size: float) -> bool:
    large = block.style.is_large(body_size)
    return large and page.number > 1 and not _is_beside_heading(page, block)


def _is_beside_heading(page: PageLayout, block: LayoutBlock) -> bool:
    """Whether another heading follows directly."""
    below = [other for other in page.blocks if other.box.top >= block.box.bottom - 1]
    following = min(below, key=lambda other: other.box.top, default=None)
    return following is not None and following.label == _HEADING


def unmark_contents(pages: Sequence[PageLayout]) -> None:
    """Unmark the entries of a table of contents: headings that occur again on a later page."""
    headings = _headings(pages)
    last = {_bare(block.text): page.number for page, block in headings}
    entries: dict[int, list[LayoutBlock]] = defaultdict(list)
    for page, block in headings:
        if not block.level and last[_bare(block.text)] > page.number:
            entries[page.number].append(block)
    contents = {page.number for page in pages if _has_contents(page)}
    for number, blocks in entries.items():
        if number in contents or len(blocks) >= _LEAST_ENTRIES:
            for block in blocks:
                block.label = DocItemLabel.TEXT


def _has_contents(page: PageLayout) -> bool:
    return any(block.label == DocItemLabel.DOCUMENT_INDEX for block in page.blocks)


def _bare(text: str) -> str:
    """A title without its number and page number."""
    return re.sub(r"^\d+|\d+$", "", tight(without_label(text)))
