"""Justified lines that the parser split at their wide spaces, as narrow columns have them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect, enclosing
from citeloom.infrastructure.conversion.pdf_layout.elements.page import Line
from citeloom.infrastructure.conversion.pdf_layout.parsing.lines import joined_line

_WIDEST = 12.0  # of the font size
_REACH = 1.6  # of the font size: how far the next line is above or below
_INDENT = 2.5  # of the font size: how far in a line of a paragraph may begin
_FLUSH = 0.7  # of the font size: how far from the margin a justified line may end
_SAME_GAP = 0.5  # of the narrower of two gaps: a gutter is in one place in every line
_SAME_ROW = 0.55  # of the smaller height
_PASSES = 2  # a joined line may be what shows that the next one is whole


def join_stretched(lines: Sequence[Line]) -> list[Line]:
    """The lines, with parts on one baseline joined whose gap is bridged by the lines around them.

    A gutter between columns goes on above or below; a wide space does not.
    """
    joined = list(lines)
    for _ in range(_PASSES):
        count = len(joined)
        joined = _joined_once(joined)
        if len(joined) == count:
            break
    return joined


def _joined_once(lines: Sequence[Line]) -> list[Line]:
    page = _Page([line for line in lines if not line.rotated])
    joined: list[Line] = [line for line in lines if line.rotated]
    for row in page.rows():
        parts = [row[0]]
        for line in row[1:]:
            if page.is_bridged(parts[-1], line):
                parts.append(line)
            else:
                joined += _whole(parts, page)
                parts = [line]
        joined += _whole(parts, page)
    return joined


def _whole(parts: Sequence[Line], page: _Page) -> Sequence[Line]:
    return [joined_line(parts)] if len(parts) > 1 and page.fills_column(parts) else parts


class _Page:
    """The upright lines of a page, and which of them are next to a place."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = sorted(lines, key=lambda line: line.box.middle_y)
        self._middles = [line.box.middle_y for line in self._lines]

    def rows(self) -> Iterator[list[Line]]:
        """Lines on one baseline, from left to right, each with its nearest to the right."""
        following: dict[int, Line] = {}
        preceded: set[int] = set()
        for line in sorted(self._lines, key=lambda line: line.box.left):
            behind = self._next_in_row(line)
            if behind is not None and id(behind) not in preceded:
                following[id(line)] = behind
                preceded.add(id(behind))
        for line in self._lines:
            if id(line) not in preceded:
                row = [line]
                while id(row[-1]) in following:
                    row.append(following[id(row[-1])])
                yield row

    def is_bridged(self, left: Line, right: Line) -> bool:
        """Whether a line above or below runs over the gap, and on no side a gutter goes on."""
        gap = Rect(left.box.right, left.box.top, right.box.left, left.box.bottom)
        both = enclosing((left.box, right.box))
        sides = [[line.box for line in self._beside(both, left.size, sign)] for sign in (-1, 1)]
        over = [any(_runs_over(box, gap) for box in side) for side in sides]
        return any(over) and all(
            found or _ends_before(side, gap, both.left) or _surrounds(side, gap)
            for found, side in zip(over, sides)
        )

    def fills_column(self, parts: Sequence[Line]) -> bool:
        """Whether the parts together begin and end where the lines around them do."""
        box, size = enclosing(part.box for part in parts), parts[0].size
        gaps = [Rect(a.box.right, box.top, b.box.left, box.bottom) for a, b in pairwise(parts)]
        return any(
            any(_runs_over(line.box, gap) for gap in gaps)
            and -_FLUSH * size <= box.left - line.box.left <= _INDENT * size
            and abs(box.right - line.box.right) <= _FLUSH * size
            for sign in (-1, 1)
            for line in self._beside(box, size, sign)
        )

    def _next_in_row(self, line: Line) -> Line | None:
        reach = line.box.height
        best: Line | None = None
        for other in self._between(line.box.middle_y - reach, line.box.middle_y + reach):
            gap = other.box.left - line.box.right
            if other is line or not 0 <= gap <= _WIDEST * line.size or not _is_level(line, other):
                continue
            if best is None or other.box.left < best.box.left:
                best = other
        return best

    def _beside(self, box: Rect, size: float, sign: int) -> list[Line]:
        """The lines just above (-1) or below (1) that share some of the box's width."""
        middle = box.middle_y
        ends = sorted((middle + sign * 0.6 * size, middle + sign * _REACH * size))
        return [line for line in self._between(*ends) if line.box.shared_width(box) > 0]

    def _between(self, top: float, bottom: float) -> Sequence[Line]:
        first = bisect_left(self._middles, top)
        return self._lines[first : bisect_left(self._middles, bottom)]


def _is_level(line: Line, other: Line) -> bool:
    lower = min(line.box.height, other.box.height)
    alike = abs(line.size - other.size) <= 0.1 * line.size
    return alike and line.box.shared_height(other.box) > _SAME_ROW * lower


def _runs_over(box: Rect, gap: Rect) -> bool:
    return box.left < gap.left - 1 and box.right > gap.right + 1


def _ends_before(boxes: Sequence[Rect], gap: Rect, left: float) -> bool:
    """Whether nothing is behind the gap, as where a paragraph's last line or a heading is short."""
    return all(box.right <= gap.left and box.left <= left + 1 for box in boxes)


def _surrounds(boxes: Sequence[Rect], gap: Rect) -> bool:
    """Whether the boxes show that no gutter is where the gap is: one reaches into it, or they
    stand on both sides of it with no gap of theirs at its place.
    """
    if any(_shared(box.left, box.right, gap) > _SAME_GAP * gap.width for box in boxes):
        return True
    ordered = sorted(boxes)
    if ordered[0].left > gap.left or max(box.right for box in boxes) < gap.right:
        return False
    between = [(a.right, b.left) for a, b in pairwise(ordered) if b.left > a.right]
    return not any(
        _shared(start, end, gap) > _SAME_GAP * min(end - start, gap.width) for start, end in between
    )


def _shared(start: float, end: float, gap: Rect) -> float:
    return min(end, gap.right) - max(start, gap.left)
