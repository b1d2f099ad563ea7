"""Text set on its side, such as a wide table on a tall page, or in lines that go down the page, as
Chinese, Japanese and Korean may be: turned upright, to be laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from citeloom_pdf.blocks.tables import find_tables
from citeloom_pdf.elements.block import LayoutBlock
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import DOWNWARDS, UPWARDS, Line, PageContent
from citeloom_pdf.elements.patterns import is_prose

_LEAST_LINES = 3  # so many lines on their side are a table or prose
_DISTINCT = 0.7  # of the lines: plots repeat the labels of their axes


_QUARTERS = {UPWARDS: 3, DOWNWARDS: 1}  # counter-clockwise, that set lines upright


@dataclass(frozen=True, slots=True)
class TurnedPart:
    """The lines of a page that are set on their side, and a page with these alone, upright."""

    lines: tuple[Line, ...]
    content: PageContent
    _direction: int

    def placed(self, block: LayoutBlock) -> LayoutBlock:
        """A block of the upright page where it stands on the page itself."""
        width, height = self.content.width, self.content.height
        box = block.box.turned(width, height, -_QUARTERS[self._direction])
        return replace(block, box=box, from_right=self._direction == DOWNWARDS)


def turned_parts(page: PageContent) -> Iterator[TurnedPart]:
    """What is set on its side, if it is a table or prose: labels of a plot are not."""
    for direction in (UPWARDS, DOWNWARDS):
        lines = tuple(line for line in page.lines if line.rotated and line.angle == direction)
        if len(lines) >= _LEAST_LINES:
            content = _content(page, lines, _QUARTERS[direction])
            if _is_read(content):
                yield TurnedPart(lines, content, direction)


def _is_read(content: PageContent) -> bool:
    distinct = {line.text for line in content.lines}
    if len(distinct) < _DISTINCT * len(content.lines):
        return False
    prose = sum(is_prose(line.text) for line in content.lines)
    return prose >= _LEAST_LINES or bool(find_tables(content))


def _content(page: PageContent, lines: Sequence[Line], quarters: int) -> PageContent:
    def upright(box: Rect) -> Rect:
        return box.turned(page.width, page.height, quarters)

    across = (upright(Rect(rule.at, rule.start, rule.at, rule.end)) for rule in page.vertical)
    down = (upright(Rect(rule.start, rule.at, rule.end, rule.at)) for rule in page.horizontal)
    return PageContent(
        number=page.number,
        width=page.height,
        height=page.width,
        lines=tuple(_upright(line, upright) for line in lines),
        horizontal=tuple(sorted(Rule(box.top, box.left, box.right) for box in across)),
        vertical=tuple(sorted(Rule(box.left, box.top, box.bottom) for box in down)),
        bitmaps=tuple(map(upright, page.bitmaps)),
        drawings=tuple(map(upright, page.drawings)),
    )


def _upright(line: Line, upright: Callable[[Rect], Rect]) -> Line:
    words = [word._replace(box=upright(word.box)) for word in line.words]
    ordered = tuple(sorted(words, key=lambda word: word.box.left))
    return replace(line, box=upright(line.box), words=ordered, rotated=False, angle=0)
