"""Non-joiners of Arabic letters, which Persian writes between the parts of a word, by what programs
draw for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from citeloom_pdf.elements.direction import is_arabic
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.elements.text import NON_JOINER
from citeloom_pdf.parsing.opened_pages import OpenedPage

_DRAWN = frozenset({"", " ", NON_JOINER})
_TOUCHING, _LEAST = 0.1, 0.05  # of the width of the glyph; points: how far letters are from it
_SAME_PLACE = 0.3  # points between where PDFium and the parser have a glyph at most


def with_non_joiners(letters: Sequence[Word], page: OpenedPage) -> list[Word]:
    """The letters as they are drawn, each with the non-joiner that is behind it or, in the code of
    its own glyph, before it.

    Browsers and word processors draw one as a glyph without a code, TeX's engines as a space, which
    moves the pen no further: the letter before it begins where it does, or in LuaTeX where it ends,
    and the one behind it ends there.
    Typst gives one to the glyph behind it, of which the parser has the letter alone.
    """
    whole = [*letters]
    for at, glyph in enumerate(letters):
        if glyph.text in _DRAWN and 0 < at < len(letters) - 1:
            before = _before(letters, at)
            if before is not None:
                whole[before] = whole[before]._replace(text=letters[before].text + NON_JOINER)
                whole[at] = glyph._replace(text="")
    places = sorted((letter.box.left, at) for at, letter in enumerate(letters))
    for box in _coded(page):
        first = bisect_left(places, (box.left - _SAME_PLACE,))
        last = bisect_left(places, (box.left + _SAME_PLACE,))
        for _, at in places[first:last]:
            letter = whole[at]
            level = letter.box.shared_height(box) > 0 and letter.box.width > 0
            if level and is_arabic(letter.text) and NON_JOINER not in letter.text:
                whole[at] = letter._replace(text=NON_JOINER + letter.text)
    return whole


def _before(letters: Sequence[Word], at: int) -> int | None:
    """The place of the letter before a non-joiner, if a glyph is one."""
    glyph = letters[at]
    beside = [*_inked(letters, at, -1), *_inked(letters, at, 1)]
    if len(beside) < 2 or not all(is_arabic(letters[n].text) for n in beside):
        return None
    reach = max(_TOUCHING * glyph.box.width, _LEAST)
    for edge in (glyph.box.left, glyph.box.right):
        starts = [n for n in beside if abs(letters[n].box.left - edge) <= reach]
        ends = [n for n in beside if abs(letters[n].box.right - edge) <= reach]
        if starts and (ends or glyph.text == NON_JOINER):
            return starts[0]
    return None


def _inked(letters: Sequence[Word], at: int, step: int) -> list[int]:
    """The place of the letter with a width that is drawn next to a glyph."""
    at += step
    while 0 <= at < len(letters) and letters[at].box.width <= 0:
        at += step
    return [at] if 0 <= at < len(letters) else []


def _coded(page: OpenedPage) -> Iterator[Rect]:
    """The boxes of the glyphs whose code PDFium has with a non-joiner."""
    at = page.letters.find(NON_JOINER) if NON_JOINER in page.whole else -1
    while at >= 0:
        yield page.turning.shown(*page.text.get_charbox(at, loose=True))
        at = page.letters.find(NON_JOINER, at + 1)
