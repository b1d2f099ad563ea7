"""Lines and words that are taller than their letters: letters that reach far beyond them are left
out of their boxes, and what runs on from one row into the next is parted.

A clef between words, or a letter of a Type 3 font that declares a box of half a page, makes its
line so tall that the words of its neighbours stand in it. A label in the margin that ends where the
second line of its text begins is one word with that.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from statistics import median

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.parsing.accents import Character

_TALL = 1.8  # of the usual height of lines: what is taller is looked at
_FAR = 1.7  # of the usual height of its letters: a taller one reaches beyond its line
_WIDE = 3.0  # of that height: what is as wide, besides, is at no place to rely on
_FEW = 0.4  # of its letters: where more are as tall, they are the line
_SAME_PLACE = 1.0  # points between the box of a line and that of its letters
_SAME_SIZE = 0.7  # of the taller one: rows of text are as tall, a script is not


class TallLetters:
    """The letters of a page, read only if a line is taller than lines usually are."""

    def __init__(self, lines: Sequence[Rect], letters: Callable[[], list[Character]]) -> None:
        self._tall = _TALL * median(line.height for line in lines) if lines else 0.0
        self._read = letters

    def is_tall(self, box: Rect) -> bool:
        """Whether a line or word is taller than lines usually are."""
        return box.height > self._tall

    def parts(self, text: str, box: Rect) -> list[tuple[str, Rect]]:
        """An upright line or word, row by row, each with the box of its usual letters."""
        letters = self._letters_of("".join(text.split()), box) if self.is_tall(box) else []
        if not letters:
            return [(text, box)]
        rows = list(_rows(letters))
        if len(rows) == 1:
            return [(text, _box_of(rows[0]) or box)]
        ends = accumulate(sum(len(letter.text) for letter in row) for row in rows)
        texts = _cut(text, list(ends))
        return [(part, enclosing(c.box for c in row)) for part, row in zip(texts, rows)]

    def _letters_of(self, text: str, box: Rect) -> list[Character]:
        """The letters that make up a text in this place; none if they differ."""
        page, starts = self._text, self._starts
        at = page.find(text)
        while at >= 0:
            letters = self._letters[bisect_left(starts, at) : bisect_left(starts, at + len(text))]
            if (
                letters
                and _may_hold(box, letters[0].box)  # a short text occurs in many other places
                and _are_near(enclosing(letter.box for letter in letters), box)
            ):
                return letters
            at = page.find(text, at + 1)
        return []

    @cached_property
    def _letters(self) -> list[Character]:
        return [letter for letter in self._read() if letter.text.strip()]

    @cached_property
    def _text(self) -> str:
        return "".join(letter.text for letter in self._letters)

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((len(letter.text) for letter in self._letters), initial=0))


def _may_hold(box: Rect, letter: Rect) -> bool:
    """Whether a letter is nowhere farther out than it may be."""
    return (
        letter.left >= box.left - _SAME_PLACE
        and letter.right <= box.right + _SAME_PLACE
        and letter.top >= box.top - _SAME_PLACE
        and letter.bottom <= box.bottom + _SAME_PLACE
    )


def _are_near(first: Rect, second: Rect) -> bool:
    return max(abs(side - other) for side, other in zip(first, second)) <= _SAME_PLACE


def _rows(letters: Sequence[Character]) -> Iterator[list[Character]]:
    """The letters, parted where one stands wholly below or above the one before it."""
    row = [letters[0]]
    for before, letter in pairwise(letters):
        heights = sorted((before.box.height, letter.box.height))
        if heights[0] >= _SAME_SIZE * heights[1] and before.box.shared_height(letter.box) <= 0:
            yield row
            row = []
        row.append(letter)
    yield row


def _box_of(letters: Sequence[Character]) -> Rect | None:
    """The box of letters without those that are far taller than most; None if many are."""
    boxes = [letter.box for letter in letters]
    usual = median(box.height for box in boxes)
    near = [box for box in boxes if box.height <= _FAR * usual]
    if len(boxes) - len(near) > _FEW * len(boxes):
        return None
    placed = [box for box in boxes if box.height <= _FAR * usual or box.width <= _WIDE * usual]
    return enclosing(near)._replace(
        left=min(box.left for box in placed), right=max(box.right for box in placed)
    )


def _cut(text: str, ends: Sequence[int]) -> Iterator[str]:
    """The text in parts that end after so many characters other than white space."""
    counts = list(accumulate(not character.isspace() for character in text))
    start = 0
    for end in ends:
        stop = bisect_left(counts, end) + 1
        yield text[start:stop].strip()
        start = stop
