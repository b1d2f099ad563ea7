"""Footnotes: small text at the foot of a column, from the first mark on, or text of any size with a
number that is raised above it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import BODY, LayoutBlock, PageLayout
from citeloom_pdf.elements.patterns import FOOTNOTE_MARK, is_prose
from citeloom_pdf.elements.scripts import script_text
from citeloom_pdf.structure.reading_order import ENDED

_SMALLER = 0.93  # of the body's size
_NOTES = (*BODY, DocItemLabel.FOOTNOTE)
_FIGURES = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
# the number that a note begins with, right before a letter, and that behind a word or stop
_NUMBER = re.compile(rf"(\d{{1,3}})(?=[^\W\d_])|([{_FIGURES}]{{1,3}})")
_RAISED = re.compile(rf"(?:[^\W\d_]{{3}}|[.,;:!?)\]\u00bb\u201d\u060c\u061f])([{_FIGURES}]{{1,3}})")


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
    raised = {number for block in texts for number in _RAISED.findall(block.text)}
    usual = [
        block
        for block in texts
        if block.style.size >= _SMALLER * body_size and not _has_number(block, raised)
    ]
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


def _has_number(block: LayoutBlock, raised: Set[str]) -> bool:
    """Whether a text begins with the number of a note that is raised in another one."""
    number = _NUMBER.match(block.text)
    return number is not None and (number[2] or script_text(number[1], raised=True)) in raised
