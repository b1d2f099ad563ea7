"""Reading order within a page: down each column, across where a block spans columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect
from citeloom.infrastructure.conversion.pdf_layout.elements.page import LayoutBlock

# columns stand side by side for three lines at least; an equation and its number do not
_LEAST_SIDE_BY_SIDE = 30.0
_LEAST_GUTTER = 4.0
# a block spans a gutter where this much of it lies on either side; less is an overfull line
_SPANNING_SHARE = 0.15
_SAME_ROW = 0.5  # of the lower block's height: blocks that share more stand in one row


class _Gutter(NamedTuple):
    """A candidate gap between columns; the fewer blocks span it, the better."""

    spanned: float
    narrowness: float
    at: float


def in_reading_order(blocks: Sequence[LayoutBlock]) -> list[LayoutBlock]:
    """The blocks of a page, or of part of one, in reading order."""
    gutter = _gutter(blocks) if len(blocks) > 1 else None
    if gutter is None:
        return _by_rows(blocks)
    ordered: list[LayoutBlock] = []
    waiting = [block for block in blocks if not _spans(block.box, gutter)]
    for spanning in _by_rows([block for block in blocks if _spans(block.box, gutter)]):
        above = [b for b in waiting if b.box.middle_y < spanning.box.middle_y]
        waiting = [b for b in waiting if b.box.middle_y >= spanning.box.middle_y]
        ordered += [*_column_by_column(above, gutter), spanning]
    return ordered + _column_by_column(waiting, gutter)


def _column_by_column(blocks: Sequence[LayoutBlock], gutter: float) -> list[LayoutBlock]:
    left = [block for block in blocks if block.box.middle_x < gutter]
    right = [block for block in blocks if block.box.middle_x >= gutter]
    return in_reading_order(left) + in_reading_order(right)


def _spans(box: Rect, at: float) -> bool:
    return min(at - box.left, box.right - at) > _SPANNING_SHARE * box.width


def _gutter(blocks: Sequence[LayoutBlock]) -> float | None:
    boxes = [block.box for block in blocks]
    candidates = [gutter for gutter in _gutters(boxes) if _parts_columns(boxes, gutter.at)]
    return min(candidates).at if candidates else None


def _gutters(boxes: Sequence[Rect]) -> Iterable[_Gutter]:
    """A candidate between each right edge and the next left edge."""
    lefts = sorted({box.left for box in boxes})
    for right in sorted({box.right for box in boxes}):
        left = next((edge for edge in lefts if edge >= right + _LEAST_GUTTER), None)
        if left is not None:
            at = (right + left) / 2
            spanned = sum(box.height for box in boxes if _spans(box, at))
            yield _Gutter(spanned, right - left, at)


def _parts_columns(boxes: Sequence[Rect], at: float) -> bool:
    """Whether enough text is side by side, left and right of this position."""
    aside = [box for box in boxes if not _spans(box, at)]
    left = [box for box in aside if box.middle_x < at]
    right = [box for box in aside if box.middle_x >= at]
    shared = sum(
        max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in _extents(left) for b in _extents(right)
    )
    return shared >= _LEAST_SIDE_BY_SIDE


def _extents(boxes: Iterable[Rect]) -> list[tuple[float, float]]:
    """The vertical intervals that the boxes cover together."""
    extents: list[tuple[float, float]] = []
    for box in sorted(boxes, key=lambda box: box.top):
        if extents and box.top <= extents[-1][1]:
            extents[-1] = (extents[-1][0], max(extents[-1][1], box.bottom))
        else:
            extents.append((box.top, box.bottom))
    return extents


def _by_rows(blocks: Iterable[LayoutBlock]) -> list[LayoutBlock]:
    """From top to bottom, and from left to right where blocks stand side by side."""
    rows: list[list[LayoutBlock]] = []
    for block in sorted(blocks, key=lambda block: block.box.top):
        if rows and _in_row(rows[-1][0].box, block.box):
            rows[-1].append(block)
        else:
            rows.append([block])
    return [block for row in rows for block in sorted(row, key=lambda block: block.box.left)]


def _in_row(first: Rect, second: Rect) -> bool:
    lower = min(first.height, second.height)
    beside = first.shared_width(second) <= 0
    return beside and first.shared_height(second) > _SAME_ROW * lower
