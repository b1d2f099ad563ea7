"""How much of a document its chunks hold: the characters of its body, and the words of its pages
that are in none of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from citeloom.domain.chunks.pieces import Piece
from citeloom.domain.chunks.pre_chunks import PreChunk
from citeloom.domain.documents.conversion import (
    LEAST_LOSS,
    BlockKind,
    ConversionResult,
    Fragment,
    LostWords,
)
from citeloom.domain.evaluation.page_recall import as_printed, lost_words, words_of
from citeloom.domain.text.tokens import joined_spans


class ChunkCoverage:
    """The parts of a document's text that are in some of its pre-chunks."""

    def __init__(self, result: ConversionResult, pre_chunks: Sequence[PreChunk]) -> None:
        self._result = result
        self._pre_chunks = pre_chunks
        # one part where pieces overlap, or only white space is between them
        parts = joined_spans(
            ((piece.start, piece.end) for pre_chunk in pre_chunks for piece in pre_chunk.pieces),
            lambda end, start: not result.plain_text[end:start].strip(),
        )
        self._starts = [start for start, _ in parts]
        self._ends = [end for _, end in parts]

    def _within(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The covered parts of `[start, end)`."""
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        for index in range(first, last):
            yield max(start, self._starts[index]), min(end, self._ends[index])

    def covered(self, pieces: Iterable[Piece]) -> int:
        """How many characters of the pieces are covered."""
        parts = (part for piece in pieces for part in self._within(piece.start, piece.end))
        return sum(end - start for start, end in parts)

    def losses(self) -> Losses:
        """What of each page is in no chunk, whether its conversion lost it or it was filtered."""
        uncovered: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for part in self._parts():
            at = part.start
            for start, end in (*self._within(part.start, part.end), (part.end, part.end)):
                if at < start and part.page is not None:
                    uncovered[part.page].append((at, start))
                at = end
        words = dict(self._result.lost_words)
        text = self._result.plain_text
        for page, places in sorted(uncovered.items()):
            parts = [text[start:end] for start, end in places]
            missing = lost_words([w for part in parts for w in as_printed(words_of(part), part)])
            before = words.get(page)
            if before is not None:
                missing = LostWords(count=before.count + missing.count, sample=before.sample)
            if missing.count:
                words[page] = missing
        lossy = {page for page, lost in words.items() if lost.count >= LEAST_LOSS}
        gaps = ((page, start) for page in lossy for start, _ in uncovered.get(page, ()))
        return Losses(dict(sorted(words.items())), self._beside(gaps))

    def _parts(self) -> Iterator[Fragment]:
        """What should be in some chunk: all that is seen, but for headings above a chunk."""
        headings, shown = self._result.headings, set[int | None]()
        for pre_chunk in self._pre_chunks:
            section = pre_chunk.section
            while section is not None and section not in shown:
                shown.add(section)
                section = headings[section].parent
        for block in self._result.blocks:
            is_shown = block.kind is BlockKind.HEADING and block.section in shown
            if block.kind is not BlockKind.HIDDEN and not is_shown:
                yield from block.fragments

    def _beside(self, gaps: Iterable[tuple[int, int]]) -> Set[int]:
        """The indexes of the pre-chunks that stand before or behind the gaps, on their pages."""
        places = sorted(
            (piece.start, index, piece.page)
            for index, pre_chunk in enumerate(self._pre_chunks)
            for piece in pre_chunk.pieces
        )
        beside = set()
        for page, start in gaps:
            behind = bisect_left(places, (start,))
            for _, index, of_page in places[max(behind - 1, 0) : behind + 1]:
                if of_page == page:
                    beside.add(index)
        return beside


@dataclass(frozen=True, slots=True)
class Losses:
    """By page the words that are in no chunk, and the indexes of the chunks next to them where a
    page loses many.
    """

    words: Mapping[int, LostWords]
    beside: Set[int]
