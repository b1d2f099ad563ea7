"""Names of glyphs that a parser has for want of letters: `noteheads`, `clefs` in a score.

A font of music or symbols may say of a glyph nothing but its name. Such a name is set much narrower
than its letters would be, and is no word of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word

_NAME = re.compile(r"[A-Za-z]{4,}(?:[._][A-Za-z0-9]+)*")  # no ligature is as long
_NARROW = 0.14  # of its height: narrower than this for each letter, a word is not spelled out


class _Cell(Protocol):
    text: str
    r_x0: float
    r_x1: float
    r_y1: float
    r_y2: float


def has_names(words: Iterable[_Cell]) -> bool:
    """Whether a word of a page is too narrow for its letters."""
    return any(
        abs(word.r_x1 - word.r_x0) < _NARROW * abs(word.r_y2 - word.r_y1) * len(word.text)
        and _NAME.match(word.text)
        for word in words
    )


def without_names(text: str, box: Rect, named: Iterable[Word]) -> str:
    """A text without the names of the glyphs that are set in its box."""
    for glyph in named:
        if glyph.text in text and glyph.box.lies_in(box):
            before, _, behind = text.rpartition(glyph.text)
            text = f"{before} {behind}"
    return " ".join(text.split())


def is_name(text: str) -> bool:
    """Whether a single glyph is called by its name."""
    return _NAME.fullmatch(text) is not None
