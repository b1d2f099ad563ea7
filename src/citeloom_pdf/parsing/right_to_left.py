"""Lines that have text from the right, read anew by the places of their letters.

The parser turns such text round word by word or line by line, numbers with it, or not at all,
as the producer drew it; where each letter stands on the page is alike in all of them.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle, pairwise
from statistics import median
from typing import NamedTuple

from citeloom_pdf.elements.direction import (
    are_of_two_directions,
    facing,
    has_from_right,
    is_arabic,
    is_read_from_right,
    mirrored,
    reading_order,
    weight,
)
from citeloom_pdf.elements.fonts import SizeOf
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.lines import Cell

_PART_GAP = 0.9  # of the height: parts of a row that are closer belong to one line
_SAME_ROW = 0.5  # of the lower height
_TALLEST = 100.0  # points: how far up and down neighbours in a row are looked for
# of the font size: letters farther apart are in two words, where a line's spaces are drawn, and
# where they are not or the letters are of two directions
_WIDE_GAP, _WORD_GAP = 0.3, 0.15
_SPACED = 9  # letters of a line with drawn spaces that have one among them at least
_QUOTES, _LOW_QUOTE = "\u201c\u201d", "\u201e"
_TALLER = 3.0  # times: no letter's box is so much taller or lower than its font's size
_SAME_PLACE = 0.05  # points
_COVERED = 0.6  # of the width of a space or mark
_JOINED = 0.1  # of the width of a space: so close a letter stands to it
_OUTSIDE = 0.25  # of a line's height: how far above or below it a mark may stand
_LOW, _NEAR = 0.6, 0.2  # of a letter's height: how high a mark is, how far out of it one may stand
_UNDECODED, _STROKE = "\ufffd", 0.5  # of its width: a stroke is lower
_REACH = 0.7  # of a letter's height: how far before it a mark may begin that is drawn first
_MARKED_GAP = 0.6  # of the font size: beside a letter with marks, whose width may be theirs
# times the height of the tallest letters: a part of lines that is higher may have two rows, whose
# middles are farther apart
_TWO_ROWS, _ROW_PITCH = 1.4, 0.6
_TALLEST_SHARE = 10  # of ten letters the tallest one is looked at


class _Seen(NamedTuple):
    """A line's letters from left to right, spaces between words among them."""

    cell: Cell
    letters: Sequence[Word]


def as_it_is(text: str, _box: Rect, _font: str) -> str:
    """The text."""
    return text


AsPrinted = Callable[[str, Rect, str], str]  # a letter, its box and font: what is printed there


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
    letters = _with_ligatures(letters)
    cells = _in_rows(cells, letters)
    groups = rows_with(
        cells,
        lambda text: has_from_right(text) or (page and _is_of_numbers(text)),
    )
    boxes = [enclosing(cell.box for cell in group) for group in groups]
    grouped = {id(cell) for group in groups for cell in group}
    others = [cell for cell in cells if id(cell) not in grouped]
    found = letters_of([*boxes, *(cell.box for cell in others)], letters)
    lines: list[_Seen] = []
    held = [box.grown(0, _OUTSIDE * box.height) for box, row in zip(boxes, found) if row]
    for group, box, row in zip(groups, boxes, found):
        if row:
            seen = with_spaces(_from_left(row), font_size(row, size_of))
            longest = max(group, key=lambda cell: len(cell.text))
            lines.append(_Seen(longest._replace(box=box), seen))
        else:
            # a mark's cell alone, whose letter stands in a line
            others += (c for c in group if not any(c.box.lies_in(near) for near in held))
    new_cells: list[Cell] = []
    new_words: list[Word] = []
    for line, row in zip(lines, _read(lines, page, as_printed)):
        line_words = words_of(row)
        new_words += line_words
        text = " ".join(word.text for word in line_words)
        new_cells.append(line.cell._replace(text=text))
    replaced = {id(word) for row in letters_of([c.box for c in new_cells], words) for word in row}
    return [*others, *new_cells], [word for word in words if id(word) not in replaced] + new_words


def _read(lines: Sequence[_Seen], page: bool, as_printed: AsPrinted) -> list[list[Word]]:
    """The letters of each line in the order of reading, brackets facing each other as most do."""
    texts = ["".join(letter.text for letter in line.letters) for line in lines]
    arabic = is_arabic("".join(texts))
    rows: list[list[tuple[Word, bool]]] = []
    for line, text in zip(lines, texts):
        printed = [
            letter._replace(text=as_printed(letter.text, letter.box, letter.font))
            for letter in line.letters
        ]
        order = reading_order(
            [letter.text for letter in printed],
            from_right=is_read_from_right(text, page=page),
            arabic=arabic,
            page=page,
        )
        rows.append([(printed[piece.place], piece.mirrored) for piece in order])
    as_drawn = sum(facing("".join(letter.text for letter, turns in row if turns)) for row in rows)
    return [
        _with_quotes(
            [
                letter._replace(text=mirrored(letter.text)) if turns and as_drawn <= 0 else letter
                for letter, turns in row
            ]
        )
        for row in rows
    ]


def _in_rows(cells: Sequence[Cell], letters: Sequence[Word]) -> list[Cell]:
    """The parts of lines; one that the parser made of two lines, as of a list, as one for each."""
    if not letters:
        return list(cells)
    heights = sorted(letter.box.height for letter in letters)
    height = heights[-1 - len(heights) // _TALLEST_SHARE]
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


def rows_with(cells: Sequence[Cell], is_meant: Callable[[str], bool]) -> list[list[Cell]]:
    """The parts whose text is meant, each with those that it is a line with."""
    level = [cell for cell in cells if not cell.angle]
    ordered = sorted(level, key=lambda cell: cell.box.middle_y)
    middles = [cell.box.middle_y for cell in ordered]
    usual = median(cell.box.height for cell in level) if level else 0.0
    taken: set[int] = set()
    groups: list[list[Cell]] = []
    # what is low, as a mark, joins a line rather than beginning one
    for seed in sorted(ordered, key=lambda cell: cell.box.height < _LOW * usual):
        if id(seed) in taken or not is_meant(seed.text):
            continue
        reach = min(seed.box.height, _TALLEST)
        first = bisect_left(middles, seed.box.middle_y - reach)
        last = bisect_right(middles, seed.box.middle_y + reach)
        row = sorted(
            (
                cell
                for cell in ordered[first:last]
                if id(cell) not in taken and _is_level(cell, seed.box)
            ),
            key=lambda cell: cell.box.left,
        )
        group = _side_by_side(row, seed)
        taken.update(map(id, group))
        groups.append(group)
    return groups


def _is_of_numbers(text: str) -> bool:
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _is_level(cell: Cell, beside: Rect) -> bool:
    """Whether the part is in one row with a line; marks alone may be at its head or foot, and
    with them the letter that they are on, where it has the place of a mark.
    """
    if cell.box.shared_height(beside) > _SAME_ROW * min(cell.box.height, beside.height):
        return True
    out = _OUTSIDE * beside.height
    if not beside.top - out <= cell.box.middle_y <= beside.bottom + out:
        return False
    letters, marks = without_marks(cell.text)
    is_low = cell.box.height < _LOW * beside.height
    return not any(map(str.isalnum, letters)) or (bool(marks) and len(letters) == 1 and is_low)


def _side_by_side(row: Sequence[Cell], seed: Cell) -> list[Cell]:
    """The part and those of its row from which no wide gap parts it."""
    gap = _PART_GAP * seed.box.height
    groups: list[list[Cell]] = []
    right = float("-inf")
    for cell in row:
        if cell.box.left - right > gap:
            groups.append([])
        groups[-1].append(cell)
        right = max(right, cell.box.right)
    return next(group for group in groups if any(cell is seed for cell in group))


def letters_of(boxes: Sequence[Rect], letters: Iterable[Word]) -> list[list[Word]]:
    """The letters of each line, as they follow each other: those in its box whose middle is
    nearest to its own.
    """
    drawn = [*letters]
    placed = sorted(range(len(drawn)), key=lambda at: drawn[at].box.middle_y)
    middles = [drawn[at].box.middle_y for at in placed]
    nearest: dict[int, tuple[float, int]] = {}
    for line, box in enumerate(boxes):
        out = _OUTSIDE * box.height
        first = bisect_left(middles, box.top - out)
        for at in range(first, bisect_right(middles, box.bottom + out)):
            if box.left - 1 <= drawn[placed[at]].box.middle_x <= box.right + 1:
                away = abs(middles[at] - box.middle_y)
                nearest[placed[at]] = min(nearest.get(placed[at], (away, line)), (away, line))
    rows: list[list[Word]] = [[] for _ in boxes]
    for at in sorted(nearest):
        rows[nearest[at][1]].append(drawn[at])
    return rows


def _with_ligatures(letters: Iterable[Word]) -> list[Word]:
    """The letters; those of one glyph as one, of which the parser gives the first all its width,
    and those of a letter and its marks whose glyphs were given each other's codes.
    """
    whole: list[Word] = []
    for letter in _with_marks_behind(without_repeats(letters)):
        before = whole[-1] if whole else None
        if before is not None and _lengthens(before, letter):
            right = max(before.box.right, letter.box.right)
            whole[-1] = before._replace(box=before.box._replace(right=right))
            continue
        if before is None or not _is_one_glyph(before, letter):
            whole.append(letter)
        elif before.box.width <= 0:
            whole[-1] = letter._replace(text=letter.text + before.text)
        else:
            whole[-1] = before._replace(text=before.text + letter.text)
        if len(whole) > 1 and _are_exchanged(*whole[-2:]):
            (first, first_marks), (base, marks) = map(without_marks, (w.text for w in whole[-2:]))
            whole[-2:] = [whole[-1]._replace(text=base + first + first_marks + marks)]
    return _level(whole)


def without_repeats(letters: Iterable[Word]) -> list[Word]:
    """The letters; those of several glyphs, each of which has the code of all of them, once.

    Typst prints a letter with its marks so, where the font has a glyph without a width for each.
    """
    once: list[Word] = []
    for letter in letters:
        before = once[-1] if once else None
        if before is None or not _is_repeated(before, letter):
            once.append(letter)
        elif letter.box.width > before.box.width:
            once[-1] = letter
    return once


def _lengthens(letter: Word, stroke: Word) -> bool:
    """Whether a glyph without a code is the low stroke that joins an Arabic letter to the next,
    which word processors draw in justified lines.
    """
    box = stroke.box
    return (
        stroke.text == _UNDECODED
        and is_arabic(letter.text)
        and box.height < _STROKE * box.width
        and abs(box.left - letter.box.right) < _NEAR * letter.box.height
        and letter.box.top <= box.top
    )


def _is_repeated(first: Word, second: Word) -> bool:
    if first.text != second.text or not without_marks(first.text)[0].strip():
        return False
    flat, wide = sorted((first, second), key=lambda letter: letter.box.width)
    reach = wide.box.height if len(first.text) > 1 else 0.0
    return (
        flat.box.width <= 0
        and first.box.shared_height(second.box) > 0
        and wide.box.left - reach <= flat.box.left <= wide.box.right + reach
    )


def _level(letters: Sequence[Word]) -> list[Word]:
    """The letters, those without a width, whose box is that of a mark, as high as the next one."""
    levelled = [*letters]
    for at, (letter, behind) in enumerate(pairwise(letters)):
        beside = behind.box if behind.text.isalpha() else letters[at - 1].box
        if letter.box.width <= 0 and has_from_right(letter.text) and without_marks(letter.text)[0]:
            box = letter.box._replace(top=beside.top, bottom=beside.bottom)
            levelled[at] = letter._replace(box=box)
    return levelled


def _with_marks_behind(letters: Sequence[Word]) -> Sequence[Word]:
    """The letters; marks that a word processor draws before their letters as part of these."""
    flat = [letter.box.width <= 0 and not without_marks(letter.text)[0] for letter in letters]
    first, near = 0, True
    for at in range(1, len(letters) - 1):
        if flat[at]:
            first += letters[at - 1].text.isspace() - letters[at + 1].text.isspace()
            near = near and (flat[at + 1] or _reaches(letters[at], letters[at + 1]))
    if first < 0 or not (first or near):
        return letters
    joined: list[Word] = []
    marks: list[Word] = []
    for letter, is_mark in zip(letters, flat):
        if is_mark:
            marks.append(letter)
            continue
        if marks and _reaches(marks[0], letter):
            text = letter.text + "".join(mark.text for mark in marks)
            joined.append(letter._replace(text=text))
        else:
            joined += [*marks, letter]
        marks = []
    return joined + marks


def _reaches(mark: Word, letter: Word) -> bool:
    """Whether a mark stands on a letter or a little before it."""
    first = letter.box.left - _REACH * letter.box.height
    return first <= mark.box.left <= letter.box.right and letter.text[:1].isalpha()


def _are_exchanged(mark: Word, base: Word) -> bool:
    """Whether the glyph of a mark, which has no width or little height, has the code of a letter,
    and that of the letter behind it the code of the mark: browsers print them so.
    """
    _, marks = without_marks(base.text)
    if not marks or base.box.width <= 0 or not without_marks(mark.text)[0].isalpha():
        return False
    low, flat = mark.box.height < _LOW * base.box.height, mark.box.width <= 0
    reach = (_REACH if flat else _NEAR) * base.box.height
    near = base.box.left - reach <= mark.box.left <= base.box.right
    return near and (low or flat) and has_from_right(mark.text)


def without_marks(text: str) -> tuple[str, str]:
    """The letters of a text, and its marks."""
    marks = [letter for letter in text if _is_mark(letter)]
    return "".join(letter for letter in text if letter not in marks), "".join(marks)


def _is_one_glyph(first: Word, second: Word) -> bool:
    same = abs(first.box.left - second.box.left) < _SAME_PLACE
    flat = min(first.box.width, second.box.width) <= 0
    return same and flat and not (first.text.isspace() or second.text.isspace())


def _from_left(row: Sequence[Word]) -> list[Word]:
    """The letters of a line from left to right, marks behind the letters they are on.

    Left out are spaces where letters are, as those behind the last word of a line may be.
    """
    ordered = sorted(row, key=lambda letter: letter.box.left)
    bases: list[Word] = []
    marks: list[Word] = []
    for before, letter, behind in zip([None, *ordered], ordered, [*ordered[1:], None]):
        over = letter.box.width <= 0 or _covers(before, letter) or _covers(behind, letter)
        if over and not without_marks(letter.text)[0]:
            marks.append(letter)
        elif not (over and letter.text.isspace()) or _is_between(before, letter, behind):
            bases.append(letter)
    middles = [letter.box.middle_x for letter in bases]
    for mark in marks:
        if bases:
            at = min(bisect_left(middles, mark.box.middle_x), len(bases) - 1)
            near = min(range(max(0, at - 1), at + 1), key=lambda n: _away(bases[n], mark))
            bases[near] = bases[near]._replace(text=bases[near].text + mark.text)
    return bases


def _covers(letter: Word | None, space: Word) -> bool:
    """Whether a letter stands where a space or mark does."""
    return letter is not None and letter.box.shared_width(space.box) > _COVERED * space.box.width


def _is_between(before: Word | None, space: Word, behind: Word | None) -> bool:
    """Whether a space that a letter reaches over, as a kaf may, fills the gap up to the next."""
    if before is None or behind is None or space.box.width <= 0:
        return False
    joins = abs(behind.box.left - space.box.right) <= _JOINED * space.box.width
    return joins and space.box.left > before.box.left and space.box.right > before.box.right


def _away(letter: Word, mark: Word) -> float:
    return abs(letter.box.middle_x - mark.box.middle_x)


def _is_mark(text: str) -> bool:
    return unicodedata.category(text[-1]) in ("Mn", "Me")


def with_spaces(letters: Sequence[Word], size: float, *, drawn: bool = False) -> list[Word]:
    """The letters, with a space where a gap parts two that have none between them; a wide one
    where spaces are `drawn`, as they are where a good part of the letters are spaces.
    """
    drawn = drawn or sum(letter.text.isspace() for letter in letters) * _SPACED >= len(letters)
    within = _WIDE_GAP if drawn else _WORD_GAP
    spaced: list[Word] = []
    for letter in letters:
        text = " " if letter.text.isspace() else letter.text
        before = spaced[-1] if spaced else None
        if before is not None and before.text != " ":
            least = size * (_WORD_GAP if are_of_two_directions(before.text, text) else within)
            if within == _WIDE_GAP and (_is_mark(before.text) or _is_mark(text)):
                least = size * _MARKED_GAP
            if text != " " and letter.box.left - before.box.right > least:
                gap = Rect(before.box.right, letter.box.top, letter.box.left, letter.box.bottom)
                spaced.append(Word(gap, " ", letter.font))
        elif text == " ":
            continue
        if text.isprintable():
            spaced.append(letter._replace(text=text))
    return spaced


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


def font_size(letters: Sequence[Word], size_of: SizeOf) -> float:
    """The font size of a line's letters, their height where the font has another measure."""
    if not letters:
        return 0.0
    height = median(letter.box.height for letter in letters)
    size = size_of(letters[len(letters) // 2]) or height
    return size if height < _TALLER * size and size < _TALLER * height else height


def words_of(letters: Iterable[Word]) -> list[Word]:
    """The words that letters make in the order of reading, parted by spaces."""
    groups: list[list[Word]] = [[]]
    for letter in letters:
        if letter.text == " ":
            groups.append([])
        else:
            groups[-1].append(letter)
    return [
        Word(
            enclosing(letter.box for letter in group),
            "".join(letter.text for letter in group),
            Counter(letter.font for letter in group).most_common(1)[0][0],
        )
        for group in groups
        if group
    ]
