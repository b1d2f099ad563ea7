"""Lines of prose that a formula within them tears.

A parser begins a new line where the limits of a sum or the parts of a fraction stand above one
another: `which a + 1` and `w until the` are one line, with the fraction of `a + 1` and `w`. It
keeps the order in which the page was set, and the words on both sides stand in one row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from citeloom_pdf.elements.direction import weight
from citeloom_pdf.elements.fonts import font_kind, mixed_style
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.elements.patterns import WITH_LIMITS
from citeloom_pdf.parsing.accents import HasText, Piece

_SMALL = 0.86  # of the size of the line: so is what is set smaller
_MONO = 0.5  # of a line in a typewriter font: its letters are code
_SAME_ROW = 0.08  # of the font size: words whose edges differ less are in one row
_ABOVE = 0.3  # of the font size: the parts of a formula are hardly farther above one another
_LIMIT = 0.6  # of the font size: nor the limits of a sum farther from it
_BESIDE = 0.75  # of the font size: nor farther beside one another
_FARTHEST = 1.6  # of the font size: what begins farther from the row is another line's
_OFF_ROW = 0.5  # of the font size: the same for what stands behind the line and tears nothing
_BACK = 0.1  # of the font size: a part that begins so far before the end of another tears the line
_WORD_GAP = 0.12  # of the font size: parts closer than this belong to one word
_LEAST_WORDS = 3  # in the row of a line of prose
_TALLEST = 3.5  # of the font size: a taller formula is a line of its own
_NAME = re.compile(r"[^\W\d_]{2,}")


ROOT = "\u221a"
_NEXT = 1.0  # points between a root and what is under it


def with_roots_in_row(pieces: Sequence[Piece], *, joined: bool) -> list[Piece]:
    """The words or the parts of lines, each root in the row of what it stands before, or `joined`
    with it: its sign hangs below its baseline, and has its box above that row.
    """
    placed: list[Piece] = []
    root: Piece | None = None
    for piece in pieces:
        box = piece.box
        if root is not None and _is_next(root, piece):
            box = Rect(root.box.left, box.top, root.box.right, box.bottom)
            if joined:
                whole = ROOT + piece.text
                placed.append(piece._replace(box=box.union(piece.box), text=whole))
                root = None
                continue
            root = root._replace(box=box)
        if root is not None:
            placed.append(root)
        root = piece if piece.text == ROOT else None
        if root is None:
            placed.append(piece)
    return placed if root is None else [*placed, root]


def _is_next(root: HasText, piece: HasText) -> bool:
    off = abs(piece.box.top - root.box.bottom)
    return abs(piece.box.left - root.box.right) <= _NEXT and off <= _LIMIT * piece.box.height


class _Part(NamedTuple):
    """A part of a line, or several; `row` are the words set upright in the font of the text."""

    lines: tuple[Line, ...]
    box: Rect
    size: float
    words: tuple[Word, ...]
    row: tuple[Word, ...]

    @property
    def is_loose(self) -> bool:
        """Whether it is a formula's, without words that show its row."""
        return not any(_NAME.search(word.text) for word in self.row)

    @property
    def is_formula(self) -> bool:
        """Whether it is one throughout, set as mathematics."""
        return self.is_loose and any(line.style.math for line in self.lines)

    @property
    def is_prose(self) -> bool:
        return sum(len(_NAME.findall(word.text)) for word in self.row) >= _LEAST_WORDS


def with_torn_joined(lines: Sequence[Line]) -> list[Line]:
    """The lines in the parser's order, the parts of a line that a formula tears as one."""
    if not any(line.style.math for line in lines):
        return list(lines)
    joined: list[Line] = []
    current: _Part | None = None
    owned: set[Word] = set()
    for line in lines:
        words = tuple(word for word in line.words if word not in owned)
        owned.update(words)
        part = _part((line,), line.box, line.size, words) if _may_be_torn(line) else None
        if current is not None and part is not None and _goes_on(current, part):
            size = max(current, part, key=lambda each: len(each.row)).size
            box, words = current.box.union(part.box), (*current.words, *part.words)
            current = _part((*current.lines, line), box, size, words)
            continue
        joined += _lines_of(current)
        current = part
        joined += () if part else (line,)
    return [*joined, *_lines_of(current)]


_LETTERS = 3  # of what stands in a gap of a line, at most
_MOST_PIECES = 200  # so short on a page: with more, it is set letter by letter
_SAME_SIZE = 0.1  # of the size of the line


def with_gaps_filled(lines: Sequence[Line]) -> list[Line]:
    """The lines, with letters that were set apart, as those of another code are, in the gap of the
    line that was left for them.
    """
    pieces = [line for line in lines if len(line.text) <= _LETTERS and not line.rotated]
    filled = list(lines)
    for piece in pieces if len(pieces) <= _MOST_PIECES else ():
        for at, line in enumerate(filled):
            if line is not piece and (whole := _filled(line, piece)):
                filled[at] = whole
                filled = [other for other in filled if other is not piece]
                break
    return filled


def _filled(line: Line, piece: Line) -> Line | None:
    """A line with letters between its words, if they fill the room there."""
    box, size = piece.box, line.size
    if (
        not (line.box.left < box.left and box.right < line.box.right)
        or abs(piece.size - size) > _SAME_SIZE * size
        or not line.box.is_level(box)
        or line.style.math
        or line.rotated
    ):
        return None
    words = [word for word in line.words if not word.box.lies_in(box)]
    before = [word for word in words if word.box.right <= box.left + _BACK * size]
    behind = [word for word in words if word.box.left >= box.right - _BACK * size]
    letters = sum(len("".join(word.text.split())) for word in before)
    places = [at for at, letter in enumerate(line.text, 1) if not letter.isspace()]
    if not (before and behind) or len(before) + len(behind) < len(words) or letters > len(places):
        return None
    rooms = (box.left - before[-1].box.right, behind[0].box.left - box.right)
    if max(rooms) > _BESIDE * size:
        return None
    spaces = (" " if room > _WORD_GAP * size else "" for room in rooms)
    at = places[letters - 1]
    text = piece.text.join(spaces)
    whole = (*before, *(piece.words or (Word(box, piece.text, piece.style.font),)), *behind)
    return replace(line, text=line.text[:at] + text + line.text[at:].lstrip(), words=whole)


def row_edges(line: Line) -> tuple[float, float]:
    """The upper and lower edge of a line without what a formula in it reaches above and below."""
    if not line.style.math or line.rotated:
        return line.box.top, line.box.bottom
    part = _part((line,), line.box, line.size, line.words)
    box = line.box if part.is_loose else part.row[0].box
    return box.top, box.bottom


def _may_be_torn(line: Line) -> bool:
    return not line.rotated and line.style.mono <= _MONO and weight(line.text) <= 0


def _part(lines: tuple[Line, ...], box: Rect, size: float, words: tuple[Word, ...]) -> _Part:
    upright = [word for word in words if not font_kind(word.font).math]
    edges = Counter[tuple[float, float]]()
    named = [word for word in upright if _NAME.search(word.text)]
    for word in named or upright:
        edges[word.box.top, word.box.bottom] += len(word.text)
    if not edges:
        return _Part(lines, box, size, words, ())
    (top, bottom), _ = edges.most_common(1)[0]
    row = tuple(word for word in upright if _is_level(word, top, bottom, size))
    return _Part(lines, box, size, words, row)


def _is_level(word: Word, top: float, bottom: float, size: float) -> bool:
    slack = _SAME_ROW * size
    return abs(word.box.top - top) <= slack and abs(word.box.bottom - bottom) <= slack


def _goes_on(part: _Part, following: _Part) -> bool:
    """Whether the following part belongs to the same line, in the parser's order."""
    size = max(part.size, following.size)
    begins = following.box.left
    small = following.size <= _SMALL * part.size
    above = _ABOVE if WITH_LIMITS.isdisjoint(part.lines[-1].text) else _LIMIT
    reach = (0, above * size) if small else (_BESIDE * size, 0)  # limits are small
    near = part.box.touches(following.box) or part.box.grown(*reach).touches(following.box)
    if not near or begins < _floor(part, size):
        return False
    torn = begins < part.box.right - _BACK * size
    if following.is_loose or small:
        if part.is_loose:
            return part.box.union(following.box).height <= _TALLEST * size
        return _reaches_row(part, following, _FARTHEST if torn else _OFF_ROW)
    if part.is_loose or part.size <= _SMALL * following.size:
        return begins < part.box.right and _is_beside_row(following, part, size)
    first, last = following.row[0], part.row[-1]
    level = _is_level(first, last.box.top, last.box.bottom, size)
    torn = torn or len(part.lines) > 1
    return torn and level and last.box.right <= first.box.left


def _floor(part: _Part, size: float) -> float:
    """Where what goes on in a line begins at the earliest: behind the word before its formula."""
    before = [word for word in part.row if word.box.right < part.box.right - _BACK * size]
    return before[-1].box.right - _BACK * size if before else part.box.left - size


def _is_beside_row(line: _Part, part: _Part, size: float) -> bool:
    return part.box.shared_height(line.row[0].box) > _BACK * size


def _reaches_row(line: _Part, part: _Part, farthest: float) -> bool:
    """Whether a part begins no farther from the row of a line."""
    _, top, _, bottom = line.row[0].box
    middle = (part.words[0] if part.words else part).box.middle_y
    return top - farthest * line.size < middle < bottom + farthest * line.size


def _lines_of(part: _Part | None) -> Sequence[Line]:
    if part is None:
        return ()
    whole = len(part.lines) > 1 and (part.is_prose or part.is_formula)
    return [_joined(part)] if whole else part.lines


def _joined(part: _Part) -> Line:
    longest = max(part.lines, key=lambda line: len(line.text))
    size = max(line.size for line in part.lines) if part.is_formula else part.size
    mixed = mixed_style([(line.style, len(line.text)) for line in part.lines])
    text, before = part.lines[0].text, part.lines[0]
    for line in part.lines[1:]:
        gap = line.box.left - before.box.right
        text += f" {line.text}" if gap > _WORD_GAP * size else line.text
        before = line
    return Line(
        box=enclosing(line.box for line in part.lines),
        text=text,
        style=replace(mixed, size=size, font=longest.style.font),
        words=part.words,
    )
