"""Rules on a page, merged from their pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect, Rule

# a plot drawn point by point has more shapes than any table or frame has lines
_MOST_RULES = 4000
_THICKEST = 2.6
_SHORTEST_HORIZONTAL = 8.0
_SHORTEST_VERTICAL = 5.0
_SAME_PLACE = 2.0  # pieces of one line are at most this far apart across it
_SAME_RUN = 4.0  # and at most this far apart along it


def find_rules(
    shapes: Iterable[Rect], width: float, height: float
) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """The horizontal and the vertical rules on a page of this size, none on a dense drawing."""
    page = Rect(0, 0, width, height)
    horizontal, vertical = [], []
    for shape in shapes:
        if shape.shared_width(page) < 0 or shape.shared_height(page) < 0:
            continue
        if shape.width >= _SHORTEST_HORIZONTAL and shape.height <= _THICKEST:
            horizontal.append(Rule(shape.middle_y, shape.left, shape.right))
        elif shape.height >= _SHORTEST_VERTICAL and shape.width <= _THICKEST:
            vertical.append(Rule(shape.middle_x, shape.top, shape.bottom))
    if max(len(horizontal), len(vertical)) > _MOST_RULES:
        return (), ()
    # the second pass joins what the first has brought together
    return tuple(_merged(_merged(horizontal))), tuple(_merged(_merged(vertical)))


def _merged(rules: Sequence[Rule]) -> list[Rule]:
    merged: list[Rule] = []
    for rule in sorted(rules):
        for index in range(len(merged) - 1, -1, -1):
            other = merged[index]
            if rule.at - other.at > _SAME_PLACE:
                merged.append(rule)
                break
            if rule.start <= other.end + _SAME_RUN and rule.end >= other.start - _SAME_RUN:
                merged[index] = Rule(
                    other.at, min(other.start, rule.start), max(other.end, rule.end)
                )
                break
        else:
            merged.append(rule)
    return merged
