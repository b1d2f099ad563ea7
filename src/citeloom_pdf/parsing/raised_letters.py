"""Superscripts and subscripts, by the size and the baseline of their letters.

A parser has `10` and a raised `3` as `103`. What belongs to the letter or number before it is
written as Unicode has it (`10³`, `H₂O`), or else behind `^` or `_`. The number of a note behind a
word is none of these, and stays as it was.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import accumulate, groupby
from statistics import median
from typing import NamedTuple, Protocol

from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs
from citeloom_pdf.elements.page import Line
from citeloom_pdf.parsing.spacing import matched_glyphs


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-")


_SMALL = 0.86  # of the size of the letter before: a script is smaller
_RAISED, _LOWERED = 0.15, 0.05  # of that size: how far its baseline is off
_FARTHEST = 1.2  # of that size: farther off it belongs to another row
_MONO = 0.5  # of a line in a typewriter font: its letters are code
_SHORT = 2  # letters of a product, as in `mc²`: a longer name is a word
_FIGURE = re.compile(r"\d")
_SIGNS = frozenset("+-=()\u2212\u2013")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
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


def with_scripts(lines: Sequence[Line], placed: PlacedGlyphs, places: LetterPlaces) -> list[Line]:
    """The lines with their superscripts and subscripts as such."""
    return [_with_scripts(line, placed, places) for line in lines]


def _with_scripts(line: Line, placed: PlacedGlyphs, places: LetterPlaces) -> Line:
    has_math = line.style.math > 0
    if line.rotated or line.style.mono > _MONO or not (has_math or _FIGURE.search(line.text)):
        return line
    glyphs = placed.inside(line.box)
    limit = _SMALL * line.size
    if not any(places.size(g.at) <= limit for g in glyphs if has_math or g.text.isdigit()):
        return line
    words = line.text.split()
    letters = "".join(words)
    first = frozenset(accumulate(map(len, words), initial=0))
    scripts = _scripts(line, matched_glyphs(letters, glyphs), first, places)
    return replace(line, text=_written(words, letters, scripts, has_math)) if scripts else line


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


def _written(
    words: Sequence[str], letters: str, scripts: dict[int, _Script], has_math: bool
) -> str:
    written_words, at = [], 0
    for word in words:
        start, written = at, ""
        for script, run in groupby(range(at, at + len(word)), scripts.get):
            part = "".join(letters[number] for number in run)
            at += len(part)
            written += _script(part, script, letters, start, has_math) if script else part
        written_words.append(written)
    return " ".join(written_words)


def _script(part: str, script: _Script, letters: str, start: int, has_math: bool) -> str:
    """A script as it is written, or as it was where it may be the number of a note."""
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
