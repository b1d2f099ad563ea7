"""Text in a normal form in which quotations are compared, with the way back to the original."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
_QUOTES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b`\u00b4\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
}
_SAME = {**_DASHES, **_QUOTES}
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])-[ \t]*\n\s*(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class NormalText:
    """A text's normal form, and the offset in the original of each of its characters.

    Case, ligatures, white space, the forms of dashes and quotation marks, invisible characters and
    hyphenation at line ends do not count; digits, signs and all other punctuation do. Superscript
    digits stay apart from plain ones: 10² is not 102.
    """

    text: str
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, original: str) -> NormalText:
        """The normal form of a text."""
        pairs = list(_collapsed(_characters(original)))
        return cls("".join(char for char, _ in pairs), tuple(place for _, place in pairs))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span in the original of the characters `[start, end)` of the normal form."""
        return self.offsets[start], self.offsets[end - 1] + 1


def _characters(original: str) -> Iterator[tuple[str, int]]:
    breaks = {at for m in _BROKEN_WORD.finditer(original) for at in range(m.start(), m.end())}
    for place, char in enumerate(original):
        if place not in breaks and char not in _INVISIBLE:
            yield from ((one, place) for one in _folded(char))


def _folded(char: str) -> str:
    if char in _SAME:
        return _SAME[char]
    if unicodedata.category(char) == "No":
        return char
    return "".join(_SAME.get(one, one) for one in unicodedata.normalize("NFKC", char).casefold())


def _collapsed(characters: Iterator[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """The characters with each run of white space as one space, and none at either end."""
    space: int | None = None
    begun = False
    for char, place in characters:
        if char.isspace():
            space = place if space is None else space
            continue
        if space is not None and begun:
            yield " ", space
        space, begun = None, True
        yield char, place
