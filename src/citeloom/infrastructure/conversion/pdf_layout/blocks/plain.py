"""The layout of a page by its text alone, in time proportional to its length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docling_core.types.doc.labels import DocItemLabel

from citeloom.infrastructure.conversion.pdf_layout.elements.fonts import mixed_style
from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import enclosing
from citeloom.infrastructure.conversion.pdf_layout.elements.page import (
    LayoutBlock,
    Line,
    PageContent,
    PageLayout,
)
from citeloom.infrastructure.conversion.pdf_layout.elements.patterns import is_prose

# a page with more has a drawing's labels among them
_MOST_LINES, _MOST_CHARACTERS = 300, 15_000
_LONGEST = 60  # lines of a paragraph
_PITCH = 1.8  # of the font size: a line that starts farther below begins a paragraph
_SAME_SIZE = 0.6  # points


def lay_out_plainly(page: PageContent) -> PageLayout:
    """The page's paragraphs in the order of its lines, without tables, figures and labels."""
    lines = [line for line in page.lines if not line.rotated]
    if len(lines) > _MOST_LINES or sum(len(line.text) for line in lines) > _MOST_CHARACTERS:
        lines = [line for line in lines if is_prose(line.text)]
    blocks = tuple(_block(paragraph) for paragraph in _paragraphs(lines))
    return PageLayout(page.number, page.width, page.height, blocks)


def _paragraphs(lines: Iterable[Line]) -> list[list[Line]]:
    paragraphs: list[list[Line]] = []
    for line in lines:
        if paragraphs and _goes_on(paragraphs[-1], line):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs


def _goes_on(paragraph: Sequence[Line], line: Line) -> bool:
    before = paragraph[-1]
    return (
        len(paragraph) < _LONGEST
        and 0 < line.box.bottom - before.box.bottom <= _PITCH * before.size
        and line.box.shared_width(before.box) > 0
        and abs(line.size - before.size) <= _SAME_SIZE
    )


def _block(lines: Sequence[Line]) -> LayoutBlock:
    return LayoutBlock(
        DocItemLabel.TEXT,
        enclosing(line.box for line in lines),
        mixed_style([(line.style, len(line.text)) for line in lines]),
        tuple(line.text for line in lines),
    )
