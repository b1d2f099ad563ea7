"""Text put together from parts of a file, each with its place there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

_SPACE = re.compile(r"[ \t\n\r\f]+")


@dataclass(frozen=True, slots=True)
class Part:
    """A text and the characters `[start, end)` of the file that it stands for."""

    text: str
    start: int
    end: int


@dataclass(slots=True)
class PlacedText:
    """Text in parts; white space is one space, as a reader sees it, unless it is kept."""

    parts: list[Part] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of all parts."""
        return "".join(part.text for part in self.parts)

    def add(self, text: str, start: int, end: int) -> None:
        """Add a text as it is."""
        if text:
            self.parts.append(Part(text, start, end))

    def add_words(self, text: str, start: int) -> None:
        """Add text that stands in the file word for word, its white space made single."""
        position = 0
        for space in _SPACE.finditer(text):
            self._add_verbatim(text[position : space.start()], start + position)
            self.add_space(" ", start + space.start(), start + space.end())
            position = space.end()
        self._add_verbatim(text[position:], start + position)

    def add_space(self, space: str, start: int, end: int) -> None:
        """Add white space behind a word; a line end takes the place of a space."""
        if not self.parts or not space:
            return
        last = self.parts[-1]
        if not last.text.isspace():
            self.add(space, start, end)
        elif space == "\n":
            self.parts[-1] = Part(space, last.start, end)

    def finish(self) -> PlacedText:
        """The text without white space at its end."""
        while self.parts and self.parts[-1].text.isspace():
            self.parts.pop()
        return self

    def _add_verbatim(self, text: str, start: int) -> None:
        self.add(text, start, start + len(text))


class Lines:
    """The lines of a text, and where in the file each begins."""

    def __init__(self, text: str, starts: Sequence[int]) -> None:
        self._begins = [0]
        for line in text.split("\n")[:-1]:
            self._begins.append(self._begins[-1] + len(line) + 1)
        self._starts = starts

    def place(self, position: int) -> int:
        """Where the character of the text stands in the file."""
        line = bisect_right(self._begins, position) - 1
        return self._starts[line] + position - self._begins[line]

    def place_in(self, line: int, column: int) -> int:
        """Likewise for a line, counted from 0, and a column in it."""
        return self._starts[line] + column
