"""Footnotes: small text at the foot of a column, from the first mark on."""

from __future__ import annotations

from collections.abc import Sequence

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import BODY, LayoutBlock, PageLayout
from citeloom_pdf.elements.patterns import FOOTNOTE_MARK, is_prose
from citeloom_pdf.structure.reading_order import ENDED

_SMALLER = 0.93  # of the body's size
_NOTES = (*BODY, DocItemLabel.FOOTNOTE)


def mark_footnotes(pages: Sequence[PageLayout], body_size: float) -> None:
    """Label small text with the mark of a note, below which its column has none of the usual size,
    and all below it; at the foot of the next column also what goes on with a note.
    """
    goes_on = False
    for page in pages:
        for foot in _feet(page, body_size):
            marked = (i for i, block in enumerate(foot) if FOOTNOTE_MARK.match(block.text))
            head = foot[0]
            goes_on = goes_on and head.label == DocItemLabel.TEXT and is_prose(head.text)
            first = 0 if goes_on else next(marked, len(foot))
            for block in foot[first:]:
                block.label = DocItemLabel.FOOTNOTE
            goes_on = first < len(foot) and not foot[-1].text.rstrip().endswith(ENDED)


def _feet(page: PageLayout, body_size: float) -> list[list[LayoutBlock]]:
    """The small text at the foot of each column that has other text above it, from the left."""
    texts = [block for block in page.blocks if block.label in _NOTES and block.lines]
    usual = [block for block in texts if block.style.size >= _SMALLER * body_size]
    feet: list[list[LayoutBlock]] = []
    for block in sorted(texts, key=lambda block: block.box.top):
        column = [other for other in usual if other.box.shared_width(block.box) > 0]
        if block in usual or not column or max(o.box.bottom for o in column) > block.box.top + 2:
            continue
        same = (foot for foot in feet if foot[-1].box.shared_width(block.box) > 0)
        foot = next(same, None)
        if foot is None:
            feet.append([block])
        else:
            foot.append(block)
    return sorted(feet, key=lambda foot: foot[0].box.left)
