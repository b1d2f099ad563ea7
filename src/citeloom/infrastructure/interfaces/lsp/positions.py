"""Places of a draft as the protocol counts them: lines from 0, columns in the client's units."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.workspace import PositionCodec


class Positions:
    """Converts offsets in a source, in code points, to positions and back."""

    def __init__(self, source: str, codec: PositionCodec) -> None:
        self._lines: Sequence[str] = source.split("\n")
        self._codec = codec
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def position(self, offset: int) -> types.Position:
        """The position of a character."""
        low, high = 0, len(self._lines) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._starts[middle] <= offset else (low, middle - 1)
        before = self._lines[low][: offset - self._starts[low]]
        return types.Position(line=low, character=self._codec.client_num_units(before))

    def range(self, start: int, end: int) -> types.Range:
        """The range of the characters `[start, end)`."""
        return types.Range(start=self.position(start), end=self.position(end))

    def offset(self, position: types.Position) -> int:
        """The offset of a position; of one behind the last line, that of the end."""
        if position.line >= len(self._lines):
            return self._starts[-1] - 1
        at = self._codec.position_from_client_units(self._lines, position)
        return self._starts[position.line] + min(at.character, len(self._lines[position.line]))
