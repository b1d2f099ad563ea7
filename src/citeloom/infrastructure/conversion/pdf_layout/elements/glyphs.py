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
        self._squares: dict[tuple[int, int], list[Glyph]] = defaultdict(list)
        for glyph in glyphs:
            self._squares[_square(glyph.box.middle_x, glyph.box.middle_y)].append(glyph)

    def inside(self, box: Rect) -> list[Glyph]:
        """The letters with their middle in the box, in the order of the text."""
        (left, top), (right, bottom) = _square(box.left, box.top), _square(box.right, box.bottom)
        near = (
            glyph
            for x in range(left, right + 1)
            for y in range(top, bottom + 1)
            for glyph in self._squares.get((x, y), ())
        )
        return sorted(
            glyph
            for glyph in near
            if box.left <= glyph.box.middle_x <= box.right
            and box.top <= glyph.box.middle_y <= box.bottom
        )


def _square(x: float, y: float) -> tuple[int, int]:
    return int(x // _SQUARE), int(y // _SQUARE)
