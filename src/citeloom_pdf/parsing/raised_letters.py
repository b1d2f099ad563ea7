"""Superscripts, subscripts and fractions, by the size and the place of their letters.

A parser has `10` and a raised `3` as `103`. What belongs to the letter or number before it is
written as Unicode has it (`10³`, `H₂O`), or else behind `^` or `_`; so is the number of a note
(`theory¹²`). What is above and below a bar is written with a slash.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise
from statistics import median

from citeloom_pdf.elements.direction import has_from_right
from citeloom_pdf.elements.fonts import font_kind
from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect, enclosing
from citeloom_pdf.elements.page import FormulaPlaces, Line, Word
from citeloom_pdf.elements.patterns import WITH_LIMITS
from citeloom_pdf.elements.scripts import plain_script, script_text
from citeloom_pdf.parsing.formula_letters import (
    fonts_of_signs,
    has_wide_accent,
    is_plain,
    with_whole_signs,
)
from citeloom_pdf.parsing.formula_parts import (
    END,
    SLASH,
    find_roots,
    is_tall,
    mark_overlines,
    mark_parts,
    mark_rows,
    mark_tall_rows,
    parts_of_fractions,
    with_limits,
)
from citeloom_pdf.parsing.fractions import touches_bar
from citeloom_pdf.parsing.lettered_lines import (
    FARTHEST,
    RAISED,
    SMALL,
    LetteredLine,
    LetterPlaces,
    Script,
    behind_bullet,
    hangs,
    has_variable,
    is_attached,
    is_mathematical,
    lettered_line,
    may_have_scripts,
)

_LOWERED = 0.05  # of that size: how far its baseline is below
_LIMIT = 2.2  # of that size: the same of the limit of a displayed sum
_HANGING = 0.8  # of that size: how far the row of a sum or the like is below its baseline
_MONO = 0.5  # of a line in a typewriter font: its letters are code
_SHORT = 2  # letters of a product, as in `mc²`: a longer name is a word
_SIGNS = frozenset("+-=()\u2212\u2013")
_SYMBOL = 2  # letters of a chemical element, whose isotope has a raised number before it
_MINUS = frozenset("-\u2212\u2013")
_ONE_LETTER_WORDS = frozenset("AI")
_FIGURES = re.compile(r"\d+")
# the numbers of notes, of works cited, or of an author's institutes beside other marks
_NOTES = re.compile(r"\d{1,3}(?:[,;-]\d{1,3})*[,;-]?[*\u2217\u2020\u2021\u00a7\u00b6]*")
_ELEMENT = re.compile(r"[A-Z][a-z]?\W*")  # of an element, whose isotope has a number before it
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_PRIMES = frozenset("\u2032\u2033\u2034'")
_NOTE_SIGNS = frozenset("*\u2217\u22c6\u2020\u2021\u00a7\u00b6")
_CLOSING = (")", "]", "}", "|", "\u2223", "\u2225", "\u2016", "\u27e9", "\u230b", "\u2309")
_CLOSING_MARKS = tuple(".,;:)]}\u27e9")
_SCRIPT_SPACE = 0.15  # of the font size: such a sign is no farther behind a script
_SPACED = 0.6  # of the font size: signs of relation within a script have such spaces
_ROOT = "\u221a"
_RINGS, _DEGREE = frozenset("\u25e6\u2218"), "\N{DEGREE SIGN}"
_OFF_ROW = 0.2  # of the font size: a letter so far off the row is above or below others
_TUCKED = 0.05  # of the font size: so far a letter of a logo reaches over the one before it
# in a font of mathematics: what its codes are in another encoding, or no letters at all; a section
# sign before a number is one, and a macron before a letter of Unicode's mathematics its accent
_WRONG = re.compile(
    r"[\u00a1-\u00a6\u00a8\u00aa\u00ab\u00ad\u00ae\u00b4\u00b6\u00b8-\u00bf\u00de\u00fe]"
    r"|\u00af(?![\U0001d400-\U0001d7ff])|\u00a7(?! ?\d)|[\u2660-\u2667\ue000-\uf8ff\ufffd]"
)
# of text from the right, in which a raised sign belongs to the number that is read behind it
_TURNED_POWER = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufefc] ?[\u00b2\u00b3\u00b9\u2070-\u2079]*[\u207a\u207b]"
)
_BEHIND_FRACTION = re.compile(rf"{END}(?=[^\W_])")  # what is multiplied by it
_UNITS = frozenset("m cm km mm nm µm μm s ms kg g mg ha h d Hz Pa mol L l dm yr px".split())


def with_scripts(
    lines: Sequence[Line], placed: PlacedGlyphs, places: LetterPlaces, bars: Sequence[Rect]
) -> tuple[list[Line], FormulaPlaces]:
    """The lines with their superscripts, subscripts and fractions as such, and where these are, and
    those in which a formula is not as it is printed.
    """
    has_math = any(map(is_mathematical, lines)) or any(map(has_variable, lines))
    roots: dict[Rect, list[tuple[LetteredLine, int]]] = {}
    read: dict[int, LetteredLine] = {}
    barred: list[LetteredLine | None] = []  # one after another; None where a line is without a bar
    for index, line in enumerate(lines):
        if line.rotated or _is_code(line) or _has_fraction_from_right(line, bars):
            continue
        near = has_math and touches_bar(line, bars)
        may_have_rows = is_tall(line) and is_mathematical(line)
        if near or may_have_rows or may_have_scripts(line, placed, places, has_math):
            read[index] = with_limits(lettered_line(line, placed, places), places)
            if near:
                roots |= find_roots(read[index], bars, places)
        barred.append(read[index] if near else None)
    others = [bar for bar in bars if bar not in roots]
    parts, used = parts_of_fractions(barred, others, placed, places)
    others = [bar for bar in others if bar not in used]
    unread = set[Rect]()
    for each in filter(None, barred if others else ()):
        unread |= mark_overlines(each, others, placed, places)
    for each in read.values():
        _raise_isotopes(each, places)
        each.scripts.update(_scripts(each, places) | each.scripts)
        each.first.difference_update(at for at in each.scripts if at)
        each.first.difference_update(_closing_behind_scripts(each))
        mark_rows(each)
        if is_tall(each.line):
            mark_tall_rows(each, places)
    mark_parts([*parts, *((under, "") for under in roots.values())])
    written = [
        _with_scripts(read[at]) if at in read else _with_whole_signs(line)
        for at, line in enumerate(lines)
    ]
    is_garbled = any(map(_is_garbled, lines))
    signs = fonts_of_signs(lines, placed, places.font)
    doubtful = [
        line.box
        for at, line in enumerate(written)
        if (_is_code(line) and _has_raised_letters(line, placed, places))
        or any(word.font in signs and not is_plain(word.text) for word in line.words)
        or _has_letters_without_place(lines[at], placed)
        or _TURNED_POWER.search(line.text)
        or (
            (read[at].has_math if at in read else is_mathematical(line))
            and (
                is_garbled
                or (at in read and read[at].is_garbled)
                or has_wide_accent(line.text)
                or touches_bar(line, unread)
                or (at in read and _is_doubtful(read[at], places))
            )
        )
    ]
    fractions = [[*above, *under] for (above, _), (under, _) in zip(parts[::2], parts[1::2])]
    stacked = [*map(_box_of, fractions), *(box for each in read.values() for box in each.stacked)]
    scripts = [box for each in read.values() for box in _script_boxes(each)]
    return written, FormulaPlaces(tuple(doubtful), tuple(stacked), tuple(scripts))


def _box_of(part: Iterable[tuple[LetteredLine, int]]) -> Rect:
    return enclosing(glyph.box for each, at in part if (glyph := each.glyphs[at]))


def _script_boxes(read: LetteredLine) -> list[Rect]:
    """The boxes of the scripts of each letter."""
    boxes = defaultdict[Script, list[Rect]](list)
    for at, script in read.scripts.items():
        if glyph := read.glyphs[at]:
            boxes[script].append(glyph.box)
    return [*map(enclosing, boxes.values())]


def _is_code(line: Line) -> bool:
    """Whether most of a line is in a typewriter font, and nothing in one of mathematics."""
    return line.style.mono > _MONO and line.style.math == 0


def _has_raised_letters(line: Line, placed: PlacedGlyphs, places: LetterPlaces) -> bool:
    """Whether a line of code has small letters that are raised right behind others."""
    glyphs = [] if line.rotated else placed.inside(line.box)
    return any(
        glyph.text.isalnum()
        and before.text.isalnum()
        and is_attached(glyph, before)
        and places.size(glyph.at) <= SMALL * places.size(before.at)
        and places.baseline(glyph.at) - places.baseline(before.at)
        >= RAISED * places.size(before.at)
        for before, glyph in pairwise(glyphs)
    )


def _has_letters_without_place(line: Line, placed: PlacedGlyphs) -> bool:
    """Whether PDFium lacks letters of mathematics in text from the right, which may be raised."""
    if not (has_from_right(line.text) and is_mathematical(line)):
        return False
    return any(
        len(word.text) > 1
        and (font_kind(word.font).math or not word.text.isascii())
        and not has_from_right(word.text)
        and any(map(str.isalnum, word.text))
        and len(placed.inside(word.box)) < len(word.text)
        for word in line.words
    )


def _is_garbled(line: Line) -> bool:
    """Whether letters of its mathematics have the codes of others."""
    return is_mathematical(line) and any(
        _WRONG.search(word.text) and font_kind(word.font).math for word in behind_bullet(line)
    )


def _is_doubtful(read: LetteredLine, places: LetterPlaces) -> bool:
    """Whether a line may say something else than the page does: it has letters above or below
    others that are no scripts, limits or parts of fractions. What is written in its place is as it
    is printed, also behind a sign of our own (`x_q`, `(a + b)/2`, `∑_(i∈S)`).
    """
    # beside a sign that PDFium reads otherwise; what is raised behind brackets belongs to these
    if any(
        each.base >= 0
        and read.glyphs[each.base] is None
        and not (each.raised and read.letters[each.base] in _CLOSING)
        and read.letters[each.base] not in WITH_LIMITS
        for each in read.scripts.values()
    ):
        return True
    row, *parts = _rows(read, places)
    usual = median(row.values()) if row else 0.0
    return (
        read.is_torn
        or any(abs(each - usual) > _OFF_ROW * read.size for each in row.values())
        or any(
            max(part) - min(part) > _OFF_ROW * read.size for part in map(dict.values, parts) if part
        )
        or not all(_is_below(read, under, usual, places) for under in read.under_bars if row)
        or any(_is_behind_script(read, at, places) for at in range(1, len(read.letters)))
        or any(_is_out_of_place(read, at) for at in range(len(read.letters)))
    )


def _rows(read: LetteredLine, places: LetterPlaces) -> list[dict[int, float]]:
    """Where the letters and figures of the line's row and of each part of a fraction stand, scripts
    and the parts of fractions within left out.
    """
    of = dict.fromkeys(range(len(read.letters)), 0)
    for number, part in sorted(enumerate(read.rows, start=1), key=lambda each: -len(each[1])):
        of |= dict.fromkeys(part, number)
    rows: list[dict[int, float]] = [{} for _ in range(len(read.rows) + 1)]
    of_letters = read.letters.lstrip("".join(_NOTE_SIGNS))
    behind_mark = len(read.letters) - len(of_letters)  # that of a note may be raised
    for at, glyph in enumerate(read.glyphs):
        if (
            glyph is not None
            and at >= behind_mark
            and at not in read.scripts
            and at not in read.degrees
            and (glyph.text.isalnum() or _is_small_sign(read, glyph, places))
            and not _is_of_logo(read, at, places)
        ):
            rows[of[at]][at] = places.baseline(glyph.at)
    return rows


def _is_small_sign(read: LetteredLine, glyph: Glyph, places: LetterPlaces) -> bool:
    """Whether it is a sign of mathematics as small as a script, and none that may be tall."""
    is_sign = unicodedata.category(glyph.text) == "Sm" and not hangs(glyph, places)
    is_sign &= glyph.text != _ROOT and glyph.text not in WITH_LIMITS
    return is_sign and places.size(glyph.at) <= SMALL * read.size


def _is_below(read: LetteredLine, under: Sequence[int], row: float, places: LetterPlaces) -> bool:
    """Whether what is below a bar is below the row, as in no fraction that is a power."""
    below = [glyph for at in under if (glyph := read.glyphs[at])]
    return all(places.baseline(glyph.at) < row for glyph in below)


def _is_behind_script(read: LetteredLine, at: int, places: LetterPlaces) -> bool:
    """Whether a letter is as small as the script before it, and is none."""
    before, glyph = read.glyphs[at - 1 : at + 1]
    if before is None or glyph is None or at - 1 not in read.scripts or at in read.scripts:
        return False
    size = places.size(glyph.at)
    return (
        glyph.text.isalnum()
        and size <= SMALL * read.size
        and places.size(before.at) > SMALL * size
        and at not in read.parts
    )


def _is_out_of_place(read: LetteredLine, at: int) -> bool:
    """Whether PDFium has a letter or figure elsewhere in its order, or what is raised begins before
    the letter that it is read behind, as the degree of a root in a browser.
    """
    glyph, script = read.glyphs[at], read.scripts.get(at)
    if glyph is None:
        letter = read.letters[at]  # of others PDFium may have a sign with another code
        return letter.isascii() and letter.isalnum() and not has_from_right(read.line.text)
    if script is None or not script.raised or read.letters[script.base] in WITH_LIMITS:
        return False
    base = read.glyphs[script.base] if script.base >= 0 else None
    return base is not None and glyph.box.middle_x < base.box.left


def _is_of_logo(read: LetteredLine, at: int, places: LetterPlaces) -> bool:
    """Whether a letter is off the row within an upright word, and reaches over the letter before
    it, as in the names of TeX and LaTeX.
    """
    if not 0 < at < len(read.letters) - 1 or not read.first.isdisjoint((at, at + 1)):
        return False
    before, glyph, behind = read.glyphs[at - 1 : at + 2]
    if before is None or glyph is None or behind is None:
        return False
    around = (before, glyph, behind)
    kinds = [font_kind(places.font(each.at)) for each in around]
    upright = not any(kind.italic or kind.math for kind in kinds)
    size = places.size(before.at)
    level = abs(places.baseline(before.at) - places.baseline(behind.at)) <= _LOWERED * size
    tucked = before.box.shared_width(glyph.box) >= _TUCKED * size
    return upright and level and tucked and all(each.text.isalpha() for each in around)


def _has_fraction_from_right(line: Line, bars: Sequence[Rect]) -> bool:
    """Whether it was put together with its fractions."""
    return "/" in line.text and has_from_right(line.text) and touches_bar(line, bars)


def _with_scripts(read: LetteredLine) -> Line:
    text = _written(read).replace(f"{SLASH} ", SLASH).replace(SLASH, "/")
    text = _BEHIND_FRACTION.sub(" ", text).replace(END, "")
    line = _with_joined_words(read)
    return _with_text(line, with_whole_signs(text) if read.has_math else text)


def _with_joined_words(read: LetteredLine) -> Line:
    """The line, the words as one that no space parts any more."""
    words = read.line.words
    if [word.text for word in words] != read.line.text.split():
        return read.line
    starts = [*accumulate((len(word.text) for word in words), initial=0)]
    joined: list[Word] = []
    for word, start in zip(words, starts):
        if start in read.first or not joined:
            joined.append(word)
        else:
            before = joined.pop()
            box = before.box.union(word.box)
            joined.append(before._replace(box=box, text=before.text + word.text))
    if len(joined) == len(words):
        return read.line
    return replace(read.line, text=" ".join(word.text for word in joined), words=tuple(joined))


def _with_whole_signs(line: Line) -> Line:
    return _with_text(line, with_whole_signs(line.text)) if is_mathematical(line) else line


def _with_text(line: Line, text: str) -> Line:
    """The line with its text, and its words where they are as many."""
    if text == line.text:
        return line
    written = text.split()
    if [word.text for word in line.words] != line.text.split() or len(written) != len(line.words):
        return replace(line, text=text)
    words = (word._replace(text=new) for word, new in zip(line.words, written))
    return replace(line, text=text, words=tuple(words))


def _scripts(read: LetteredLine, places: LetterPlaces) -> dict[int, Script]:
    """Which letters are scripts, each with the letter that it belongs to."""
    glyphs = read.glyphs
    rows = {
        at: places.baseline(glyph.at)
        for at, glyph in enumerate(glyphs)
        if glyph is not None and places.size(glyph.at) > SMALL * read.size
    }
    usual = median(rows.values()) if rows else None
    scripts: dict[int, Script] = {}
    opened = _opening_mark(read, usual, places)
    for at, glyph in enumerate(glyphs):
        if glyph is None or at <= opened or at in read.parts:
            continue
        before = scripts.get(at - 1)
        base = before.base if before else at - 1
        letter = glyphs[base]
        size = places.size(letter.at) if letter else read.size
        if places.size(glyph.at) > SMALL * size or _is_of_logo(read, at, places):
            continue
        row = _row(read, base, places)
        is_in_bracket = letter is not None and row is None
        if row is None:  # beside a sign that PDFium reads otherwise, the next letter shows it
            row = next((rows[after] for after in rows if after > at), usual)
        if row is None:
            continue
        shift = places.baseline(glyph.at) - row
        farthest = _LIMIT if read.letters[base] in WITH_LIMITS else FARTHEST
        if abs(shift) > farthest * size:
            continue
        script = Script(shift > 0, base)
        is_note = (
            shift >= RAISED * size and not is_in_bracket and _is_number_alone(read, at, places)
        )
        is_free = at in read.first and not is_note
        if is_free and not (
            (read.has_math or read.letters[at - 1].isdigit())
            and (
                read.letters[base] in WITH_LIMITS
                or (before == script and _goes_on(glyphs[at - 1], glyph, places))
                or is_attached(glyph, glyphs[at - 1 if before == script else base])
            )
        ):
            continue
        if before and (inner := _inner_script(read, at, scripts, places)):
            scripts[at], read.inner[at] = before, inner
        elif shift >= RAISED * size or shift <= -_LOWERED * size:
            scripts[at] = script
    scripts |= dict.fromkeys(range(opened), Script(raised=True, base=-1))
    if opened and not _is_isotope(read, opened):
        read.behind[opened - 1] = " "
    return scripts


def _goes_on(before: Glyph | None, glyph: Glyph, places: LetterPlaces) -> bool:
    """Whether a letter of a script follows another behind a space, as in `n → ∞`."""
    if before is None:
        return False
    size = places.size(glyph.at)
    off = abs(places.baseline(before.at) - places.baseline(glyph.at))
    return off <= _LOWERED * size and glyph.box.left - before.box.right <= _SPACED * size


def _raise_isotopes(read: LetteredLine, places: LetterPlaces) -> None:
    """Raise the number before the symbol of an element, as in `¹⁴C`, which is a word of its own."""
    starts = sorted(read.first)
    ends = [*starts, len(read.letters), len(read.letters)]
    for at, end, next_end in zip(starts[1:], ends[2:], ends[3:]):
        number = _FIGURES.match(read.letters, at, end)
        if number is None:
            continue
        first = number.end()
        found = _ELEMENT.fullmatch(read.letters, first, next_end if first == end else end)
        if found is None or not _is_raised_before(read, at, first, places):
            continue
        raised = script_text(number[0], raised=True)
        read.letters = read.letters[:at] + raised + read.letters[first:]
        read.first.discard(first)
        read.degrees.update(zip(range(at, first), raised))
        read.parts.update(range(at, first))


def _is_raised_before(read: LetteredLine, at: int, first: int, places: LetterPlaces) -> bool:
    """Whether a number is small and raised right before a letter."""
    figure, letter = read.glyphs[at], read.glyphs[first]
    if figure is None or letter is None or not _is_right_behind(read, first, places):
        return False
    size = places.size(letter.at)
    raised = places.baseline(figure.at) - places.baseline(letter.at)
    return places.size(figure.at) <= SMALL * size and raised >= RAISED * size


def _closing_behind_scripts(read: LetteredLine) -> list[int]:
    """The closing signs that begin a word, since TeX sets a script a little apart from them."""
    return [
        script + 1
        for script in read.scripts
        if script + 1 in read.first
        and read.letters[script + 1 : script + 2] in _CLOSING_MARKS
        and (before := read.glyphs[script])
        and (glyph := read.glyphs[script + 1])
        and glyph.box.left - before.box.right <= _SCRIPT_SPACE * read.size
    ]


def _row(read: LetteredLine, at: int, places: LetterPlaces) -> float | None:
    """Where the row of a letter is; that of a sum or the like, which hangs from its baseline, is
    below that. None of a large bracket, and where PDFium does not have the letter.
    """
    glyph = read.glyphs[at]
    if glyph is None:
        return None
    baseline = places.baseline(glyph.at)
    if not hangs(glyph, places):
        return baseline
    is_operator = read.letters[at] in WITH_LIMITS
    return baseline - _HANGING * places.size(glyph.at) if is_operator else None


def _opening_mark(read: LetteredLine, usual: float | None, places: LetterPlaces) -> int:
    """How many letters of a line are the raised number of a note that it opens with."""
    if usual is None:
        return 0
    end = 0
    while end < len(read.letters) and _is_raised_figure(read, end, usual, places):
        end += 1
    return end


def _is_isotope(read: LetteredLine, at: int) -> bool:
    """Whether the letters behind a number may be the symbol of an element, as in `¹⁴C`."""
    rest = read.letters[at : min((first for first in read.first if first > at), default=at)]
    return rest.isalpha() and len(rest) <= _SYMBOL and rest not in _ONE_LETTER_WORDS


def _is_raised_figure(read: LetteredLine, at: int, row: float, places: LetterPlaces) -> bool:
    glyph = read.glyphs[at]
    if glyph is None or not read.letters[at].isdigit():
        return False
    small = places.size(glyph.at) <= SMALL * read.size
    return small and RAISED * read.size <= places.baseline(glyph.at) - row <= FARTHEST * read.size


def _is_number_alone(read: LetteredLine, at: int, places: LetterPlaces) -> bool:
    """Whether the digits from here on are the number of a note, and not that of `¹⁴C`; or those of
    a power that begins with a minus sign.
    """
    at += read.letters[at] in _MINUS
    end = at
    while end < len(read.letters) and read.letters[end].isdigit():
        end += 1
    is_in_word = read.letters[end : end + 1].isalnum() and _is_right_behind(read, end, places)
    return end > at and not is_in_word


def _is_right_behind(read: LetteredLine, at: int, places: LetterPlaces) -> bool:
    """Whether no space is between a letter and the one before it; the boxes of letters may be half
    as high again as their size.
    """
    before, glyph = read.glyphs[at - 1 : at + 1]
    if before is None or glyph is None:
        return False
    return glyph.box.left - before.box.right <= _SCRIPT_SPACE * places.size(glyph.at)


def _inner_script(
    read: LetteredLine, at: int, scripts: Mapping[int, Script], places: LetterPlaces
) -> Script | None:
    """The script that a letter is of a letter of the script before it, if it is one."""
    base = at - 1
    while base in read.inner:
        base -= 1
    letter, glyph = read.glyphs[base], read.glyphs[at]
    if base not in scripts or letter is None or glyph is None or read.letters[base] in _PRIMES:
        return None
    size = places.size(letter.at)
    shift = places.baseline(glyph.at) - places.baseline(letter.at)
    is_off = shift >= RAISED * size or shift <= -_LOWERED * size
    near = places.size(glyph.at) <= SMALL * size and abs(shift) <= FARTHEST * size
    return Script(shift > 0, base) if is_off and near else None


def _written(read: LetteredLine) -> str:
    starts = sorted(read.first)
    return " ".join(_word(read, start, end) for start, end in pairwise(starts))


def _word(read: LetteredLine, start: int, end: int) -> str:
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
        part = _script(read, at, last, start) if script else part
        if at in read.degrees:
            part = read.degrees[at] + part[1:]
        written += read.before.get(at, "") + part + read.behind.get(last, "")
        at = last + 1
    return written


def _script(read: LetteredLine, at: int, last: int, start: int) -> str:
    """A script as it is written; letters as they were where they may be no power."""
    part, script, has_math = read.letters[at : last + 1], read.scripts[at], read.has_math
    if _PRIMES.issuperset(part):
        return part
    if script.raised and part in _RINGS and read.letters[script.base].isdigit():
        return _DEGREE
    plain = plain_script(part)
    behind = (n + 1 for n in range(start, script.base) if n in read.scripts)
    before = read.letters[max(behind, default=start) : script.base + 1]
    figures = all(char.isdigit() or char in _SIGNS for char in plain)
    is_power = not script.raised or _may_have_power(before, plain, has_math)
    if not is_power and _NOTES.fullmatch(plain):
        return _FIGURES.sub(lambda number: script_text(number[0], raised=True), part)
    if not is_power or not (figures or has_math):
        return part
    if not read.inner.keys().isdisjoint(range(at, last + 1)):
        return f"{'^' if script.raised else '_'}({_with_inner(read, at, last)})"
    return script_text(part, raised=script.raised)


def _with_inner(read: LetteredLine, at: int, last: int) -> str:
    """A script with the scripts of its own letters."""
    written = ""
    for script, places in groupby(range(at, last + 1), key=read.inner.get):
        part = "".join(read.letters[n] for n in places)
        if script and not _PRIMES.issuperset(part):
            part = script_text(part, raised=script.raised)
        written += part
    return written


def _may_have_power(before: str, plain: str, has_math: bool) -> bool:
    if before.endswith(_CLOSING):
        return has_math
    word = _LAST_WORD.search(before)
    if word is None:
        return before[-1:].isdigit() or (has_math and before[-1:] in WITH_LIMITS)
    name = unicodedata.normalize("NFKC", word[0])
    is_mark = plain.isdigit() or _NOTE_SIGNS.issuperset(plain)
    if has_math and (len(name) <= _SHORT or not is_mark):
        return True
    return len(name) == 1 or name in _UNITS or (not word[0][-1].isascii() and name[-1].isascii())
