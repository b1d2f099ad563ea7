"""From characters of the plain text back to those of the file it was read from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from citeloom.domain.conversion import Block, SourcePlace, SourceRun


class SourceMap:
    """Where the text of a document stands in its file; only for blocks with a `source`."""

    def __init__(self, blocks: Sequence[Block], runs: Sequence[SourceRun]) -> None:
        self._blocks = blocks
        self._starts = [block.start for block in blocks]
        self._runs = runs
        self._run_starts = [run.start for run in runs]

    def place(self, start: int, end: int) -> SourcePlace | None:
        """The smallest part of the file that holds characters `[start, end)` of the plain text.

        Marks at an end of a block, such as a bullet, belong to it; those within belong to the
        word they touch.
        """
        first, last = self._block_of(start), self._block_of(end - 1)
        if first.source is None or last.source is None:
            return None
        begins, ends = first.source.start_position, last.source.end_position
        if start > first.start:
            begins = self._end_of(start - 1)
        if end < last.end:
            ends = self._start_of(end)
        return SourcePlace(start_position=begins, end_position=ends)

    def _block_of(self, position: int) -> Block:
        return self._blocks[bisect_right(self._starts, position) - 1]

    def _run_of(self, position: int) -> SourceRun:
        return self._runs[bisect_right(self._run_starts, position) - 1]

    def _start_of(self, position: int) -> int:
        """Where the character begins in the file."""
        run = self._run_of(position)
        return run.source_start + (position - run.start if run.is_verbatim else 0)

    def _end_of(self, position: int) -> int:
        """Where the character ends in the file."""
        run = self._run_of(position)
        return run.source_start + position - run.start + 1 if run.is_verbatim else run.source_end
