"""What stands beside the body: small print of a journal, or notes in the margin."""

from __future__ import annotations

from collections.abc import Sequence

from docling_core.types.doc.labels import DocItemLabel

from citeloom.infrastructure.conversion.pdf_layout.elements.fonts import weighted_median
from citeloom.infrastructure.conversion.pdf_layout.elements.page import LayoutBlock, PageLayout

_WIDEST = 0.26  # of the page's width
_WIDE = 0.4  # of the page's width: blocks of the body
_LEAST_LINES = 3
_LEAST_PAGES = 2  # besides the first, on which journals have small print
_SMALLER = 0.97  # of the body's size
_TEXT = (DocItemLabel.TEXT, DocItemLabel.LIST_ITEM, DocItemLabel.FOOTNOTE)


def mark_side_notes(pages: Sequence[PageLayout], body_size: float) -> None:
    """Label small text left of the body as furniture, or, where several pages have some that
    differs from page to page, all such text on either side as notes.
    """
    left = {page.number: _bar(_beside(page, body_size, right=False)) for page in pages}
    later = [_said(left[page.number]) for page in pages[1:] if left[page.number]]
    notes = len(set(later)) == len(later) >= _LEAST_PAGES
    for page in pages:
        if notes:
            both = (_beside(page, body_size, right=side) for side in (False, True))
            _label([block for side in both for block in side], DocItemLabel.FOOTNOTE)
        else:
            _label(left[page.number], DocItemLabel.PAGE_HEADER)


def _label(blocks: Sequence[LayoutBlock], label: DocItemLabel) -> None:
    for block in blocks:
        block.label = label


def _said(blocks: Sequence[LayoutBlock]) -> str:
    return " ".join(block.text for block in blocks)


def _bar(blocks: Sequence[LayoutBlock]) -> Sequence[LayoutBlock]:
    """The blocks if they are more than a line or two."""
    return blocks if sum(len(block.lines) for block in blocks) >= _LEAST_LINES else ()


def _beside(page: PageLayout, body_size: float, *, right: bool) -> list[LayoutBlock]:
    """Small text in a narrow column on one side of the body; none if no block is wide."""
    text = [block for block in page.blocks if block.label in _TEXT]
    wide = [block.box for block in text if block.box.width > _WIDE * page.width]
    if not wide:
        return []
    edge = weighted_median((box.right if right else box.left, round(box.height)) for box in wide)
    beside = [block for block in text if _is_outside(block, edge, right=right)]
    small = [block for block in beside if block.style.size < _SMALLER * body_size]
    return small if all(block.box.width < _WIDEST * page.width for block in small) else []


def _is_outside(block: LayoutBlock, edge: float, *, right: bool) -> bool:
    return block.box.left > edge if right else block.box.right < edge
