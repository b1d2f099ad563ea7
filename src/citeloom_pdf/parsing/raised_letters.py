"""Superscripts, subscripts and fractions, by the size and the place of their letters.

A parser has `10` and a raised `3` as `103`. What belongs to the letter or number before it is
written as Unicode has it (`10³`, `H₂O`), or else behind `^` or `_`; so is the number of a note
(`theory¹²`). What is above and below a bar is written with a slash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise, takewhile
from statistics import median
from typing import NamedTuple, Protocol

from citeloom_pdf.elements.direction import has_from_right
from citeloom_pdf.elements.fonts import font_kind
from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect, enclosing
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.elements.patterns import BULLET, WITH_LIMITS
from citeloom_pdf.elements.scripts import plain_script, script_text
from citeloom_pdf.parsing.fractions import find_fractions, touches_bar
from citeloom_pdf.parsing.spacing import matched_glyphs

_SMALL = 0.9  # of the size of the letter before: a script is smaller
_RAISED, _LOWERED = 0.15, 0.05  # of that size: how far its baseline is off
_FARTHEST = 1.2  # of that size: farther off it belongs to another row
_MONO = 0.5  # of a line in a typewriter font: its letters are code
_SHORT = 2  # letters of a product, as in `mc²`: a longer name is a word
_NUMBER = re.compile(r"\d+([.,]\d+)*")
_FIGURE = re.compile(r"\d")
_NOTES = re.compile(r"\d{1,3}(?:[,;-]\d{1,3})*[,;-]?")  # the numbers of notes or of works cited
_SIGNS = frozenset("+-=()\u2212\u2013")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_PRIMES = frozenset("\u2032\u2033\u2034'")
_BAR = "\0"  # stands for a fraction's slash until the spaces about it are known
_CLOSING = (")", "]", "}", "|")
_APART = 0.8  # of the font size: limits above and below a sign are farther from one another
_OFF_ROW = 0.2  # of the font size: a letter so far off the row is above or below others
# in a font of mathematics: what its codes are in another encoding, or no letters at all
_WRONG = re.compile(
    r"[\u00a1-\u00a8\u00aa\u00ab\u00ad-\u00af\u00b4\u00b6\u00b8-\u00bf\u00de\u00fe]"
    r"|[\u2660-\u2667\ue000-\uf8ff\ufffd]"
)
_GREEK = "\u0391-\u03c9"
_SIGN = re.compile(
    rf"(?<![{_GREEK}\u1f00-\u1fff])[{_GREEK}](?![{_GREEK}\u0370-\u0390\u03ca-\u03ff\u1f00-\u1fff])"
    r"|[\u2200-\u220f\u2211\u2213-\u22ff\U0001d400-\U0001d7ff]"
)
_ATTACHED = 0.2  # of the font size: a script is no farther behind its letter
_UNITS = frozenset("m cm km mm nm µm μm s ms kg g mg ha h d Hz Pa mol L l dm yr px".split())


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
    size: float
    first: set[int]
    parts: set[int] = field(default_factory=set)
    scripts: dict[int, _Script] = field(default_factory=dict)
    before: dict[int, str] = field(default_factory=dict)
    behind: dict[int, str] = field(default_factory=dict)


def with_scripts(
    lines: Sequence[Line], placed: PlacedGlyphs, places: LetterPlaces, bars: Sequence[Rect]
) -> tuple[list[Line], tuple[Rect, ...]]:
    """The lines with their superscripts, subscripts and fractions as such, and the boxes of those
    in which a formula is not as it is printed.
    """
    has_math = any(map(_has_math, lines))
    read: dict[int, _Read] = {}
    barred: list[_Read | None] = []  # one after another; None where a line is without a bar
    for index, line in enumerate(lines):
        if line.rotated or line.style.mono > _MONO or _has_fraction_from_right(line, bars):
            continue
        near = has_math and touches_bar(line, bars)
        if near or _may_have_scripts(line, placed, places):
            read[index] = _with_limits(_read(line, placed, places), places)
        barred.append(read[index] if near else None)
    parts = _parts_of_fractions(barred, bars)
    for each in read.values():
        each.scripts.update(_scripts(each, places) | each.scripts)
        each.first.difference_update(each.scripts)
    _mark_fractions(parts)
    written = [_with_scripts(read[at]) if at in read else line for at, line in enumerate(lines)]
    is_garbled = any(map(_is_garbled, lines))
    doubtful = [
        line.box
        for at, line in enumerate(written)
        if _has_math(line) and (is_garbled or (at in read and _is_doubtful(read[at], line, places)))
    ]
    return written, tuple(doubtful)


def _has_math(line: Line) -> bool:
    """Whether some of a line is set as mathematics, or has signs of it among words in text; a
    bullet of a symbol font is none.
    """
    if _SIGN.search(line.text):
        return True
    return line.style.math > 0 and any(font_kind(word.font).math for word in _behind_bullet(line))


def _behind_bullet(line: Line) -> Sequence[Word]:
    return line.words[1:] if BULLET.match(line.text) else line.words


def _is_garbled(line: Line) -> bool:
    """Whether letters of its mathematics have the codes of others."""
    return _has_math(line) and any(
        _WRONG.search(word.text) and font_kind(word.font).math for word in _behind_bullet(line)
    )


def _is_doubtful(read: _Read, written: Line, places: LetterPlaces) -> bool:
    """Whether signs of our own stand for places on the page, or letters beside one another that
    are printed above one another.
    """
    if any(written.text.count(mark) > read.line.text.count(mark) for mark in "^_/"):
        return True
    rows = [
        places.baseline(glyph.at)
        for at, glyph in enumerate(read.glyphs)
        if glyph is not None and at not in read.scripts and glyph.text.isalnum()
    ]
    usual = median(rows) if rows else 0.0
    return any(abs(row - usual) > _OFF_ROW * read.size for row in rows) or any(
        _is_script_of_script(read, at, places) for at in range(1, len(read.letters))
    )


def _is_script_of_script(read: _Read, at: int, places: LetterPlaces) -> bool:
    """Whether a letter is as small as the script before it, and stands in the line."""
    glyph = read.glyphs[at]
    return (
        glyph is not None
        and at - 1 in read.scripts
        and at not in read.scripts
        and at not in read.first
        and glyph.text.isalnum()
        and places.size(glyph.at) <= _SMALL * read.size
    )


def _has_fraction_from_right(line: Line, bars: Sequence[Rect]) -> bool:
    """Whether it was put together with its fractions."""
    return "/" in line.text and has_from_right(line.text) and touches_bar(line, bars)


def _may_have_scripts(line: Line, placed: PlacedGlyphs, places: LetterPlaces) -> bool:
    has_math = _has_math(line)
    if not (has_math or _FIGURE.search(line.text)):
        return False
    glyphs = placed.inside(line.box)
    limit = _SMALL * _size(line, glyphs, places)
    return any(
        places.size(glyph.at) <= limit for glyph in glyphs if has_math or glyph.text.isdigit()
    )


def _size(line: Line, glyphs: Iterable[Glyph | None], places: LetterPlaces) -> float:
    """The size of a line, whose first letters may be a limit's where it is a formula."""
    sizes = (places.size(glyph.at) for glyph in glyphs if glyph)
    return max([line.size, *sizes]) if _has_math(line) else line.size


def _read(line: Line, placed: PlacedGlyphs, places: LetterPlaces) -> _Read:
    words = line.text.split()
    letters = "".join(words)
    first = set(accumulate(map(len, words), initial=0))
    glyphs = matched_glyphs(letters, placed.inside(line.box))
    return _Read(line, letters, glyphs, _size(line, glyphs, places), first)


def _with_limits(read: _Read, places: LetterPlaces) -> _Read:
    """The line with the limits of each sum or the like behind it, the lower one first."""
    if WITH_LIMITS.isdisjoint(read.letters):
        return read
    limit = _SMALL * read.size
    small = [glyph is not None and places.size(glyph.at) <= limit for glyph in read.glyphs]
    order, scripts = list(range(len(small))), dict[int, _Script]()
    taken = 0
    for at in (at for at, letter in enumerate(read.letters) if letter in WITH_LIMITS):
        start, end = at, at + 1
        while start > taken and small[start - 1]:
            start -= 1
        while end < len(small) and small[end]:
            end += 1
        boxes = {n: glyph.box for n in range(start, end) if (glyph := read.glyphs[n]) and n != at}
        below, above = _limits(at, boxes, read.size)
        if not above:
            continue
        start, end = min(at, *above), max(at, *below, *above) + 1
        order[start:end] = [at, *below, *above]
        scripts.update((n, _Script(False, start)) for n in range(start + 1, end - len(above)))
        scripts.update((n, _Script(True, start)) for n in range(end - len(above), end))
        read.first.difference_update(range(start + 1, end))
        taken = end
    letters = "".join(read.letters[at] for at in order)
    glyphs = [read.glyphs[at] for at in order]
    return replace(read, letters=letters, glyphs=glyphs, scripts=scripts)


def _limits(sign: int, boxes: Mapping[int, Rect], size: float) -> tuple[list[int], list[int]]:
    """The letters of the lower and the upper limit of a sign: the upper one is set before the sign
    and the lower one behind it, or both behind it; nothing where they are none.
    """
    before = [at for at in boxes if at < sign]
    behind = [at for at in boxes if at > sign]
    floor = max((boxes[at].bottom for at in before), default=0.0) + _APART * size
    lower = list(takewhile(lambda at: boxes[at].top >= floor, behind))
    if before and lower and _share_width(before, lower, boxes):
        return lower, before
    middle = enclosing(boxes[at] for at in behind).middle_y if behind else 0.0
    upper = [at for at in behind if boxes[at].middle_y < middle]
    lower = [at for at in behind if at not in upper]
    if not upper or not _share_width(upper, lower, boxes):
        return [], []
    apart = min(boxes[at].top for at in lower) - max(boxes[at].bottom for at in upper)
    return (lower, upper) if apart >= _APART * size else ([], [])


def _share_width(upper: Sequence[int], lower: Sequence[int], boxes: Mapping[int, Rect]) -> bool:
    above, below = (enclosing(boxes[at] for at in part) for part in (upper, lower))
    return above.shared_width(below) > 0


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
    return read is last and (number or _has_math(read.line))


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
    line, written = read.line, text.split()
    if [word.text for word in line.words] != line.text.split() or len(written) != len(line.words):
        return replace(line, text=text)
    words = (word._replace(text=new) for word, new in zip(line.words, written))
    return replace(line, text=text, words=tuple(words))


def _scripts(read: _Read, places: LetterPlaces) -> dict[int, _Script]:
    """Which letters are scripts, each with the letter that it belongs to."""
    line, glyphs = read.line, read.glyphs
    rows = {
        at: places.baseline(glyph.at)
        for at, glyph in enumerate(glyphs)
        if glyph is not None and places.size(glyph.at) > _SMALL * read.size
    }
    usual = median(rows.values()) if rows else None
    scripts: dict[int, _Script] = {}
    for at, glyph in enumerate(glyphs):
        if glyph is None or at == 0 or at in read.parts:
            continue
        before = scripts.get(at - 1)
        base = before.base if before else at - 1
        letter = glyphs[base]
        size = places.size(letter.at) if letter else read.size
        # beside a sign that PDFium reads otherwise, the next letter shows the row
        following = () if letter else (rows[after] for after in rows if after > at)
        row = places.baseline(letter.at) if letter else next(iter(following), usual)
        if row is None:
            continue
        shift = places.baseline(glyph.at) - row
        if places.size(glyph.at) > _SMALL * size or abs(shift) > _FARTHEST * size:
            continue
        script = _Script(shift > 0, base)
        is_note = shift >= _RAISED * size and _is_number_alone(read, at)
        if (
            at in read.first
            and not is_note
            and not (
                (_has_math(line) or read.letters[at - 1].isdigit())
                and _is_attached(glyph, glyphs[at - 1 if before == script else base])
            )
        ):
            continue
        if shift >= _RAISED * size or shift <= -_LOWERED * size:
            scripts[at] = script
    return scripts


def _is_number_alone(read: _Read, at: int) -> bool:
    """Whether the digits from here on are the number of a note, and not that of `¹⁴C`."""
    end = at
    while end < len(read.letters) and read.letters[end].isdigit():
        end += 1
    following = read.glyphs[end] if read.letters[end : end + 1].isalnum() else None
    return end > at and (following is None or not _is_attached(following, read.glyphs[end - 1]))


def _is_attached(glyph: Glyph, before: Glyph | None) -> bool:
    """Whether a letter that a parser has behind a space is set right behind another."""
    return before is not None and glyph.box.left - before.box.right <= _ATTACHED * max(
        glyph.box.height, before.box.height
    )


def _written(read: _Read) -> str:
    has_math = _has_math(read.line)
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
    """A script as it is written; letters as they were where they may be no power."""
    if _PRIMES.issuperset(part):
        return part
    plain = plain_script(part)
    before = letters[start : script.base + 1]
    figures = all(char.isdigit() or char in _SIGNS for char in plain)
    if script.raised and _NOTES.fullmatch(plain) and not _may_have_power(before, plain, has_math):
        return _FIGURE.sub(lambda figure: script_text(figure[0], raised=True), part)
    if not figures and not has_math:
        return part
    if script.raised and not _may_have_power(before, plain, has_math):
        return part
    return script_text(part, raised=script.raised)


def _may_have_power(before: str, plain: str, has_math: bool) -> bool:
    if before.endswith(_CLOSING):
        return has_math
    word = _LAST_WORD.search(before)
    if word is None:
        return before[-1:].isdigit() or (has_math and before[-1:] in WITH_LIMITS)
    name = unicodedata.normalize("NFKC", word[0])
    if has_math and (len(name) <= _SHORT or not plain.isdigit()):
        return True
    return len(name) == 1 or name in _UNITS or (not word[0][-1].isascii() and name[-1].isascii())
