"""Lines that have text from the right, read anew by the places of their letters.

The parser turns such text round word by word or line by line, numbers with it, or not at all,
as the producer drew it; where each letter stands on the page is alike in all of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from itertools import cycle, pairwise
from statistics import median
from typing import NamedTuple

from citeloom_pdf.elements.direction import (
    CELL_GAP,
    are_numbers_from_right,
    are_of_two_directions,
    facing,
    has_from_right,
    is_arabic,
    is_of_numbers,
    is_read_from_right,
    mirrored,
    reading_order,
    weight,
)
from citeloom_pdf.elements.fonts import SizeOf
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.drawn_letters import as_written, tallest, with_letters_whole
from citeloom_pdf.parsing.letter_rows import (
    OUTSIDE,
    AsPrinted,
    are_of_ink,
    are_spaces_drawn,
    as_it_is,
    font_size,
    letters_of,
    rows_with,
    with_spaces,
    without_marks,
    words_of,
)
from citeloom_pdf.parsing.lines import Cell

_QUOTES, _LOW_QUOTE = "\u201c\u201d", "\u201e"
_SAME_PLACE = 0.05  # points
_MARK_REACH = 0.5  # of its height: how far from its letter a mark may stand that is drawn with it
_MARKS_REACH = 2.0  # of the height of a box: how far from its letter that of a mark may be
_NOTE = "\ufffc"  # stands for a number
# of the height of a digit: how low a raised one is, and how far off, if it is not low (digits of
# Arabic may be hardly taller)
_SMALL, _LIFTED, _HIGH = 0.85, 0.15, 0.5
# of the font size, and of the narrowest space of the line: a space between cells is wider than both
_GAP, _WIDER, _WIDEST = 0.45, 1.7, 1.0
# spaces in a row of cells, and of the width of the widest line: a longer one is prose, whose spaces
# may be stretched
_MOST_GAPS, _SHORT, _ALIKE = 7, 0.8, 0.05
_STOPS = frozenset(".,;:!?")
_SOME = 100  # letters of a page whose sizes are looked at
_COVERED = 0.6  # of the width of a space or mark
_JOINED, _BEARING = (
    0.1,
    0.5,
)  # of the width of a space: how far a letter may stand in it and from it
# times the height of the tallest letters: a part of lines that is higher may have two rows, whose
# middles are farther apart
_TWO_ROWS, _ROW_PITCH = 1.4, 0.6


class _Seen(NamedTuple):
    """A line's letters from left to right, spaces between words among them."""

    cell: Cell
    letters: Sequence[Word]
    size: float


def with_lines_from_right(
    cells: Sequence[Cell],
    words: Sequence[Word],
    letters: Sequence[Word],
    size_of: SizeOf,
    as_printed: AsPrinted = as_it_is,
) -> tuple[list[Cell], list[Word]]:
    """The parts of lines and the words; where a line has letters from the right, it is one part
    and its words are those that its `letters` make by their places.
    """
    if not any(has_from_right(cell.text) for cell in cells):
        return list(cells), list(words)
    page = weight("".join(cell.text for cell in cells)) > 0
    letters = with_letters_whole(letters)
    places: dict[str, list[Rect]] = defaultdict(list)
    for letter in letters:
        places[letter.text].append(letter.box)
    cells = _in_rows([cell._replace(box=_level(cell, places)) for cell in cells], letters)
    words = [word._replace(box=_level(word, places)) for word in words]
    groups = rows_with(
        cells,
        lambda text: has_from_right(text) or (page and is_of_numbers(text)),
        size=_usual_size(letters, size_of),
        of_ink=are_of_ink(letters),
    )
    groups = _with_signs(groups, cells)
    boxes = [enclosing(cell.box for cell in group) for group in groups]
    grouped = {id(cell) for group in groups for cell in group}
    others = [cell for cell in cells if id(cell) not in grouped]
    found = letters_of([*boxes, *(cell.box for cell in others)], letters)
    lines: list[_Seen] = []
    drawn = are_spaces_drawn(letters)
    held = [box.grown(0, OUTSIDE * box.height) for box, row in zip(boxes, found) if row]
    for group, box, row in zip(groups, boxes, found):
        if row:
            size = font_size(row, size_of)
            seen = with_spaces(_from_left(row), size, short_drawn=drawn)
            longest = max(group, key=lambda cell: len(cell.text))
            lines.append(_Seen(longest._replace(box=box), seen, size))
        else:
            # a mark's cell alone, whose letter stands in a line
            others += (c for c in group if not any(c.box.lies_in(near) for near in held))
    new_cells: list[Cell] = []
    new_words: list[Word] = []
    for line, row in zip(lines, _read(lines, page, as_printed)):
        line_words = [_spelled(word, _written) for word in words_of(row)]
        new_words += line_words
        text = " ".join(word.text for word in line_words)
        new_cells.append(line.cell._replace(text=text))
    replaced = {id(word) for row in letters_of([c.box for c in new_cells], words) for word in row}
    return [*others, *new_cells], [word for word in words if id(word) not in replaced] + new_words


def _with_signs(groups: Sequence[list[Cell]], cells: Sequence[Cell]) -> list[list[Cell]]:
    """The rows, each with the signs that are parts of their own within its box, as an underscore
    that is drawn apart and lower than its letters.
    """
    boxes = [enclosing(cell.box for cell in group) for group in groups]
    grouped = {id(cell) for group in groups for cell in group}
    rows = [[*group] for group in groups]
    for cell in cells:
        if id(cell) in grouped or cell.angle or any(map(str.isalnum, cell.text)):
            continue
        x, y = cell.box.middle_x, cell.box.middle_y
        around = [
            (abs(box.middle_y - y), at)
            for at, box in enumerate(boxes)
            if box.left <= x <= box.right and box.top <= y <= box.bottom
        ]
        if around:
            rows[min(around)[1]].append(cell)
    return rows


def _usual_size(letters: Sequence[Word], size_of: SizeOf) -> float:
    """The size of the font of most letters of a page."""
    inked = [w for w in letters if w.box.height > 0 and w.box.width > 0 and w.text.isalpha()]
    some = inked[:: len(inked) // _SOME + 1]
    return median([size_of(word) or word.box.height for word in some] or [0.0])


def _level(part: Cell | Word, places: Mapping[str, Sequence[Rect]]) -> Rect:
    """The box of a part; of a letter without a width, that of the one of its letters it is: where
    it stands, or below or above, where the part is its mark alone.
    """
    if part.box.width > 0:
        return part.box
    same = places.get(part.text, ())
    flat = [b for b in same if b.width <= 0 and abs(b.left - part.box.left) < _SAME_PLACE]
    near = flat or [b for b in same if b.width > 0 and _is_beside(b, part.box)]
    return min(near, key=lambda box: abs(box.middle_y - part.box.middle_y), default=part.box)


def _is_beside(box: Rect, mark: Rect) -> bool:
    reach = max(box.height, mark.height)
    across, down = abs(box.middle_x - mark.left), abs(box.middle_y - mark.middle_y)
    return across <= reach and down <= _MARKS_REACH * reach


def _read(lines: Sequence[_Seen], page: bool, as_printed: AsPrinted) -> list[list[Word]]:
    """The letters of each line in the order of reading, brackets facing each other as most do."""
    texts = ["".join(letter.text for letter in line.letters) for line in lines]
    arabic, numbers = is_arabic("".join(texts)), are_numbers_from_right(texts)
    widest = max((line.cell.box.width for line in lines), default=0.0)
    rows: list[list[tuple[Word, bool]]] = []
    for line, text in zip(lines, texts):
        printed = [_spelled(letter, as_printed) for letter in line.letters]
        order = reading_order(
            _with_cells_parted(_pieces(printed), printed, line.size)
            if line.cell.box.width < _SHORT * widest
            else _pieces(printed),
            from_right=is_read_from_right(text, page=page),
            arabic=arabic,
            page=page,
            numbers=numbers,
        )
        rows.append([(printed[piece.place], piece.mirrored) for piece in order])
    as_drawn = sum(facing("".join(letter.text for letter, turns in row if turns)) for row in rows)
    return [
        _with_quotes(
            [
                _spelled(letter, _mirrored) if turns and as_drawn <= 0 else letter
                for letter, turns in row
            ]
        )
        for row in rows
    ]


def _pieces(letters: Sequence[Word]) -> list[str]:
    """The texts of letters from left to right, with a sign for the raised number of a note, which
    is no part of the number behind its stop.
    """
    pieces = [letter.text for letter in letters]
    for at, (note, stop, digit) in enumerate(zip(letters, letters[1:], letters[2:])):
        begins = at == 0 or pieces[at - 1] == " "
        if begins and stop.text == "." and note.text.isdecimal() and digit.text.isdecimal():
            lifted = (digit.box.bottom - note.box.bottom) / max(digit.box.height, 0.1)
            is_small = note.box.height < _SMALL * digit.box.height
            if lifted > (_LIFTED if is_small else _HIGH):
                pieces[at] = _NOTE
    return pieces


def _with_cells_parted(
    pieces: Sequence[str], letters: Sequence[Word], size: float
) -> Sequence[str]:
    """The texts of letters, with a sign for each space that is as wide as between cells: far wider
    than others of its line are, but for those behind stops.
    """
    gaps = {
        at: letters[at + 1].box.left - letters[at - 1].box.right
        for at in range(1, len(letters) - 1)
        if letters[at].text == " "
    }
    are_alike = len(gaps) > 1 and max(gaps.values()) - min(gaps.values()) < _ALIKE * size
    if are_alike or len(gaps) > _MOST_GAPS:
        return pieces
    least = max(_GAP * size, _WIDER * min(gaps.values(), default=0.0))
    return [
        CELL_GAP
        if gaps.get(at, 0.0) > min(least, _WIDEST * size) and letters[at - 1].text not in _STOPS
        else piece
        for at, piece in enumerate(pieces)
    ]


def _mirrored(text: str, _box: Rect, _font: str) -> str:
    return mirrored(text)


def _written(text: str, _box: Rect, _font: str) -> str:
    return as_written(text)


def _spelled(letter: Word, spelling: AsPrinted) -> Word:
    """The letter, another one only where its text changes."""
    text = spelling(letter.text, letter.box, letter.font)
    return letter if text == letter.text else letter._replace(text=text)


def _in_rows(cells: Sequence[Cell], letters: Sequence[Word]) -> list[Cell]:
    """The parts of lines; one that the parser made of two lines, as of a list, as one for each."""
    if not letters:
        return list(cells)
    height = tallest(letters)
    placed = sorted(letters, key=lambda letter: letter.box.middle_y)
    middles = [letter.box.middle_y for letter in placed]
    parted: list[Cell] = []
    for cell in cells:
        if cell.angle or cell.box.height < _TWO_ROWS * height or not has_from_right(cell.text):
            parted.append(cell)
            continue
        first = bisect_left(middles, cell.box.top)
        last = bisect_right(middles, cell.box.bottom)
        left, right = cell.box.left - 1, cell.box.right + 1
        inside = [word for word in placed[first:last] if left <= word.box.middle_x <= right]
        parted += _rows_of(cell, inside, _ROW_PITCH * height)
    return parted


def _rows_of(cell: Cell, letters: Sequence[Word], pitch: float) -> list[Cell]:
    """The rows of a part, whose letters are given from top to bottom; the part itself if one."""
    rows: list[list[Word]] = []
    for letter in letters:
        if not rows or letter.box.middle_y - rows[-1][-1].box.middle_y > pitch:
            rows.append([])
        rows[-1].append(letter)
    if len(rows) < 2:
        return [cell]
    texts = ("".join(letter.text for letter in row) for row in rows)
    return [
        cell._replace(box=enclosing(letter.box for letter in row), text=text)
        for row, text in zip(rows, texts)
    ]


def _from_left(row: Sequence[Word]) -> list[Word]:
    """The letters of a line from left to right, marks behind the letters they are on.

    Left out are spaces where letters are, as those behind the last word of a line may be.
    """
    ordered = _as_drawn_where_nested(row)
    bases: list[Word] = []
    marks: list[Word] = []
    for before, letter, behind in zip([None, *ordered], ordered, [*ordered[1:], None]):
        over = letter.box.width <= 0 or _covers(before, letter) or _covers(behind, letter)
        if over and not without_marks(letter.text)[0]:
            marks.append(letter)
        elif not (over and letter.text.isspace()) or _is_between(before, letter, behind):
            bases.append(letter)
    middles = [letter.box.middle_x for letter in bases]
    places = {id(letter): at for at, letter in enumerate(bases)}
    drawn = _letters_of_marks(row, {*map(id, marks)})
    for mark in marks:
        if bases:
            at = min(bisect_left(middles, mark.box.middle_x), len(bases) - 1)
            near = min(range(max(0, at - 1), at + 1), key=lambda n: _away(bases[n], mark))
            near = places.get(drawn.get(id(mark), 0), near)
            bases[near] = bases[near]._replace(text=bases[near].text + mark.text)
    return bases


def _letters_of_marks(row: Sequence[Word], marks: Set[int]) -> dict[int, int]:
    """The letter that each mark is drawn behind in the order of reading, near which it stands,
    both by identity. A mark may reach into the letter beside its own.
    """
    before: list[Word | None] = [None]
    behind: list[Word | None] = [None]
    for letter in row if marks else ():
        before.append(before[-1] if id(letter) in marks else letter)
    for letter in reversed(row if marks else ()):
        behind.append(behind[-1] if id(letter) in marks else letter)
    found: dict[int, int] = {}
    for mark, first, second in zip(row, before, reversed(behind[:-1])):
        if id(mark) not in marks or first is None or second is None:
            continue
        letter = first if second.box.left < first.box.left else second
        reach = _MARK_REACH * mark.box.height
        if letter.box.left - reach <= mark.box.middle_x <= letter.box.right + reach:
            found[id(mark)] = id(letter)
    return found


def _as_drawn_where_nested(row: Sequence[Word]) -> list[Word]:
    """The letters from left to right; two that follow each other as they are drawn, of which one
    reaches over the other, as lam over alef may, in the direction in which the line is drawn.
    """
    places = sorted(range(len(row)), key=lambda at: row[at].box.left)
    onwards = sum(
        1 if before.box.left < behind.box.left else -1 for before, behind in pairwise(row)
    )
    step = 1 if onwards > 0 else -1
    for at, (first, second) in enumerate(pairwise(places)):
        if first - second == step and _is_nested(row[first], row[second]):
            places[at : at + 2] = second, first
    return [row[at] for at in places]


def _is_nested(first: Word, second: Word) -> bool:
    """Whether two letters from the right share most of the width of one of them."""
    narrower = min(first.box.width, second.box.width)
    if narrower <= 0 or not (has_from_right(first.text) and has_from_right(second.text)):
        return False
    return first.box.shared_width(second.box) > _COVERED * narrower


def _covers(letter: Word | None, space: Word) -> bool:
    """Whether a letter stands where a space or mark does."""
    return letter is not None and letter.box.shared_width(space.box) > _COVERED * space.box.width


def _is_between(before: Word | None, space: Word, behind: Word | None) -> bool:
    """Whether a space that a letter reaches over, as a kaf may, fills the gap up to the next; a
    number that is drawn too far to the right may cover it.
    """
    if before is None or behind is None or space.box.width <= 0:
        return False
    gap = (behind.box.left - space.box.right) / space.box.width
    joins = -_JOINED <= gap <= _BEARING
    farther = space.box.right > before.box.right or are_of_two_directions(before.text, behind.text)
    return joins and space.box.left > before.box.left and farther


def _away(letter: Word, mark: Word) -> float:
    return abs(letter.box.middle_x - mark.box.middle_x)


def _with_quotes(letters: list[Word]) -> list[Word]:
    """The letters with quotation marks that open and close; PDFium mirrors them, at times one.

    A mark within a word, as in abbreviations in Hebrew, is left as it is.
    """
    marks = [
        at
        for at, letter in enumerate(letters)
        if letter.text in _QUOTES and not _is_within_word(letters, at)
    ]
    if len(marks) % 2 or any(letter.text == _LOW_QUOTE for letter in letters):
        return letters
    for at, mark in zip(marks, cycle(_QUOTES)):
        letters[at] = letters[at]._replace(text=mark)
    return letters


def _is_within_word(letters: Sequence[Word], at: int) -> bool:
    beside = [*letters[max(0, at - 1) : at], *letters[at + 1 : at + 2]]
    return len(beside) == 2 and all(letter.text[-1:].isalpha() for letter in beside)
