"""Lines of scripts whose letters carry marks above, below and beside them, read anew by letters.

The parser parts words of Thai, Hindi and the like at their marks, and makes lines of the marks.
The letters follow each other as they are written, whatever program drew them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise

from citeloom_pdf.elements.fonts import SizeOf
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.drawn_letters import without_repeats
from citeloom_pdf.parsing.letter_rows import (
    AsPrinted,
    as_it_is,
    font_size,
    letters_of,
    rows_with,
    with_spaces,
    words_of,
)
from citeloom_pdf.parsing.lines import Cell

# from Devanagari to Sinhala, Thai and Lao, Burmese, Khmer
_SCRIPTS = re.compile("[\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_SPACED = 50  # letters of a page with drawn spaces that have one among them at least
_AM = ("\u0e33", "\u0eb3")  # vowels of Thai and Lao that are a mark and a letter
_BACK = 1.0  # of the font size: a letter that stands farther back begins another part of a line
_NEAR = 1.0  # of the height of a letter: how far from it a mark may stand


def has_joined_marks(text: str) -> bool:
    """Whether a text has a letter or mark of such a script."""
    return not text.isascii() and _SCRIPTS.search(text) is not None


def with_lines_of_letters(
    cells: Sequence[Cell],
    words: Sequence[Word],
    letters: Sequence[Word],
    size_of: SizeOf,
    as_printed: AsPrinted = as_it_is,
) -> tuple[list[Cell], list[Word]]:
    """The parts of lines and the words; where a line is of such a script, it is one part and its
    words are those that its `letters` make as they follow each other.
    """
    groups = rows_with(cells, has_joined_marks)
    boxes = [enclosing(cell.box for cell in group) for group in groups]
    grouped = {id(cell) for group in groups for cell in group}
    others = [cell for cell in cells if id(cell) not in grouped]
    found = letters_of([*boxes, *(cell.box for cell in others)], _with_marks(letters))
    # a line of Thai may have none, where others of its page have
    drawn = sum(letter.text.isspace() for letter in letters) * _SPACED >= len(letters)
    near = [box.grown(0, _NEAR * box.height) for box, row in zip(boxes, found) if row]
    new_cells: list[Cell] = []
    new_words: list[Word] = []
    for group, box, row in zip(groups, boxes, found):
        if row:
            size = font_size(row, size_of)
            printed = [c._replace(text=as_printed(c.text, c.box, c.font)) for c in row]
            read = words_of(with_spaces(_in_order(printed, size), size, drawn=drawn))
            new_words += read
            longest = max(group, key=lambda cell: len(cell.text))
            text = " ".join(word.text for word in read)
            new_cells.append(longest._replace(box=box, text=text))
        else:
            others += (cell for cell in group if not _is_read(cell, near))
    replaced = {id(word) for row in letters_of([c.box for c in new_cells], words) for word in row}
    marks = {id(word) for word in words if _is_of_marks(word.text) and has_joined_marks(word.text)}
    kept = [word for word in words if id(word) not in replaced | marks]
    return [*others, *new_cells], kept + new_words


def _is_read(cell: Cell, near: Iterable[Rect]) -> bool:
    """Whether a part is of marks alone, whose letters stand in a line."""
    return _is_of_marks(cell.text) and any(cell.box.lies_in(box) for box in near)


def _is_of_marks(text: str) -> bool:
    return all(letter.isspace() or unicodedata.category(letter)[0] == "M" for letter in text)


def _with_marks(letters: Iterable[Word]) -> list[Word]:
    """The letters, each with the marks that follow it."""
    whole: list[Word] = []
    for letter in without_repeats(letters):
        before = whole[-1] if whole else None
        if before is not None and has_joined_marks(letter.text) and _is_mark_of(before, letter):
            right = max(before.box.right, letter.box.right)
            box = before.box._replace(right=right)
            whole[-1] = before._replace(box=box, text=before.text + letter.text)
        else:
            whole.append(letter)
    return whole


def _is_mark_of(letter: Word, mark: Word) -> bool:
    reach = _NEAR * max(letter.box.height, mark.box.height)
    near = letter.box.left - reach <= mark.box.middle_x <= letter.box.right + reach
    level = abs(mark.box.middle_y - letter.box.middle_y) <= 2 * reach
    joins = _is_of_marks(mark.text[:1]) or mark.text.startswith(_AM)
    return near and level and joins and not letter.text.isspace()


def _in_order(letters: Sequence[Word], size: float) -> Sequence[Word]:
    """The letters as they follow each other, from left to right where they go back and forth."""
    if any(
        behind.box.left < before.box.left - _BACK * size for before, behind in pairwise(letters)
    ):
        return sorted(letters, key=lambda letter: letter.box.left)
    return letters
