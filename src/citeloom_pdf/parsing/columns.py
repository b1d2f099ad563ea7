"""Columns of prose, told by the places where many long lines end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import Line

_PROSE_LENGTH = 25  # characters: shorter lines do not tell where a column ends
_COLUMN_LINES = 3  # lines that end at one place end a column
_REACH = 3.2  # of a line's height: so far above and below it a column of prose counts


def column_ends(lines: Iterable[Line]) -> list[Rule]:
    """Where columns of prose end on their right, and from where to where they reach down."""
    ends: dict[int, list[Rect]] = defaultdict(list)
    for line in lines:
        if len(line.text) > _PROSE_LENGTH:
            ends[round(line.box.right)].append(line.box)
    return [
        Rule(float(end), min(box.top for box in boxes), max(box.bottom for box in boxes))
        for end, boxes in ends.items()
        if len(boxes) >= _COLUMN_LINES
    ]


def are_in_columns(left: Rect, right: Rect, ends: Iterable[Rule]) -> bool:
    """Whether a column of prose ends between two parts of a row, above or below them."""
    top, bottom = left.top - _REACH * left.height, left.bottom + _REACH * left.height
    return any(
        left.right - 1 <= end.at <= right.left and end.shared(top, bottom) > 0 for end in ends
    )
