"""Lines that go down the page, as Chinese, Japanese and Korean may be set: the parser has each
letter as a part of its own, or parts them at signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from citeloom_pdf.elements.geometry import enclosing
from citeloom_pdf.elements.page import DOWNWARDS
from citeloom_pdf.parsing.lines import SET_DOWNWARDS, Cell

_SYLLABLE = re.compile("[\uac00-\ud7a3A-Za-z0-9]")  # words of these are parted by spaces
_SHORT = 2  # letters of a part that may be one of many in a line
_TALL = 3.0  # times as high as wide: a line of several letters
_SAME_COLUMN = 0.4  # of the width: how far the middles of its parts are from each other
_GAP, _OVERLAP = 1.2, 0.4  # of the width, between the parts of a line
_SPACE = 0.2  # of the width, between two words
_LEAST = 5  # letters of a line
_MOST = 0.5  # of the letters of a page whose lines go down
_SOLID = 1.15  # times the width of the widest letter, between the middles of two
_READING = 0.7  # of the usual width of lines: those of readings are narrower


def with_lines_downwards(cells: Sequence[Cell]) -> Sequence[Cell]:
    """The parts of lines; on a page most of whose letters stand closer to those below them than to
    those beside them, each line that goes down as one part.
    """
    count = sum(len(SET_DOWNWARDS.findall(cell.text)) for cell in cells)
    if count < _LEAST:
        return cells
    lines = [line for line in _stacks(cells) if _is_line(line)]
    letters = sum(len(SET_DOWNWARDS.findall(cell.text)) for line in lines for cell in line)
    if letters <= _MOST * count:  # of a page that is read across, what is set solid
        lines = [line for line in lines if _is_solid(line)]
    if not _are_closer_down(lines):
        return cells
    joined = {id(cell) for line in lines for cell in line}
    return [*(cell for cell in cells if id(cell) not in joined), *map(_as_one, lines)]


def _stacks(cells: Iterable[Cell]) -> Iterator[list[Cell]]:
    """The parts that stand under each other, from top to bottom."""
    columns: list[list[Cell]] = []
    widest = 0.0
    for cell in sorted(filter(_may_be_part, cells), key=lambda cell: cell.box.middle_x):
        near = columns[-1][-1].box.middle_x if columns else float("-inf")
        if cell.box.middle_x - near > _SAME_COLUMN * widest:
            columns.append([])
            widest = 0.0
        columns[-1].append(cell)
        widest = max(widest, cell.box.width)
    for column in columns:
        column.sort(key=lambda cell: cell.box.top)
        stack: list[Cell] = []
        for cell in column:
            width = max(part.box.width for part in (*stack, cell))
            gap = cell.box.top - stack[-1].box.bottom if stack else 0.0
            if not -_OVERLAP * width <= gap <= _GAP * width:
                yield stack
                stack = []
            stack.append(cell)
        yield stack


def _may_be_part(cell: Cell) -> bool:
    if round(cell.angle) % 360 == DOWNWARDS:
        return True
    is_tall = cell.box.height > _TALL * cell.box.width
    return not cell.angle and cell.box.width > 0 and (is_tall or len(cell.text.strip()) <= _SHORT)


def _is_line(stack: Sequence[Cell]) -> bool:
    text = "".join(cell.text for cell in stack)
    box = enclosing(cell.box for cell in stack)
    return (
        len(text) >= _LEAST and bool(SET_DOWNWARDS.search(text)) and box.height > _TALL * box.width
    )


def _is_solid(line: Sequence[Cell]) -> bool:
    """Whether the letters of a line follow each other one by one without leading, unlike the rows
    of a table, or readings above the letters of lines that go across.
    """
    if any(len(cell.text.strip()) > 1 for cell in line):
        return False
    pitches = [b.box.middle_y - a.box.middle_y for a, b in pairwise(line)]
    return median(pitches) <= _SOLID * max(cell.box.width for cell in line)


def _are_closer_down(lines: Sequence[Sequence[Cell]]) -> bool:
    """Whether lines are farther apart than the letters of each, but for those with the readings of
    these; one line alone says nothing.
    """
    boxes = [enclosing(cell.box for cell in line) for line in lines]
    usual = median([box.width for box, line in zip(boxes, lines) for _ in line] or [0.0])
    wide = sorted(box for box in boxes if box.width > _READING * usual)
    across = [b.left - a.right for a, b in pairwise(wide) if a.shared_width(b) <= 0]
    down = [b.box.top - a.box.bottom for line in lines for a, b in pairwise(line)]
    return bool(across) and median(down or [0.0]) < median(across)


def _as_one(line: Sequence[Cell]) -> Cell:
    text = line[0].text.strip()
    for before, cell in pairwise(line):
        gap = cell.box.top - before.box.bottom
        parts = gap > _SPACE * max(cell.box.width, before.box.width)
        spaced = _SYLLABLE.search(before.text + cell.text[:1])
        text += (" " if parts and spaced else "") + cell.text.strip()
    longest = max(line, key=lambda cell: len(SET_DOWNWARDS.findall(cell.text)))
    return longest._replace(box=enclosing(cell.box for cell in line), text=text, angle=DOWNWARDS)
