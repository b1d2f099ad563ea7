"""Letters from the right in fonts without a level line, such as Nastaliq.

There each word descends to its end, and words stand above one another: neither the places of the
letters nor PDFium's order say how they are read.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from citeloom_pdf.elements.direction import has_from_right
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.parsing.fast_calls import LetterLooks, address_of
from citeloom_pdf.parsing.opened_pages import OpenedPage

_LEAST_STEPS = 10  # from letter to letter: of fewer, two that a program sets apart are many
# of the font size: letters in a row of other type are at one height, but for what joins two lines
_OFF_LINE = 0.05
_NEXT_LINE = 1.5  # of the font size: what is farther up or down is in another line
# of the steps: 47 to 58 of a hundred in 16 PDFs in Nastaliq of four programs, at most 7.4 in 224
# PDFs in other type
_DESCENDING = 0.25
_BESIDE, _ABOVE = 2.0, 4.0  # points by which a letter may begin outside the box of its block


class SetLetter(NamedTuple):
    """A letter from the right: its font and where it begins on the page as shown, how high that is
    across its line, and the number of its word.
    """

    font: str
    size: float
    x: float
    y: float
    height: float
    word: int


class LettersFromRight:
    """The letters from the right of a page, and which of their fonts descend."""

    def __init__(self, letters: Iterable[SetLetter]) -> None:
        in_order = list(letters)
        self._descending = _descending_fonts(in_order)
        self._letters = sorted(in_order, key=lambda letter: letter.y)
        self._heights = [letter.y for letter in self._letters]

    def descend_in(self, box: Rect | None) -> bool:
        """Whether most of the letters in a box are in fonts that descend; where none begins in it,
        or it is not known, whether all of the page are.
        """
        if not self._descending:
            return False
        within = [*self._within(box)] if box else []
        share = self._share(within or self._letters)
        return share > 0.5 if within else share == 1

    def _share(self, letters: Sequence[SetLetter]) -> float:
        return sum(letter.font in self._descending for letter in letters) / len(letters)

    def _within(self, box: Rect) -> Iterator[SetLetter]:
        first = bisect_left(self._heights, box.top - _ABOVE)
        last = bisect_right(self._heights, box.bottom + _ABOVE)
        for letter in self._letters[first:last]:
            if box.left - _BESIDE <= letter.x <= box.right + _BESIDE:
                yield letter


def _descending_fonts(letters: Sequence[SetLetter]) -> frozenset[str]:
    """The fonts in which the next letter of a word often is higher or lower."""
    steps: Counter[str] = Counter()
    off: Counter[str] = Counter()
    for before, letter in pairwise(letters):
        if (before.word, before.font) == (letter.word, letter.font):
            rise = abs(letter.height - before.height)
            if rise < _NEXT_LINE * letter.size:
                steps[letter.font] += 1
                off[letter.font] += rise > _OFF_LINE * letter.size
    return frozenset(
        font
        for font, count in steps.items()
        if count >= _LEAST_STEPS and off[font] > _DESCENDING * count
    )


def letters_from_right(page: OpenedPage) -> LettersFromRight:
    """The letters from the right of a page as they are set, without marks, in PDFium's order."""
    return LettersFromRight(_set_letters(page))


def _set_letters(page: OpenedPage) -> Iterator[SetLetter]:
    looks = LetterLooks(address_of(page.text.raw))
    word = 0
    for at, letter in enumerate(page.letters):
        word += letter.isspace()
        if has_from_right(letter) and unicodedata.category(letter) == "Lo":
            x, y = looks.origin(at)
            place = page.turning.shown(x, y, x, y)
            height = looks.height(at)
            yield SetLetter(looks.font(at), looks.size(at), place.left, place.top, height, word)
