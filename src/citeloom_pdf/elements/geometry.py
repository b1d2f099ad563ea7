"""Rectangles and rules on a page, in PDF points from its top left corner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np


class Rect(NamedTuple):
    """A rectangle; it may be empty, as PDFs have such."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def area(self) -> float:
        """Its area; 0 if its sides are swapped."""
        return max(0.0, self.width) * max(0.0, self.height)

    @property
    def middle_x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def middle_y(self) -> float:
        return (self.top + self.bottom) / 2

    def union(self, other: Rect) -> Rect:
        return Rect(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def grown(self, across: float, down: float) -> Rect:
        """The rectangle with a margin added on each side."""
        return Rect(self.left - across, self.top - down, self.right + across, self.bottom + down)

    def mirrored(self) -> Rect:
        """The box as a mirror shows it, left and right exchanged."""
        return Rect(-self.right, self.top, -self.left, self.bottom)

    def turned(self, width: float, height: float, quarters: int) -> Rect:
        """The box where a page of this size has it once it is turned counter-clockwise."""
        box = self
        for _ in range(quarters % 4):
            box = Rect(box.top, width - box.right, box.bottom, width - box.left)
            width, height = height, width
        return box

    def clipped(self, width: float, height: float) -> Rect:
        """The part on a page of this size."""
        return Rect(
            max(0.0, self.left),
            max(0.0, self.top),
            min(width, self.right),
            min(height, self.bottom),
        )

    def shared_width(self, other: Rect) -> float:
        """The horizontal overlap of the two; negative for a gap."""
        return min(self.right, other.right) - max(self.left, other.left)

    def shared_height(self, other: Rect) -> float:
        """The vertical overlap of the two; negative for a gap."""
        return min(self.bottom, other.bottom) - max(self.top, other.top)

    def is_level(self, other: Rect) -> bool:
        """Whether they share more than half of the lower one's height, as what is in one row."""
        return self.shared_height(other) > 0.5 * min(self.height, other.height)

    def shared_area(self, other: Rect) -> float:
        """The overlapping area of the two."""
        width, height = self.shared_width(other), self.shared_height(other)
        return width * height if width > 0 and height > 0 else 0.0

    def touches(self, other: Rect) -> bool:
        return self.shared_width(other) > 0 and self.shared_height(other) > 0

    def lies_in(self, other: Rect, share: float = 0.5) -> bool:
        """Whether the other covers more than this share of it."""
        return self.shared_area(other) > share * self.area


class Rule(NamedTuple):
    """A straight line: `at` is its y (horizontal) or x (vertical), then its extent."""

    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start

    def shared(self, start: float, end: float) -> float:
        """The length of its part between two places; negative for a gap."""
        return min(self.end, end) - max(self.start, start)


def enclosing(boxes: Iterable[Rect]) -> Rect:
    """The smallest rectangle around all of them; there must be at least one."""
    lefts, tops, rights, bottoms = zip(*boxes)
    return Rect(min(lefts), min(tops), max(rights), max(bottoms))


def without_nested(boxes: Iterable[Rect], share: float = 0.5) -> list[Rect]:
    """The boxes, the largest first, without those of which a larger one covers this share."""
    outer: list[Rect] = []
    for box in sorted(boxes, key=lambda box: box.area, reverse=True):
        if not any(box.lies_in(other, share) for other in outer):
            outer.append(box)
    return outer


# The letters of a page by place.


class Glyph(NamedTuple):
    """A letter with its place in the text and on the page; `spaced` after white space. `at` is its
    position where PDFium counts white space, too.
    """

    order: int
    text: str
    box: Rect
    spaced: bool
    at: int = 0


class PlacedGlyphs:
    """Letters by their middle; `glyphs` are in the order of the text."""

    def __init__(self, glyphs: Sequence[Glyph]) -> None:
        sides = np.fromiter(chain.from_iterable(glyph.box for glyph in glyphs), float)
        left, top, right, bottom = sides.reshape(-1, 4).T
        self._glyphs = glyphs
        self._x, self._y = (left + right) / 2, (top + bottom) / 2

    def inside(self, box: Rect) -> list[Glyph]:
        """The letters with their middle in the box, in the order of the text."""
        x, y = self._x, self._y
        here = (x >= box.left) & (x <= box.right) & (y >= box.top) & (y <= box.bottom)
        return [self._glyphs[index] for index in np.flatnonzero(here).tolist()]
