"""Text lines from parsed cells, with split lines rejoined."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple, TypeVar

from citeloom.infrastructure.conversion.pdf_layout.elements.fonts import (
    SizeOf,
    fixed_pitch_fonts,
    font_kind,
    mixed_style,
    style_of_words,
)
from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect, enclosing
from citeloom.infrastructure.conversion.pdf_layout.elements.page import Line, Style, Word

_THINNEST = 1.0  # points: what is thinner is a stroke of another line's character
_FRAME_CORNERS = ("☎", "✆", "✝", "✞")  # what LaTeX's circle font, used for frames, decodes to
_SQUARE = 8.0  # points
_SLACK = 1.5  # words may reach this far out of their cell
_WORD_GAP = 0.12  # of the font size: parts closer than this belong to one word
_CODE_GAP = 0.45  # the same in a typewriter font, whose letters stand apart
_MONO = 0.7  # of a part's characters make it code
_NARROW_GAP = 0.75  # of the font size: parts closer than this belong to one line
_MARK_GAP = 3.6  # of the font size: how far a number or bullet stands before its text
_NARROW_MARK_GAP = 1.6
_MARK = re.compile(r"\(?\d{1,2}(\.\d{1,2})*\.?\)?|[IVX]+\.|[A-Z]\.|[•·●○▪■◦‣∙–\-*\uf0b7]")  # noqa: RUF001
# Word by word and line by line a page is searched in order; neighbours are never farther apart
_REACH_BACK, _REACH_ON = 40, 60


class Cell(NamedTuple):
    """A run of text as the parser found it."""

    box: Rect
    text: str
    font: str
    angle: float


_Piece = TypeVar("_Piece", Cell, Word)


def lines_of_cells(cells: Sequence[Cell], words: Sequence[Word], size_of: SizeOf) -> list[Line]:
    """Each cell as a line with its words and style."""
    fixed = fixed_pitch_fonts(words)
    placed = _PlacedWords(_raised(word, fixed) for word in words)
    lines = []
    for cell in (_raised(cell, fixed) for cell in cells):
        if cell.box.width <= 0 or cell.box.height < _THINNEST or cell.text in _FRAME_CORNERS:
            continue
        rotated = _is_rotated(cell)
        inside = placed.inside(cell.box)
        kind = font_kind(cell.font)
        fallback = Style(cell.box.height, cell.font, *(float(flag) for flag in kind))
        style = style_of_words(inside, fallback, size_of, fixed)
        angle = round(cell.angle) % 360 if rotated else 0
        lines.append(Line(cell.box, cell.text, style, tuple(inside), rotated, angle))
    return lines


def _raised(piece: _Piece, fixed: Set[str]) -> _Piece:
    """An underscore in a listing with the height of a letter."""
    if piece.text != "_" or piece.font not in fixed:
        return piece
    box = piece.box
    return piece._replace(box=Rect(box.left, box.bottom - box.width, box.right, box.bottom))


def _is_rotated(cell: Cell) -> bool:
    upright = cell.angle % 180 <= 20 or cell.angle % 180 >= 160
    tall = cell.box.height > 3 * cell.box.width and len(cell.text) > 3
    return not upright or tall


class _PlacedWords:
    """Words by their top left corner, in squares of the page, so that those in a box are found
    without a look at all others.
    """

    def __init__(self, words: Iterable[Word]) -> None:
        self._squares: dict[tuple[int, int], list[Word]] = defaultdict(list)
        for word in words:
            square = (int(word.box.left // _SQUARE), int(word.box.top // _SQUARE))
            self._squares[square].append(word)

    def inside(self, box: Rect) -> Sequence[Word]:
        """The words in the box, from left to right."""
        area = box.grown(_SLACK, _SLACK)
        across = range(int(area.left // _SQUARE), int(area.right // _SQUARE) + 1)
        down = range(int(area.top // _SQUARE), int(area.bottom // _SQUARE) + 1)
        near = (word for x in across for y in down for word in self._squares.get((x, y), ()))
        return sorted(
            (word for word in near if _holds(area, word.box)),
            key=lambda word: (word.box.left, word.box.top),
        )


def _holds(area: Rect, box: Rect) -> bool:
    return (
        box.left >= area.left
        and box.right <= area.right
        and box.top >= area.top
        and box.bottom <= area.bottom
        and box.top <= area.bottom - _SLACK
    )


def join_parts(lines: Sequence[Line]) -> list[Line]:
    """The lines, with parts on one baseline joined where only inline mathematics, a heading's
    number or a bullet split them.
    """
    ordered = sorted(lines, key=lambda line: (line.box.middle_y, line.box.left))
    used: set[int] = set()
    joined = []
    for index, line in enumerate(ordered):
        if index in used:
            continue
        row = [index] if line.rotated else _row(ordered, index, used)
        parts = _connected(ordered, row, index)
        used.update(parts)
        joined.append(joined_line([ordered[part] for part in parts]))
    return joined


def _row(lines: Sequence[Line], index: int, used: set[int]) -> list[int]:
    here = lines[index]
    near = range(max(0, index - _REACH_BACK), min(len(lines), index + _REACH_ON))
    row = [index]
    for other in near:
        line = lines[other]
        if other == index or other in used or line.rotated:
            continue
        lower = min(here.box.height, line.box.height)
        if here.box.shared_height(line.box) > 0.55 * lower:
            row.append(other)
    return sorted(row, key=lambda number: lines[number].box.left)


def _connected(lines: Sequence[Line], row: Sequence[int], index: int) -> Sequence[int]:
    first = last = row.index(index)
    while last + 1 < len(row) and _continues(lines[row[last]], lines[row[last + 1]]):
        last += 1
    while first > 0 and _continues(lines[row[first - 1]], lines[row[first]]):
        first -= 1
    return row[first : last + 1]


def _continues(left: Line, right: Line) -> bool:
    gap = right.box.left - left.box.right
    size = min(left.size, right.size)
    if gap < -0.5 * size:
        return False
    if gap <= _NARROW_GAP * size:
        return True
    # a number in parentheses at the end of a column is an equation's, not that of the next column
    reach = _NARROW_MARK_GAP if left.text.startswith("(") else _MARK_GAP
    return gap <= reach * size and _MARK.fullmatch(left.text) is not None


def joined_line(parts: Sequence[Line]) -> Line:
    """The parts of a line, from left to right, as one."""
    if len(parts) == 1:
        return parts[0]
    longest = max(parts, key=lambda part: len(part.text))
    mixed = mixed_style([(part.style, max(1, len(part.text))) for part in parts])
    return Line(
        box=enclosing(part.box for part in parts),
        text=_spaced(parts),
        style=Style(
            longest.size,
            longest.style.font,
            mixed.bold,
            mixed.italic,
            mixed.mono,
            mixed.math,
        ),
        words=tuple(word for part in parts for word in part.words),
    )


def _spaced(parts: Sequence[Line]) -> str:
    text = parts[0].text
    for left, right in zip(parts, parts[1:]):
        gap = right.box.left - left.box.right
        code = min(left.style.mono, right.style.mono) > _MONO
        least = _CODE_GAP if code else _WORD_GAP
        text += (" " if gap > least * min(left.size, right.size) else "") + right.text
    return text
