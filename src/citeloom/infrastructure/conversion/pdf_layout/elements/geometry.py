"""Rectangles and rules on a page, in PDF points from its top left corner."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Rect(NamedTuple):
    """A rectangle; one of no extent is allowed, as PDFs have such."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Its horizontal extent."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Its vertical extent."""
        return self.bottom - self.top

    @property
    def area(self) -> float:
        """Its area; none where it is inside out."""
        return max(0.0, self.width) * max(0.0, self.height)

    @property
    def middle_x(self) -> float:
        """Where its vertical axis stands."""
        return (self.left + self.right) / 2

    @property
    def middle_y(self) -> float:
        """Where its horizontal axis stands."""
        return (self.top + self.bottom) / 2

    def union(self, other: Rect) -> Rect:
        """The smallest rectangle that holds both."""
        return Rect(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def grown(self, across: float, down: float) -> Rect:
        """The rectangle with a margin added on each side."""
        return Rect(self.left - across, self.top - down, self.right + across, self.bottom + down)

    def clipped(self, width: float, height: float) -> Rect:
        """The part that lies on a page of this size."""
        return Rect(
            max(0.0, self.left),
            max(0.0, self.top),
            min(width, self.right),
            min(height, self.bottom),
        )

    def shared_width(self, other: Rect) -> float:
        """How far the two overlap across; negative is the gap between them."""
        return min(self.right, other.right) - max(self.left, other.left)

    def shared_height(self, other: Rect) -> float:
        """How far the two overlap down; negative is the gap between them."""
        return min(self.bottom, other.bottom) - max(self.top, other.top)

    def shared_area(self, other: Rect) -> float:
        """The area both cover."""
        width, height = self.shared_width(other), self.shared_height(other)
        return width * height if width > 0 and height > 0 else 0.0

    def touches(self, other: Rect) -> bool:
        """Whether the two share any area."""
        return self.shared_width(other) > 0 and self.shared_height(other) > 0

    def lies_in(self, other: Rect, share: float = 0.5) -> bool:
        """Whether more than this share of it is covered by the other."""
        return self.shared_area(other) > share * self.area


class Rule(NamedTuple):
    """A straight drawn line: `at` is its y (horizontal) or x (vertical), then where it runs."""

    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        """How long it is."""
        return self.end - self.start


def enclosing(boxes: Iterable[Rect]) -> Rect:
    """The smallest rectangle that holds all of them; there must be one at least."""
    lefts, tops, rights, bottoms = zip(*boxes)
    return Rect(min(lefts), min(tops), max(rights), max(bottoms))
