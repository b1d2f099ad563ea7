"""On which pages, or in which paragraphs, the pieces of a chunk stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from citeloom.domain.chunk import PageBox, SectionType
from citeloom.domain.chunking.pieces import Piece
from citeloom.domain.conversion import BlockKind, ConversionResult, Fragment, SourcePlace
from citeloom.domain.printed_pages import span_labels
from citeloom.domain.sections import Paragraph, numbered_paragraphs
from citeloom.domain.source_map import SourceMap

_SECTION_TYPES: Mapping[BlockKind, SectionType] = {
    BlockKind.TITLE: SectionType.HEADING,
    BlockKind.HEADING: SectionType.HEADING,
    BlockKind.LIST_ITEM: SectionType.LIST,
    BlockKind.TABLE: SectionType.TABLE,
    BlockKind.CODE: SectionType.CODE_BLOCK,
}


class Places:
    """Finds the fragments of a document that hold given characters."""

    def __init__(self, result: ConversionResult) -> None:
        self._fragments = [f for block in result.blocks for f in block.fragments]
        self._starts = [f.start for f in self._fragments]
        self._labels = result.page_labels
        self._blocks_in_order = result.blocks
        self._source = SourceMap(result.blocks, result.source_runs)
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

    def page_starts(self, pieces: Sequence[Piece], offsets: Sequence[int]) -> tuple[int, ...]:
        """The offset in a chunk's text at which each page but the first begins.

        `offsets` are those of the pieces in the text. Empty for a single page, and where the text
        goes back to an earlier page.
        """
        pages = [
            (offset + max(fragment.start - piece.start, 0), fragment.page)
            for piece, offset in zip(pieces, offsets)
            for fragment in self._fragments_of(piece.start, piece.end)
            if fragment.page is not None
        ]
        numbers = [page for _, page in pages]
        if not numbers or numbers != sorted(numbers):
            return ()
        later = range(numbers[0] + 1, numbers[-1] + 1)
        return tuple(next(start for start, page in pages if page >= wanted) for wanted in later)

    def paragraphs(self, pieces: Iterable[Piece]) -> tuple[Paragraph, Paragraph]:
        """The first and the last paragraph any of the pieces has a character of."""
        touched = [block for p in pieces for block in self._blocks(p.start, p.end)]
        counted = [block for block in touched if self._paragraphs[block][1]] or touched
        return self._paragraphs[min(counted)][0], self._paragraphs[max(counted)][0]

    def _blocks(self, start: int, end: int) -> range:
        first = bisect_right(self._block_starts, start) - 1
        return range(first, bisect_left(self._block_starts, end))

    def source(self, pieces: Sequence[Piece]) -> SourcePlace | None:
        """The smallest part of the file that holds the pieces, where that is known."""
        return self._source.place(
            min(piece.start for piece in pieces), max(piece.end for piece in pieces)
        )

    def section_type(self, pieces: Iterable[Piece]) -> SectionType:
        """What most of the pieces' characters are; headings only count where all are."""
        weights: Counter[SectionType] = Counter()
        for piece in pieces:
            for index in self._blocks(piece.start, piece.end):
                block = self._blocks_in_order[index]
                length = min(block.end, piece.end) - max(block.start, piece.start)
                weights[_SECTION_TYPES.get(block.kind, SectionType.PARAGRAPH)] += length
        if len(weights) > 1:
            del weights[SectionType.HEADING]
        return weights.most_common(1)[0][0]

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
