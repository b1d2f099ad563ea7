"""Headings declared by the outline: the block that each entry names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from docling.utils.pdf_outline import _PdfOutlineItem as OutlineItem
from docling_core.types.doc.labels import DocItemLabel
from rapidfuzz import fuzz

from citeloom.infrastructure.conversion.pdf_layout.elements.page import (
    FURNITURE,
    LayoutBlock,
    PageLayout,
)
from citeloom.infrastructure.conversion.pdf_layout.elements.patterns import tight
from citeloom.infrastructure.conversion.pdf_layout.structure.chapters import without_label

_MATCH = 88
_EXACT = 100
_LEAST_FUZZY = 6  # letters: a shorter title must be the same
_LONGEST = 400
_MOST_LINES = 6
_ABOVE, _BELOW = 6.0, 40.0  # points from an entry's place to the top of its title
_NUMBER = re.compile(r"\s*(?:\d+|[A-Z](?=\.?\d|\.)|[IVXLC]+(?=\.))(?:\.\d+)*\.?\s+")
_TITLES = (
    DocItemLabel.TEXT,
    DocItemLabel.LIST_ITEM,
    DocItemLabel.CODE,
    DocItemLabel.FORMULA,
    DocItemLabel.SECTION_HEADER,
)


class _Fit(NamedTuple):
    """How well a block fits an entry; the smallest is the best."""

    furniture: bool
    inexact: bool
    distance: float
    smallness: float


def mark_declared(
    pages: Sequence[PageLayout], outline: Sequence[OutlineItem], body_size: float
) -> None:
    """Make a heading of the block that each entry names, at the entry's level.

    The block has the entry's title, numbered or not, on the page the entry points to or on an
    adjacent one, in any font. A running header is no heading unless it is as large as a title.
    """
    by_number = {page.number: page for page in pages}
    highest = min((entry.level for entry in outline), default=0)
    for entry in outline:
        if (block := _named(entry, by_number, body_size)) is not None:
            block.label = DocItemLabel.SECTION_HEADER
            block.level = entry.level - highest + 1


def _named(
    entry: OutlineItem, by_number: Mapping[int, PageLayout], body_size: float
) -> LayoutBlock | None:
    for page in _pages_near(entry, by_number):
        fits = [
            (fit, index)
            for index, block in enumerate(page.blocks)
            if (fit := _fit(entry, page, block, body_size)) is not None
        ]
        if fits:
            return page.blocks[min(fits)[1]]
    return None


def _pages_near(entry: OutlineItem, by_number: Mapping[int, PageLayout]) -> Iterator[PageLayout]:
    if entry.page_no is not None:
        for number in (entry.page_no, entry.page_no + 1, entry.page_no - 1):
            if number in by_number:
                yield by_number[number]


def _fit(entry: OutlineItem, page: PageLayout, block: LayoutBlock, body_size: float) -> _Fit | None:
    furniture = block.label in FURNITURE
    if block.level or not (furniture or block.label in _TITLES):
        return None
    similarity = _similarity(block, entry.title)
    if similarity < _MATCH:
        return None
    near = _is_near(entry, page, block)
    large = block.style.is_large(body_size)
    if not large and (furniture or (block.text[:1].islower() and not near)):
        return None
    distance = abs(block.box.top - (entry.y_top or 0.0))
    return _Fit(furniture, similarity < _EXACT, distance, -block.style.size)


def _is_near(entry: OutlineItem, page: PageLayout, block: LayoutBlock) -> bool:
    if entry.y_top is None or page.number != entry.page_no:
        return False
    return -_ABOVE <= block.box.top - entry.y_top <= _BELOW


def _similarity(block: LayoutBlock, title: str) -> float:
    """The similarity of the block's text and the title, with or without numbers, in percent."""
    if not block.lines or len(block.text) > _LONGEST or len(block.lines) > _MOST_LINES:
        return 0.0
    said, wanted = _forms(block.text), _forms(title)
    if said & wanted:
        return _EXACT
    return max(
        (
            fuzz.ratio(one, other)
            for one in said
            for other in wanted
            if min(len(one), len(other)) >= _LEAST_FUZZY
        ),
        default=0.0,
    )


@lru_cache(maxsize=4096)
def _forms(text: str) -> frozenset[str]:
    bare = without_label(text)
    forms = (text, bare, _NUMBER.sub("", bare, count=1))
    return frozenset(tight(form) for form in forms) - {""}
