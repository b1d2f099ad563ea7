"""Lines with each of their letters at its place, for what a line of words does not show."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol
from unicodedata import combining

from citeloom_pdf.elements.direction import has_from_right
from citeloom_pdf.elements.fonts import font_kind
from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.elements.patterns import BULLET
from citeloom_pdf.parsing.formula_letters import is_code, styled, with_angles_alike
from citeloom_pdf.parsing.spacing import matched_glyphs

SMALL = 0.9  # of the size of the letter before: a script is smaller
RAISED = 0.15  # of that size: how far its baseline is above
FARTHEST = 1.2  # of that size: farther off it belongs to another row
_BELOW = 0.1  # of that size: how far below, where nothing else tells that it is a script
_ATTACHED = 0.2  # of the font size: a script is no farther behind its letter
_TALL = 2  # of the height of a letter: what is higher spans several rows
_ITALIC = 0.5  # of a line whose words are in italics
_VARIABLE = 2  # letters, with its script
_FIGURE = re.compile(r"\d")
_HANGING = re.compile(r"cmex|lmex|txex|pxex|mtex|esint|lmmathextension", re.IGNORECASE)
# what is drawn above a letter as its accent, of which some are signs elsewhere
_OVER = {
    "^": "\u0302",
    "\u02c6": "\u0302",
    "~": "\u0303",
    "\u02dc": "\u0303",
    "\u00af": "\u0304",
    "\u203e": "\u0304",
    "\u02d9": "\u0307",
    "\u2192": "\u20d7",
    "\u20d7": "\u20d7",
}
_SHARED = 0.6  # of the narrower one's width: so much of an accent and its letter is shared
_WIDE = 1.6  # of the width of its letter: a wider accent may be over several
_GREEK = "\u0391-\u03c9"
_SIGN = re.compile(
    rf"(?<![{_GREEK}\u1f00-\u1fff])[{_GREEK}](?![{_GREEK}\u0370-\u0390\u03ca-\u03ff\u1f00-\u1fff])"
    r"|[\u20d7\u2113\u2126\u2200-\u220f\u2211\u2213-\u22ff\U0001d400-\U0001d7ff]"
)


class LetterPlaces(Protocol):
    """Tells how PDFium sets a letter, by its position in the text of the page."""

    def baseline(self, position: int) -> float:
        """How far its baseline is up the page, in points."""
        ...

    def size(self, position: int) -> float:
        """The size of its font in points."""
        ...

    def font(self, position: int) -> str:
        """The name of its font."""
        ...


class Script(NamedTuple):
    raised: bool
    base: int  # the letter of the line that it belongs to


@dataclass(slots=True)
class LetteredLine:
    """A line with its letters, each with its place where PDFium has it, and which begin words.

    `parts` are the letters that begin what is above or below a bar, `rows` all of each of these,
    and `under_bars` the lower ones of fractions that are no powers; the signs of fractions and
    roots stand `before` and `behind` letters. `inner` are the scripts within scripts; `has_math`
    says whether a letter of a font of mathematics or a sign of it is in the line, `is_garbled`
    whether a letter stands for a sign of such a font that has no code, and `is_torn` whether a
    fraction lacks letters that stand by its bar. `stacked` are the boxes of sums and the like with
    what is set above and below them, and of rows in brackets.
    """

    line: Line
    letters: str
    glyphs: Sequence[Glyph | None]
    size: float
    first: set[int]
    has_math: bool = True
    is_garbled: bool = False
    is_torn: bool = False
    inner: dict[int, Script] = field(default_factory=dict)
    degrees: dict[int, str] = field(default_factory=dict)
    parts: set[int] = field(default_factory=set)
    rows: list[Sequence[int]] = field(default_factory=list)
    under_bars: list[Sequence[int]] = field(default_factory=list)
    scripts: dict[int, Script] = field(default_factory=dict)
    before: dict[int, str] = field(default_factory=dict)
    behind: dict[int, str] = field(default_factory=dict)
    stacked: list[Rect] = field(default_factory=list)


def is_mathematical(line: Line) -> bool:
    """Whether some of a line is set as mathematics, or has signs of it among words in text; a
    bullet of a symbol font is none.
    """
    if _SIGN.search(line.text):
        return True
    return line.style.math > 0 and any(font_kind(word.font).math for word in behind_bullet(line))


def has_variable(line: Line) -> bool:
    """Whether a word among upright ones may be a variable in the italics of the text, maybe with
    its script: `x`, `xi`.
    """
    return 0 < line.style.italic <= _ITALIC and any(
        len(word.text) <= _VARIABLE and font_kind(word.font).italic for word in line.words
    )


def behind_bullet(line: Line) -> Sequence[Word]:
    """The words of a line, without the bullet of an item."""
    return line.words[1:] if BULLET.match(line.text) else line.words


def may_have_scripts(
    line: Line, placed: PlacedGlyphs, places: LetterPlaces, is_with_math: bool
) -> bool:
    """Whether a line has small letters, or such of an alphabet or the signs of mathematics.

    `is_with_math` says whether its page has mathematics, which may begin within a word: `(x`.
    """
    has_math = is_mathematical(line)
    if not (is_with_math or _FIGURE.search(line.text)):
        return False
    glyphs = placed.inside(line.box)
    limit = SMALL * line_size(line, glyphs, places)
    if any(
        places.size(glyph.at) <= limit for glyph in glyphs if is_with_math or glyph.text.isdigit()
    ):
        return True
    return has_math and (
        not _OVER.keys().isdisjoint(line.text) or any(_is_styled(glyph, places) for glyph in glyphs)
    )


def _is_styled(glyph: Glyph, places: LetterPlaces) -> bool:
    if glyph.text.isascii() and not glyph.text.isalnum():
        return False
    font = places.font(glyph.at)
    return styled(glyph.text, font) != glyph.text or is_code(glyph.text, font)


def line_size(line: Line, glyphs: Iterable[Glyph | None], places: LetterPlaces) -> float:
    """The size of a line: of a formula that of its largest letters, since its first ones may be a
    limit's, and a large sign is taller than its font.
    """
    if not is_mathematical(line):
        return line.size
    return max((places.size(glyph.at) for glyph in glyphs if glyph), default=line.size)


def lettered_line(line: Line, placed: PlacedGlyphs, places: LetterPlaces) -> LetteredLine:
    words = line.text.split()
    letters = "".join(words)
    first = set(accumulate(map(len, words), initial=0))
    glyphs = _matched(letters, placed.inside(line.box), places)
    if has_from_right(letters):
        _match_from_left(glyphs, line, placed)
    fonts = [places.font(glyph.at) if glyph else "" for glyph in glyphs]
    has_math = is_mathematical(line) or any(
        font_kind(font).math and not BULLET.match(f"{letter}x")
        for letter, font in zip(letters, fonts)
    )
    is_garbled = any(map(is_code, letters, fonts))
    has_math = has_math or _has_variables(letters, glyphs, first, places)
    if has_math:
        letters = with_angles_alike("".join(map(styled, letters, fonts)))
    size = line_size(line, glyphs, places)
    read = LetteredLine(line, letters, glyphs, size, first, has_math, is_garbled)
    if has_math and not _OVER.keys().isdisjoint(letters):
        _set_accents(read, glyphs, placed.inside(line.box))
    return read


def _set_accents(read: LetteredLine, glyphs: list[Glyph | None], inside: Sequence[Glyph]) -> None:
    """Write each sign that is drawn above a letter as the accent of that, behind it; one above
    several letters tears the line.
    """
    letters = list(read.letters)
    composed = {(each.at, mark.text) for each, mark in pairwise(inside) if combining(mark.text)}
    for at, letter in enumerate(letters):
        accent = glyphs[at]
        if letter not in _OVER:
            continue
        if accent is None:  # above the line, or part of its letter
            base = glyphs[at + 1] if at + 1 < len(letters) else None
            if base and (base.at, _OVER[letter]) in composed:
                letters[at : at + 2] = letters[at + 1], _OVER[letter]
                glyphs[at] = base
                read.first.discard(at + 1)
            else:
                read.is_torn |= letters[at + 1 : at + 2] != [] and letters[at + 1].isalpha()
            continue
        for other in (at + 1, at - 1):
            base = glyphs[other] if 0 <= other < len(letters) else None
            if base is None or not letters[other].isalpha() or not _is_above(accent, base):
                continue
            if accent.box.width > _WIDE * base.box.width:
                read.is_torn |= accent.box.width > read.size
            start, end = sorted((at, other))
            letters[start : end + 1] = letters[other], _OVER[letter]
            glyphs[start : end + 1] = base, base
            read.first.discard(end)
            break
    read.letters = "".join(letters)


def _is_above(accent: Glyph, base: Glyph) -> bool:
    shared = accent.box.shared_width(base.box) / max(0.1, min(accent.box.width, base.box.width))
    return shared >= _SHARED and accent.box.middle_y < base.box.middle_y


def _match_from_left(glyphs: list[Glyph | None], line: Line, placed: PlacedGlyphs) -> None:
    """Put words from the left, and the figures of others, in their places in text from the right,
    of which PDFium may have another order; the letters of each stand from left to right.
    """
    words = line.text.split()
    starts = [*accumulate(map(len, words), initial=0)]
    as_they_follow = [*glyphs]
    for text, start in zip(words, starts):
        if not has_from_right(text):
            glyphs[start : start + len(text)] = [None] * len(text)
    found = {glyph.at for glyph in glyphs if glyph}
    boxes = defaultdict[str, list[Rect]](list)
    for word in line.words:
        boxes[word.text].append(word.box)
    for text, start in zip(words, starts):
        lacking = [
            at
            for at, letter in enumerate(text, start)
            if not glyphs[at] and (letter.isdigit() or not has_from_right(letter))
        ]
        inside = placed.inside(boxes[text].pop()) if boxes[text] and lacking else []
        for glyph in sorted(inside, key=lambda glyph: glyph.box.left):
            at = next((at for at in lacking if text[at - start] == glyph.text), None)
            if at is not None and glyph.at not in found:
                glyphs[at] = glyph
                found.add(glyph.at)
                lacking.remove(at)
    for at, other in enumerate(as_they_follow):
        if glyphs[at] is None and other is not None and other.at not in found:
            glyphs[at] = other


def _has_variables(
    letters: str, glyphs: Sequence[Glyph | None], first: Set[int], places: LetterPlaces
) -> bool:
    """Whether a letter has a script that prose has not: one below it, or one above, where that or
    the letter stands alone and is italic, as mathematics in the italics of a text is set.
    """
    for at, (before, glyph) in enumerate(pairwise(glyphs), start=1):
        if before is None or glyph is None or not (before.text.isalnum() or combining(before.text)):
            continue
        size = places.size(before.at)
        if places.size(glyph.at) > SMALL * size or not is_attached(glyph, before):
            continue
        shift = places.baseline(glyph.at) - places.baseline(before.at)
        if abs(shift) > FARTHEST * size:
            continue
        if shift <= -_BELOW * size and letters[at].isalnum():
            return True
        is_lone = at - 1 in first or not letters[at - 2].isalpha()
        if shift >= RAISED * size and is_lone and _is_variable((before, glyph), places):
            return True
    return False


def _is_variable(pair: Sequence[Glyph], places: LetterPlaces) -> bool:
    """Whether a letter or its script is italic, and no other letter is upright."""
    italic = [font_kind(places.font(each.at)).italic for each in pair if each.text.isalpha()]
    return bool(italic) and all(italic)


def is_attached(glyph: Glyph, before: Glyph | None) -> bool:
    """Whether a letter, which a parser may have behind a space, is set right behind another; a
    bracket may be as high as the rows of a matrix.
    """
    if before is None:
        return False
    gap, height = glyph.box.left - before.box.right, glyph.box.height
    return gap <= _ATTACHED * max(height, min(before.box.height, _TALL * height))


def hangs(glyph: Glyph, places: LetterPlaces) -> bool:
    """Whether it is of a font whose large signs hang below their baseline."""
    return _HANGING.search(places.font(glyph.at)) is not None


def _standing(glyph: Glyph, letter: str, places: LetterPlaces) -> Glyph | None:
    """The glyph as the letter, unless it hangs."""
    return None if hangs(glyph, places) else glyph._replace(text=letter)


def _matched(letters: str, glyphs: Sequence[Glyph], places: LetterPlaces) -> list[Glyph | None]:
    """For each letter its glyph; one that PDFium reads as another sign has the place between."""
    matched = matched_glyphs(letters, glyphs)
    orders = {glyph.order: at for at, glyph in enumerate(glyphs)}
    for at, glyph in enumerate(matched):
        before = matched[at - 1] if at else None
        if glyph is not None or before is None:
            continue
        end = next((n for n in range(at, len(matched)) if matched[n] is not None), None)
        last = orders[before.order] + 1
        behind = matched[end] if end is not None else None
        free = (orders[behind.order] if behind else len(glyphs)) - last
        if free == (end if end is not None else len(matched)) - at:
            pairs = zip(range(at, at + free), glyphs[last : last + free])
            matched[at : at + free] = [_standing(g, letters[n], places) for n, g in pairs]
    return matched
