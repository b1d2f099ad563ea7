"""Numbers in the margin that count the lines of a text, as in manuscripts under review."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from citeloom.infrastructure.conversion.pdf_layout.elements.page import Line

_LEAST = 3
_ALIGNED = 2.0  # points between the right or the left ends of numbers that belong together
_STEADY = 0.8  # of the steps between numbers that follow are the same
_FARTHEST, _REACH = 5.0, 40.0  # of the font size, and points: how far it stands from its line
_LEAST_PROSE = 25  # characters of a line that is prose
_CROSSED = 0.1  # of the lines of prose: more of them where the numbers stand, and it is no margin
_CODE = 0.3  # of the counted lines are code: the numbers are a listing's
_WITHIN = 0.2  # of the counted lines begin within a sentence: else they are entries of a list


def without_line_numbers(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines without those that are numbers counting the others, in any margin or gutter."""
    numbers = [line for line in lines if _is_number(line)]
    if len(numbers) < _LEAST:
        return tuple(lines)
    texts = [line for line in lines if not line.rotated and not _is_number(line)]
    counting = {
        id(line)
        for group in _aligned(numbers)
        if _counts(group) and _is_margin(group, texts) and _stands_by_prose(group, texts)
        for line in group
    }
    return tuple(line for line in lines if id(line) not in counting)


def _is_number(line: Line) -> bool:
    return not line.rotated and line.text.isdecimal() and len(line.text) <= 5


def _aligned(numbers: Iterable[Line]) -> list[list[Line]]:
    """The numbers under one another, each in one group, from top to bottom."""
    ordered = sorted(numbers, key=lambda line: line.box.top)
    groups: list[list[Line]] = []
    for line in ordered:
        for group in groups:
            if _are_aligned(group[-1], line):
                group.append(line)
                break
        else:
            groups.append([line])
    return [group for group in groups if len(group) >= _LEAST]


def _are_aligned(upper: Line, lower: Line) -> bool:
    sides = (upper.box.left - lower.box.left, upper.box.right - lower.box.right)
    below = lower.box.middle_y - upper.box.middle_y > 0.5 * upper.box.height
    return below and min(map(abs, sides)) < _ALIGNED


def _counts(group: Sequence[Line]) -> bool:
    """Whether the numbers go up by mostly the same step."""
    steps = [int(lower.text) - int(upper.text) for upper, lower in pairwise(group)]
    step, times = Counter(steps).most_common(1)[0]
    return step > 0 and times >= _STEADY * len(steps)


def _is_margin(group: Sequence[Line], texts: Sequence[Line]) -> bool:
    """Whether hardly any line of prose runs through where the numbers stand."""
    left, right = min(line.box.left for line in group), max(line.box.right for line in group)
    prose = [line for line in texts if len(line.text) > _LEAST_PROSE]
    crossing = sum(line.box.left < right and line.box.right > left for line in prose)
    return crossing <= _CROSSED * len(prose)


def _stands_by_prose(group: Sequence[Line], texts: Sequence[Line]) -> bool:
    """Whether the numbers stand by lines many of which go on with a sentence."""
    rows: dict[int, list[Line]] = defaultdict(list)
    for line in texts:
        for row in range(int(line.box.top) - 1, int(line.box.bottom) + 2):
            rows[row].append(line)
    beside = [_nearest(number, rows[int(number.box.middle_y)]) for number in group]
    lines = [line for line in beside if line is not None]
    code = sum(line.style.mono > 0.5 for line in lines)
    within = sum(line.text[:1].islower() for line in lines)
    return within >= max(1.0, _WITHIN * len(group)) and code < _CODE * len(lines)


def _nearest(number: Line, row: Sequence[Line]) -> Line | None:
    """The line that a number counts: the nearest to the right of it, or else to the left."""
    reach = max(_FARTHEST * number.size, _REACH)
    to_right = [(line.box.left - number.box.right, line) for line in row]
    to_left = [(number.box.left - line.box.right, line) for line in row]
    for gaps in (to_right, to_left):
        near = [(gap, line) for gap, line in gaps if -1 < gap < reach]
        if near:
            return min(near, key=lambda found: found[0])[1]
    return None
