"""The letters of a page by place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect

_SQUARE = 8.0  # points


class Glyph(NamedTuple):
    """A letter with its place in the text and on the page; `spaced` after white space."""

    order: int
    text: str
    box: Rect
    spaced: bool


class PlacedGlyphs:
    """Letters by their middle, in squares of the page."""

    def __init__(self, glyphs: Sequence[Glyph]) -> None:
        self._squares: dict[tuple[int, int], list[tuple[float, float, Glyph]]] = defaultdict(list)
        for glyph in glyphs:
            left, top, right, bottom = glyph.box
            x, y = (left + right) / 2, (top + bottom) / 2
            self._squares[_square(x, y)].append((x, y, glyph))

    def inside(self, box: Rect) -> list[Glyph]:
        """The letters with their middle in the box, in the order of the text."""
        left, top, right, bottom = box
        (first, upper), (last, lower) = _square(left, top), _square(right, bottom)
        return sorted(
            glyph
            for column in range(first, last + 1)
            for row in range(upper, lower + 1)
            for x, y, glyph in self._squares.get((column, row), ())
            if left <= x <= right and top <= y <= bottom
        )


def _square(x: float, y: float) -> tuple[int, int]:
    return int(x // _SQUARE), int(y // _SQUARE)
