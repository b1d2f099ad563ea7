"""Text lines from parsed cells, with split lines rejoined and stretched ones closed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import combinations, pairwise
from typing import NamedTuple, TypeVar

from citeloom_pdf.elements.direction import has_from_right, is_read_from_right, weight
from citeloom_pdf.elements.fonts import (
    SizeOf,
    fixed_pitch_fonts,
    font_kind,
    mixed_style,
    style_of_words,
)
from citeloom_pdf.elements.geometry import Rect, Rule, enclosing
from citeloom_pdf.elements.page import DOWNWARDS, Line, Style, Word
from citeloom_pdf.elements.scripts import script_text
from citeloom_pdf.parsing.columns import are_in_columns, column_ends

# Text lines from parsed cells, with split lines rejoined.

_THINNEST = 1.0  # points: what is thinner is a stroke of another line's character
_FRAME_CORNERS = ("☎", "✆", "✝", "✞")  # what LaTeX's circle font, used for frames, decodes to
_FRAMES = re.compile(r"\bLCIRCLEW?10$", re.IGNORECASE)
_STROKES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2212_")
_DASHES = _STROKES - {"_"}
_DESCENT = 0.5  # of the height of letters without descenders: how far an underscore is below
_LOWEST = 0.6  # of the font size: no line of letters is lower
_SQUARE = 8.0  # points
_TWO_ROWS = 1.5  # of a word's height: a line so high may be in two rows
_SLACK = 1.5  # words may reach this far out of their cell
_WORD_GAP = 0.12  # of the font size: parts closer than this belong to one word
_CODE_GAP = 0.45  # the same in a typewriter font, whose letters stand apart
_MONO = 0.7  # of a part's characters make it code
_CLOSING = re.compile(r"[,.)\]}](?!\w|\s?\.)")  # no language has a space before these
_STROKE_GAP = 0.2  # the same beside an underscore, whose ink is narrower than the space it takes
_NARROW_GAP = 0.75  # of the font size: parts closer than this belong to one line
_SCRIPT, _SHIFT = 0.85, 0.12  # of the height of a word: how low a script is, and how far off
_MARK_GAP = 3.6  # of the font size: how far a number or bullet stands before its text
_NARROW_MARK_GAP = 1.6  # the same for a number in parentheses, which may be an equation's
_MARK = re.compile(r"\(?\d{1,2}(\.\d{1,2})*\.?\)?|[IVX]+\.|[A-Z]\.|[•·●○▪■◦‣∙–\-*\uf0b7]")  # noqa: RUF001
_LONGEST_NUMBER = 3  # figures of a note's number
# Word by word and line by line a page is searched in order; neighbours are never farther apart
_REACH_BACK, _REACH_ON = 40, 60


# letters of scripts whose lines may go down the page
SET_DOWNWARDS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


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
    for cell in _with_strokes_placed([_raised(cell, fixed) for cell in cells]):
        if cell.box.width <= 0 or cell.box.height < _THINNEST or _is_of_frame(cell):
            continue
        upright = cell.angle % 180 <= 20 or cell.angle % 180 >= 160
        tall = cell.box.height > 3 * cell.box.width and len(cell.text) > 3
        tall = tall and any(map(str.isalnum, cell.text))  # strokes alone are a bar of a formula
        rotated = not upright or tall
        inside = placed.inside(cell)
        if _DASHES.issuperset(cell.text):
            _, top, _, bottom = cell.box
            inside = [
                word._replace(box=word.box._replace(top=top, bottom=bottom)) for word in inside
            ]
        kind = font_kind(cell.font)
        fallback = Style(cell.box.height, cell.font, *(float(flag) for flag in kind))
        style = style_of_words(inside, fallback, size_of, fixed)
        angle = round(cell.angle) % 360 if rotated else 0
        if tall and upright and SET_DOWNWARDS.search(cell.text):
            angle = DOWNWARDS
        line = Line(cell.box, cell.text, style, tuple(inside), rotated, angle)
        lines.append(_as_high_as_letters(line))
    return [part for line in lines for part in _rows_apart(line, lines)]


def _rows_apart(line: Line, lines: Sequence[Line]) -> Iterable[Line]:
    """The line, or its parts in two rows, which the parser has as one where cells of a table touch
    one another at a corner; the words of other lines there are not its own. Lines from the right
    and formulas are of one row, however high their marks and fractions stand.
    """
    height = line.words[0].box.height if line.words else 0.0
    if line.rotated or not 0 < _TWO_ROWS * height <= line.box.height:
        return [line]
    if line.style.math or has_from_right(line.text):
        return [line]
    others = {
        word
        for other in lines
        if other is not line and other.box.height < line.box.height and other.box.touches(line.box)
        for word in other.words
    }
    own = [word for word in line.words if word not in others]
    if len(own) == len(line.words) or sorted(_bare("".join(word.text for word in own))) != sorted(
        _bare(line.text)
    ):
        return [line]
    rows: list[list[Word]] = []
    for word in own:
        middle = word.box.middle_y
        row = next((row for row in rows if row[0].box.top < middle < row[0].box.bottom), None)
        if row is None:
            rows.append([word])
        else:
            row.append(word)
    parts = [*map(line.part_of, rows)]
    if any(part.box.shared_width(other.box) > 0 for part, other in combinations(parts, 2)):
        return [line]  # the parts of a fraction
    return parts


def _is_of_frame(cell: Cell) -> bool:
    return cell.text in _FRAME_CORNERS or _FRAMES.search(cell.font) is not None


def _as_high_as_letters(line: Line) -> Line:
    """The line, which begins too low where a font declares its letters to be lower than they are,
    as DejaVu Sans does in PDFs of browsers, with boxes as high as the letters.
    """
    box, style = line.box, line.style
    is_low = box.height < _LOWEST * style.size and not line.rotated and not style.math
    if not is_low or not any(map(str.isalnum, line.text)):
        return line
    top = box.bottom - style.size
    words = (
        word._replace(box=word.box._replace(top=min(word.box.top, top))) for word in line.words
    )
    return replace(line, box=box._replace(top=top), words=tuple(words))


def _with_strokes_placed(cells: Sequence[Cell]) -> Sequence[Cell]:
    """The parts; a thin dash, minus sign or underscore, as of a font that stands in for a line's
    own or whose boxes are those of its ink, with the height of the parts that it touches; a dash
    alone, as for nothing in a cell of a table, with that of the next part of its row.
    """
    thin = [at for at, cell in enumerate(cells) if _is_stroke(cell)]
    if not thin:
        return cells
    placed = list(cells)
    rows: dict[int, list[Rect]] = defaultdict(list)
    for letters in (cell.box for cell in cells if cell.box.height >= _THINNEST and not cell.angle):
        lowest = letters.bottom + _DESCENT * letters.height
        for row in range(int(letters.top // _SQUARE), int(lowest // _SQUARE) + 1):
            rows[row].append(letters)
    for at in thin:
        box = cells[at].box
        near = rows.get(int(box.middle_y // _SQUARE), ())
        level = [b for b in near if _stands_on(box, b)]
        beside = [b for b in level if _touches(box, b)]
        if not beside and level and cells[at].text in _DASHES:
            beside = [max(level, key=lambda b: b.shared_width(box))]
        if beside:
            top, bottom = min(b.top for b in beside), max(box.bottom, *(b.bottom for b in beside))
            placed[at] = cells[at]._replace(box=box._replace(top=top, bottom=bottom))
    return placed


def _is_stroke(cell: Cell) -> bool:
    return cell.box.height < _THINNEST and _STROKES.issuperset(cell.text) and not cell.angle


def _stands_on(stroke: Rect, line: Rect) -> bool:
    """Whether a stroke is on a line, or below its letters if none of them descends."""
    return line.top <= stroke.top <= stroke.bottom <= line.bottom + _DESCENT * line.height


def _touches(dash: Rect, line: Rect) -> bool:
    gap = max(line.left - dash.right, dash.left - line.right)
    return -_SLACK <= gap <= _NARROW_GAP * line.height


def _raised(piece: _Piece, fixed: Set[str]) -> _Piece:
    """An underscore in a listing with the height of a letter."""
    if piece.text != "_" or piece.font not in fixed:
        return piece
    box = piece.box
    return piece._replace(box=Rect(box.left, box.bottom - box.width, box.right, box.bottom))


class _PlacedWords:
    """Words by their tops, in rows of the page, so that those in a box are found without a look at
    all others.
    """

    def __init__(self, words: Iterable[Word]) -> None:
        self._rows: dict[int, list[Word]] = defaultdict(list)
        for word in words:
            self._rows[int(word.box.top // _SQUARE)].append(word)

    def inside(self, cell: Cell) -> Sequence[Word]:
        """The words in a cell's box, from left to right, and its signs in a font for mathematics,
        alone or in words, whose boxes may hang far below their line, cut off at the cell's.
        """
        box, area = cell.box, cell.box.grown(_SLACK, _SLACK)
        down = range(int(area.top // _SQUARE), int(area.bottom // _SQUARE) + 1)
        near = (word for row in down for word in self._rows.get(row, ()))
        inside = (
            word if word.box.bottom <= area.bottom else _cut_off(word, box.bottom)
            for word in near
            if word.box.left >= area.left
            and word.box.right <= area.right
            and word.box.top >= area.top
            and word.box.top <= box.bottom
            and (word.box.bottom <= area.bottom or _hangs_in(word, cell))
        )
        return sorted(inside, key=lambda word: (word.box.left, word.box.top))


def _hangs_in(word: Word, cell: Cell) -> bool:
    signs = font_kind(word.font).math or not word.text.isalnum()
    high = word.box.top < cell.box.middle_y
    return signs and high and (word.text in cell.text or _bare(word.text) in _bare(cell.text))


def _bare(text: str) -> str:
    """The text without spaces, a minus sign as a hyphen, as words and lines differ in both."""
    return text.replace(" ", "").replace("\u2212", "-")


def _cut_off(word: Word, bottom: float) -> Word:
    return word._replace(box=word.box._replace(bottom=bottom))


def join_parts(lines: Sequence[Line]) -> list[Line]:
    """The lines, with parts on one baseline joined where only inline mathematics, a heading's
    number or a bullet split them.
    """
    from_right = are_from_right(lines)
    ordered = sorted(lines, key=lambda line: (line.box.middle_y, line.box.left))
    ends = column_ends(lines)
    used: set[int] = set()
    joined = []
    for index in range(len(ordered)):
        if index in used:
            continue
        row = _whole_row(ordered, index, used)
        first = last = row.index(index)
        while last + 1 < len(row) and _continues(ordered[row[last]], ordered[row[last + 1]], ends):
            last += 1
        while first > 0 and _continues(ordered[row[first - 1]], ordered[row[first]], ends):
            first -= 1
        parts = row[first : last + 1]
        used.update(parts)
        joined.append(joined_line([ordered[part] for part in parts], page=from_right))
    return joined


def _whole_row(lines: Sequence[Line], index: int, used: set[int]) -> list[int]:
    """The lines in one row with a line, by the highest of them: a comma is level with that, not
    with a word in quotation marks without letters that go below.
    """
    row = _row(lines, index, used)
    highest = max(row, key=lambda number: lines[number].box.height)
    if not 0 < lines[highest].box.height - lines[index].box.height < lines[index].box.height:
        return row
    whole = _row(lines, highest, used)
    return whole if index in whole else row


def _row(lines: Sequence[Line], index: int, used: set[int]) -> list[int]:
    here = lines[index]
    near = range(max(0, index - _REACH_BACK), min(len(lines), index + _REACH_ON))
    _, top, _, bottom = here.box
    row = [index]
    for other in near:
        line = lines[other]
        _, upper, _, lower = line.box
        if upper >= bottom or lower <= top or other == index or other in used:
            continue
        if min(bottom, lower) - max(top, upper) > 0.55 * min(bottom - top, lower - upper):
            row.append(other)
    return sorted(row, key=lambda number: lines[number].box.left)


def _continues(left: Line, right: Line, ends: Sequence[Rule]) -> bool:
    gap = right.box.left - left.box.right
    size = min(left.size, right.size)
    if gap < -0.5 * size:
        if len(right.words) > 1 and _is_script(right.words[0], right.words[1]):
            return right.words[1].box.left >= left.box.right - _WORD_GAP * right.size
        if len(left.words) > 1 and _is_script(left.words[-1], left.words[-2]):
            return left.words[-2].box.right <= right.box.left + _WORD_GAP * left.size
        return False
    if _WORD_GAP * size < gap and are_in_columns(left.box, right.box, ends):
        return False
    if gap <= _NARROW_GAP * size:
        return True
    # a number in parentheses at the end of a column is an equation's, not that of the next column
    mark = right if weight(left.text) > 0 else left
    reach = _NARROW_MARK_GAP if mark.text.startswith("(") else _MARK_GAP
    return gap <= reach * size and _MARK.fullmatch(mark.text) is not None


def _is_script(word: Word, beside: Word) -> bool:
    """Whether a word is smaller than the one beside it, and raised or lowered."""
    shift = word.box.middle_y - beside.box.middle_y
    small = word.box.height <= _SCRIPT * beside.box.height
    return small and abs(shift) > _SHIFT * beside.box.height


def _is_note_number(mark: Line, text: Line) -> bool:
    """Whether a line opens with the raised number of a note."""
    if not (mark.text.isdecimal() and len(mark.text) <= _LONGEST_NUMBER and text.words):
        return False
    word = text.words[0]
    raised = mark.box.middle_y < word.box.middle_y
    return raised and word.text[0].isalpha() and _is_script(Word(mark.box, "", ""), word)


def are_from_right(lines: Iterable[Line]) -> bool:
    """Whether most of their letters are read from the right."""
    return sum(weight(line.text) for line in lines) > 0


def joined_line(parts: Sequence[Line], *, page: bool = False) -> Line:
    """The parts of a line, from left to right, as one that reads on as most of its letters do, or
    without any as the `page` does: from the right or not.
    """
    if len(parts) == 1:
        return parts[0]
    longest = max(parts, key=lambda part: len(part.text))
    mixed = mixed_style([(part.style, max(1, len(part.text))) for part in parts])
    text, is_mark = parts[0].text, _is_note_number(*parts[:2])
    if is_mark:
        text = script_text(text, raised=True)
    from_right = _reads_from_right(parts, page=page)
    for left, right in zip(parts, parts[1:]):
        gap = right.box.left - left.box.right
        beside_stroke = left.text.endswith("_") or right.text.startswith("_")
        is_wide = _are_code(left, right) or _closes(left, right)
        least = _CODE_GAP if is_wide else _STROKE_GAP if beside_stroke else _WORD_GAP
        # of an underscore in a font of bitmaps, the size is not known
        size = max(left.size, right.size) if beside_stroke else min(left.size, right.size)
        apart = gap > least * size or (is_mark and left is parts[0])
        between = " " if apart else ""
        text = right.text + between + text if from_right else text + between + right.text
    return Line(
        box=enclosing(part.box for part in parts),
        text=text,
        style=replace(mixed, size=longest.size, font=longest.style.font),
        words=tuple(word for part in parts for word in part.words),
    )


def _closes(left: Line, right: Line) -> bool:
    """Whether a part begins with a sign that stands at the word before it; dots may be spaced."""
    return _CLOSING.match(right.text) is not None and not left.text.endswith(".")


def _are_code(left: Line, right: Line) -> bool:
    """Whether two parts meet in a typewriter font."""
    if min(left.style.mono, right.style.mono) > _MONO:
        return True
    beside = (*left.words[-1:], *right.words[:1])
    return len(beside) == 2 and all(font_kind(word.font).mono for word in beside)


def _reads_from_right(parts: Sequence[Line], *, page: bool) -> bool:
    """Whether the parts of a line, from left to right, follow each other from the right; on such a
    page addresses and a few words from the left decide nothing.
    """
    if page:
        return is_read_from_right(" ".join(part.text for part in parts), page=True)
    return sum(weight(part.text) for part in parts) > 0


# Lines that the parser split at a picture no larger than a few letters, such as that of a button.

_ICON_HEIGHT, _ICON_WIDTH = 4.0, 6.0  # of the font size, at most
_BESIDE_ICON = 0.75  # of the font size: how far words of its line are from it
_MOST_ICONS = 100  # pictures so small on a page: more are the pieces of a larger one


def join_over_icons(lines: Sequence[Line], bitmaps: Sequence[Rect]) -> list[Line]:
    """The lines, with parts joined that stand close on both sides of a small picture."""
    joined = list(lines)
    size = max((line.size for line in lines), default=0.0)
    icons = [box for box in bitmaps if _is_icon(box, size)]
    for icon in sorted(icons) if len(icons) <= _MOST_ICONS else ():
        row = [line for line in joined if not line.rotated and _is_icon(icon, line.size)]
        row = [line for line in row if line.box.shared_height(icon) > 0.5 * line.box.height]
        left = [line for line in row if _is_close(icon.left - line.box.right, line.size)]
        right = [line for line in row if _is_close(line.box.left - icon.right, line.size)]
        if len(left) == len(right) == 1 and _is_level(left[0], right[0]):
            joined[joined.index(left[0])] = joined_line([left[0], right[0]])
            joined.remove(right[0])
    return joined


def _is_icon(box: Rect, size: float) -> bool:
    return box.height <= _ICON_HEIGHT * size and box.width <= _ICON_WIDTH * size


def _is_close(gap: float, size: float) -> bool:
    return -1 <= gap <= _BESIDE_ICON * size


# Justified lines that the parser split at their wide spaces, as narrow columns have them.

_WIDEST = 12.0  # of the font size
# of the font size: how far the next line is above or below, and on pages from the right, whose
# lines are set looser for the signs above and below their letters
_REACH, _LOOSE_REACH = 1.6, 2.0
_INDENT = 2.5  # of the font size: how far in a line of a paragraph may begin
_FLUSH = 0.7  # of the font size: how far from the margin a justified line may end
_COLUMN_LINES = 3  # of a page that begin and end at the same places show the margins of a column
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
    page = _Page(lines)
    joined: list[Line] = []
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
    whole = len(parts) > 1 and page.fills_column(parts)
    return [joined_line(parts, page=page.from_right)] if whole else parts


def rows_of_parts(lines: Sequence[Line]) -> list[list[Line]]:
    """The parts of each line on the page from left to right, as far as none is a column away."""
    return list(_Page(lines).rows())


class _Page:
    """The upright lines of a page, and which of them are next to a place."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = sorted(lines, key=lambda line: line.box.middle_y)
        self._middles = [line.box.middle_y for line in self._lines]
        self.from_right = are_from_right(lines)

    def rows(self) -> Iterator[list[Line]]:
        """Lines on one baseline, from left to right, each with its nearest to the right."""
        following: dict[int, Line] = {}
        preceded: set[int] = set()
        for line in sorted(self._lines, key=lambda line: line.box.left):
            reach = line.box.height
            behind: Line | None = None
            for other in self._between(line.box.middle_y - reach, line.box.middle_y + reach):
                gap = other.box.left - line.box.right
                if (
                    other is line
                    or not 0 <= gap <= _WIDEST * line.size
                    or not _is_level(line, other)
                ):
                    continue
                if behind is None or other.box.left < behind.box.left:
                    behind = other
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
            runs_over
            or all(box.right < gap.right and box.left <= both.left + 1 for box in side)
            or _surrounds(side, gap)
            for runs_over, side in zip(over, sides)
        )

    def fills_column(self, parts: Sequence[Line]) -> bool:
        """Whether the parts together begin and end where the lines around them do, or several
        others of the page.
        """
        box, size = enclosing(part.box for part in parts), parts[0].size
        if sum(_has_margins(line.box, box, size) for line in self._lines) >= _COLUMN_LINES:
            return True
        gaps = [Rect(a.box.right, box.top, b.box.left, box.bottom) for a, b in pairwise(parts)]
        return any(
            any(_runs_over(line.box, gap) for gap in gaps)
            and -_FLUSH * size <= box.left - line.box.left <= _INDENT * size
            and abs(box.right - line.box.right) <= _FLUSH * size
            for sign in (-1, 1)
            for line in self._beside(box, size, sign)
        )

    def _beside(self, box: Rect, size: float, sign: int) -> list[Line]:
        """The lines just above (-1) or below (1) that share some of the box's width."""
        middle = box.middle_y
        reach = _LOOSE_REACH if self.from_right else _REACH
        ends = sorted((middle + sign * 0.6 * size, middle + sign * reach * size))
        return [line for line in self._between(*ends) if line.box.shared_width(box) > 0]

    def _between(self, top: float, bottom: float) -> Sequence[Line]:
        first = bisect_left(self._middles, top)
        return self._lines[first : bisect_left(self._middles, bottom)]


def _has_margins(line: Rect, box: Rect, size: float) -> bool:
    slack = _FLUSH * size
    return abs(line.left - box.left) <= slack and abs(line.right - box.right) <= slack


def _is_level(line: Line, other: Line) -> bool:
    lower = min(line.box.height, other.box.height)
    alike = abs(line.size - other.size) <= 0.1 * line.size
    return alike and line.box.shared_height(other.box) > _SAME_ROW * lower


def _runs_over(box: Rect, gap: Rect) -> bool:
    return box.left < gap.left - 1 and box.right > gap.right + 1


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
