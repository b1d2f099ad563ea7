"""Superscripts, subscripts and fractions, by the size and the place of their letters.

A parser has `10` and a raised `3` as `103`. What belongs to the letter or number before it is
written as Unicode has it (`10³`, `H₂O`), or else behind `^` or `_`. The number of a note behind a
word is none of these, and stays as it was. What is above and below a bar is written with a slash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from statistics import median
from typing import NamedTuple, Protocol

from citeloom_pdf.elements.direction import has_from_right
from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect
from citeloom_pdf.elements.page import Line
from citeloom_pdf.parsing.fractions import find_fractions, touches_bar
from citeloom_pdf.parsing.spacing import matched_glyphs


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-")


_SMALL = 0.86  # of the size of the letter before: a script is smaller
_RAISED, _LOWERED = 0.15, 0.05  # of that size: how far its baseline is off
_FARTHEST = 1.2  # of that size: farther off it belongs to another row
_MONO = 0.5  # of a line in a typewriter font: its letters are code
_SHORT = 2  # letters of a product, as in `mc²`: a longer name is a word
_NUMBER = re.compile(r"\d+([.,]\d+)*")
_FIGURE = re.compile(r"\d")
_SIGNS = frozenset("+-=()\u2212\u2013")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_PRIMES = frozenset("\u2032\u2033\u2034'")
_BAR = "\0"  # stands for a fraction's slash until the spaces about it are known
_CLOSING = (")", "]", "}", "|")
_UNITS = frozenset("m cm km mm nm µm μm s ms kg g mg ha h d Hz Pa mol L l dm yr px".split())
_RAISED_FORMS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᵠᵡ"
_LOWERED_FORMS = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ"
_SUPER = {_plain(form): form for form in _RAISED_FORMS}
_SUB = {_plain(form): form for form in _LOWERED_FORMS}


class LetterPlaces(Protocol):
    """Tells how PDFium sets a letter, by its position in the text of the page."""

    def baseline(self, position: int) -> float:
        """How far its baseline is up the page, in points."""
        ...

    def size(self, position: int) -> float:
        """The size of its font in points."""
        ...


class _Script(NamedTuple):
    raised: bool
    base: int  # the letter of the line that it belongs to


@dataclass(frozen=True, slots=True)
class _Read:
    """A line with its letters, each with its place where PDFium has it, and which begin words.

    `parts` are the letters that begin what is above or below a bar; the signs of fractions stand
    `before` and `behind` letters.
    """

    line: Line
    letters: str
    glyphs: Sequence[Glyph | None]
    first: Set[int]
    parts: set[int] = field(default_factory=set)
    scripts: dict[int, _Script] = field(default_factory=dict)
    before: dict[int, str] = field(default_factory=dict)
    behind: dict[int, str] = field(default_factory=dict)


def with_scripts(
    lines: Sequence[Line], placed: PlacedGlyphs, places: LetterPlaces, bars: Sequence[Rect]
) -> list[Line]:
    """The lines with their superscripts, subscripts and fractions as such."""
    has_math = any(line.style.math for line in lines)
    read: dict[int, _Read] = {}
    barred: list[_Read | None] = []  # one after another; None where a line is without a bar
    for index, line in enumerate(lines):
        if line.rotated or line.style.mono > _MONO or _has_fraction_from_right(line, bars):
            continue
        near = has_math and touches_bar(line, bars)
        if near or _may_have_scripts(line, placed, places):
            read[index] = _read(line, placed)
        barred.append(read[index] if near else None)
    parts = _parts_of_fractions(barred, bars)
    for each in read.values():
        each.scripts.update(_scripts(each.line, each.glyphs, each.first | each.parts, places))
    _mark_fractions(parts)
    return [_with_scripts(read[at]) if at in read else line for at, line in enumerate(lines)]


def _has_fraction_from_right(line: Line, bars: Sequence[Rect]) -> bool:
    """Whether it was put together with its fractions."""
    return "/" in line.text and has_from_right(line.text) and touches_bar(line, bars)


def _may_have_scripts(line: Line, placed: PlacedGlyphs, places: LetterPlaces) -> bool:
    has_math = line.style.math > 0
    if not (has_math or _FIGURE.search(line.text)):
        return False
    limit = _SMALL * line.size
    return any(
        places.size(glyph.at) <= limit
        for glyph in placed.inside(line.box)
        if has_math or glyph.text.isdigit()
    )


def _read(line: Line, placed: PlacedGlyphs) -> _Read:
    words = line.text.split()
    letters = "".join(words)
    first = frozenset(accumulate(map(len, words), initial=0))
    return _Read(line, letters, matched_glyphs(letters, placed.inside(line.box)), first)


_Part = Sequence[tuple[_Read, int]]


def _parts_of_fractions(
    barred: Sequence[_Read | None], bars: Sequence[Rect]
) -> list[tuple[_Part, str]]:
    """The letters above and below each bar, which may be in two lines, and the sign behind them."""
    glyphs: list[Glyph | None] = []
    places: list[tuple[_Read, int] | None] = []
    for each in barred:
        glyphs += each.glyphs if each else (None,)
        places += [(each, at) for at in range(len(each.letters))] if each else (None,)
    parts: list[tuple[_Part, str]] = []
    for start, below, end in find_fractions(glyphs, bars) if any(barred) else ():
        above = [place for place in places[start:below] if place is not None]
        under = [place for place in places[below:end] if place is not None]
        if not all(map(_may_be_in_fraction, (above, under))):
            continue
        for part, sign in ((above, _BAR), (under, "")):
            part[0][0].parts.add(part[0][1])
            parts.append((part, sign))
    return parts


def _may_be_in_fraction(part: _Part) -> bool:
    """Whether letters are of one line, and a number or set in a formula."""
    (read, first), (last, end) = part[0], part[-1]
    number = _NUMBER.fullmatch(read.letters[first : end + 1]) is not None
    return read is last and (number or read.line.style.math > 0)


def _mark_fractions(parts: Sequence[tuple[_Part, str]]) -> None:
    for part, sign in parts:
        bare = "".join(read.letters[at] for read, at in part if at not in read.scripts)
        opening, closing = ("", "") if len(bare) == 1 or _NUMBER.fullmatch(bare) else ("(", ")")
        (read, at), (last, end) = part[0], part[-1]
        read.before[at] = read.before.get(at, "") + opening
        last.behind[end] = closing + sign + last.behind.get(end, "")


def _with_scripts(read: _Read) -> Line:
    if not read.scripts and not read.parts:
        return read.line
    text = _written(read).replace(f"{_BAR} ", _BAR).replace(_BAR, "/")
    return replace(read.line, text=text)


def _scripts(
    line: Line, glyphs: Sequence[Glyph | None], first: Set[int], places: LetterPlaces
) -> dict[int, _Script]:
    """Which letters are scripts, each with the letter that it belongs to; `first` begin words."""
    full = [
        places.baseline(glyph.at)
        for glyph in glyphs
        if glyph is not None and places.size(glyph.at) > _SMALL * line.size
    ]
    usual = (line.size, median(full)) if full else None
    scripts: dict[int, _Script] = {}
    for at, glyph in enumerate(glyphs):
        if glyph is None or at in first:
            continue
        base = scripts[at - 1].base if at - 1 in scripts else at - 1
        letter = glyphs[base]
        anchor = (places.size(letter.at), places.baseline(letter.at)) if letter else usual
        if anchor is None:
            continue
        size, shift = anchor[0], places.baseline(glyph.at) - anchor[1]
        if places.size(glyph.at) > _SMALL * size or abs(shift) > _FARTHEST * size:
            continue
        if shift >= _RAISED * size or shift <= -_LOWERED * size:
            scripts[at] = _Script(shift > 0, base)
    return scripts


def _written(read: _Read) -> str:
    has_math = read.line.style.math > 0
    starts = sorted(read.first)
    return " ".join(_word(read, start, end, has_math) for start, end in pairwise(starts))


def _word(read: _Read, start: int, end: int, has_math: bool) -> str:
    written, at = "", start
    while at < end:
        last, script = at, read.scripts.get(at)
        while (
            last + 1 < end
            and read.scripts.get(last + 1) == script
            and last not in read.behind
            and last + 1 not in read.before
        ):
            last += 1
        part = read.letters[at : last + 1]
        part = _script(part, script, read.letters, start, has_math) if script else part
        written += read.before.get(at, "") + part + read.behind.get(last, "")
        at = last + 1
    return written


def _script(part: str, script: _Script, letters: str, start: int, has_math: bool) -> str:
    """A script as it is written, or as it was where it may be the number of a note."""
    if _PRIMES.issuperset(part):
        return part
    plain = _plain(part)
    before = letters[start : script.base + 1]
    figures = all(char.isdigit() or char in _SIGNS for char in plain)
    if not figures and not has_math:
        return part
    if script.raised and not _may_have_power(before, plain, has_math):
        return part
    forms = _SUPER if script.raised else _SUB
    if all(char in forms for char in plain):
        return "".join(map(forms.__getitem__, plain))
    mark = "^" if script.raised else "_"
    return f"{mark}{part}" if len(plain) == 1 else f"{mark}({part})"


def _may_have_power(before: str, plain: str, has_math: bool) -> bool:
    if before.endswith(_CLOSING):
        return has_math
    word = _LAST_WORD.search(before)
    if word is None:
        return before[-1:].isdigit()
    name = unicodedata.normalize("NFKC", word[0])
    if has_math and (len(name) <= _SHORT or not plain.isdigit()):
        return True
    return len(name) == 1 or name in _UNITS or (not word[0][-1].isascii() and name[-1].isascii())
