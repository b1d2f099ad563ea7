"""On which pages, and where on them, a stretch of the plain text stands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from citeloom.domain.chunk import PageBox
from citeloom.domain.chunking.pieces import Piece
from citeloom.domain.conversion import ConversionResult, Fragment


class Places:
    """Finds the fragments of a document that hold given characters."""

    def __init__(self, result: ConversionResult) -> None:
        self._fragments = [f for block in result.blocks for f in block.fragments]
        self._starts = [f.start for f in self._fragments]
        self._labels = result.page_labels

    def fragments(self, start: int, end: int) -> list[Fragment]:
        """The fragments that share a character with `[start, end)`, in order.

        `start` must lie in a fragment.
        """
        first = bisect_right(self._starts, start) - 1
        return self._fragments[first : bisect_left(self._starts, end)]

    def page(self, piece: Piece) -> int:
        """The page a piece begins on."""
        return self.fragments(piece.start, piece.end)[0].page

    def span(self, pieces: Iterable[Piece]) -> tuple[int, int]:
        """The first and the last page any of the pieces has a character on."""
        pages = [f.page for p in pieces for f in self.fragments(p.start, p.end)]
        return min(pages), max(pages)

    def boxes(self, pieces: Iterable[Piece]) -> tuple[PageBox, ...]:
        """The boxes of all fragments the pieces touch, each once, in reading order."""
        touched = {f.start: f for p in pieces for f in self.fragments(p.start, p.end)}
        return tuple(PageBox(page=f.page, box=f.box) for _, f in sorted(touched.items()))

    def labels(self, span: tuple[int, int]) -> tuple[str, ...]:
        """The printed label of each page of the span, or none if any has none."""
        labels = tuple(self._labels.get(page, "") for page in range(span[0], span[1] + 1))
        return labels if all(labels) else ()
