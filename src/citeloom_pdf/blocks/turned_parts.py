"""Text set on its side, such as a wide table on a tall page, or in lines that go down the page, as
Chinese, Japanese and Korean may be: turned upright, to be laid out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citeloom_pdf.blocks.tables import find_tables
from citeloom_pdf.elements.block import LayoutBlock
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import DOWNWARDS, UPWARDS, Line, PageContent
from citeloom_pdf.elements.patterns import is_prose

_LEAST_LINES = 3  # so many lines on their side are a table or prose
_DISTINCT = 0.7  # of the lines: plots repeat the labels of their axes


@dataclass(frozen=True, slots=True)
class _Quarter:
    """A turn by a quarter that sets lines of a direction upright, on a page of this size."""

    direction: int
    width: float
    height: float

    def upright(self, box: Rect) -> Rect:
        """A box of the page where it stands once the page is turned."""
        left, top, right, bottom = box
        if self.direction == UPWARDS:
            return Rect(self.height - bottom, left, self.height - top, right)
        return Rect(top, self.width - right, bottom, self.width - left)

    def back(self, box: Rect) -> Rect:
        """A box of the turned page where it stands on the page itself."""
        left, top, right, bottom = box
        if self.direction == UPWARDS:
            return Rect(top, self.height - right, bottom, self.height - left)
        return Rect(self.width - bottom, left, self.width - top, right)


@dataclass(frozen=True, slots=True)
class TurnedPart:
    """The lines of a page that are set on their side, and a page with these alone, upright."""

    lines: tuple[Line, ...]
    content: PageContent
    _quarter: _Quarter

    def placed(self, block: LayoutBlock) -> LayoutBlock:
        """A block of the upright page where it stands on the page itself."""
        from_right = self._quarter.direction == DOWNWARDS
        return replace(block, box=self._quarter.back(block.box), from_right=from_right)


def turned_parts(page: PageContent) -> Iterator[TurnedPart]:
    """What is set on its side, if it is a table or prose: labels of a plot are not."""
    for direction in (UPWARDS, DOWNWARDS):
        lines = tuple(line for line in page.lines if line.rotated and line.angle == direction)
        if len(lines) >= _LEAST_LINES:
            quarter = _Quarter(direction, page.width, page.height)
            content = _content(page, lines, quarter)
            if _is_read(content):
                yield TurnedPart(lines, content, quarter)


def _is_read(content: PageContent) -> bool:
    distinct = {line.text for line in content.lines}
    if len(distinct) < _DISTINCT * len(content.lines):
        return False
    prose = sum(is_prose(line.text) for line in content.lines)
    return prose >= _LEAST_LINES or bool(find_tables(content))


def _content(page: PageContent, lines: Sequence[Line], quarter: _Quarter) -> PageContent:
    across = (
        quarter.upright(Rect(rule.at, rule.start, rule.at, rule.end)) for rule in page.vertical
    )
    down = (
        quarter.upright(Rect(rule.start, rule.at, rule.end, rule.at)) for rule in page.horizontal
    )
    return PageContent(
        number=page.number,
        width=page.height,
        height=page.width,
        lines=tuple(_upright(line, quarter) for line in lines),
        horizontal=tuple(sorted(Rule(box.top, box.left, box.right) for box in across)),
        vertical=tuple(sorted(Rule(box.left, box.top, box.bottom) for box in down)),
        bitmaps=tuple(map(quarter.upright, page.bitmaps)),
        drawings=tuple(map(quarter.upright, page.drawings)),
    )


def _upright(line: Line, quarter: _Quarter) -> Line:
    words = [word._replace(box=quarter.upright(word.box)) for word in line.words]
    ordered = tuple(sorted(words, key=lambda word: word.box.left))
    return replace(line, box=quarter.upright(line.box), words=ordered, rotated=False, angle=0)
