"""On which pages, or in which paragraphs, the pieces of a chunk stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from citeloom.domain.chunk import PageBox
from citeloom.domain.chunking.pieces import Piece
from citeloom.domain.conversion import ConversionResult, Fragment
from citeloom.domain.printed_pages import span_labels
from citeloom.domain.sections import Paragraph, numbered_paragraphs


class Places:
    """Finds the fragments of a document that hold given characters."""

    def __init__(self, result: ConversionResult) -> None:
        self._fragments = [f for block in result.blocks for f in block.fragments]
        self._starts = [f.start for f in self._fragments]
        self._labels = result.page_labels
        self._block_starts = [block.start for block in result.blocks]
        self._paragraphs = numbered_paragraphs(result)

    def _fragments_of(self, start: int, end: int) -> list[Fragment]:
        """The fragments that share a character with `[start, end)`, in order.

        `start` must lie in a fragment.
        """
        first = bisect_right(self._starts, start) - 1
        return self._fragments[first : bisect_left(self._starts, end)]

    def span(self, pieces: Iterable[Piece]) -> tuple[int, int] | None:
        """The first and the last page any of the pieces has a character on, if there are pages."""
        fragments = (f for p in pieces for f in self._fragments_of(p.start, p.end))
        pages = [f.page for f in fragments if f.page is not None]
        return (min(pages), max(pages)) if pages else None

    def paragraphs(self, pieces: Iterable[Piece]) -> tuple[Paragraph, Paragraph]:
        """The first and the last paragraph any of the pieces has a character of."""
        touched = [block for p in pieces for block in self._blocks(p.start, p.end)]
        counted = [block for block in touched if self._paragraphs[block][1]] or touched
        return self._paragraphs[min(counted)][0], self._paragraphs[max(counted)][0]

    def _blocks(self, start: int, end: int) -> range:
        first = bisect_right(self._block_starts, start) - 1
        return range(first, bisect_left(self._block_starts, end))

    def boxes(self, pieces: Iterable[Piece]) -> tuple[PageBox, ...]:
        """The boxes of all fragments the pieces touch, each once, in reading order."""
        touched = {f.start: f for p in pieces for f in self._fragments_of(p.start, p.end)}
        return tuple(
            PageBox(page=f.page, box=f.box)
            for _, f in sorted(touched.items())
            if f.page is not None and f.box is not None
        )

    def labels(self, span: tuple[int, int] | None) -> tuple[str, ...]:
        """The printed label of each page of the span, or none if any has none."""
        return span_labels(self._labels, span)
