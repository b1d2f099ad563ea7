"""The parts of formulas that do not follow one another in a line: what is above and below a bar,
under a root or a bar drawn over letters, about a sum, or in rows in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise, takewhile

from citeloom_pdf.elements.fonts import font_kind
from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect, enclosing
from citeloom_pdf.elements.page import Line
from citeloom_pdf.elements.patterns import WITH_LIMITS, count_words, is_prose
from citeloom_pdf.elements.scripts import script_text
from citeloom_pdf.parsing.fractions import find_fractions
from citeloom_pdf.parsing.lettered_lines import (
    SMALL,
    LetteredLine,
    LetterPlaces,
    Script,
    hangs,
)

_NAME = re.compile(r"[^\W\d_]{4}")
NUMBER = re.compile(r"\d+([.,]\d+)*")
SLASH = "\0"  # stands for a fraction's slash until the spaces about it are known
END = "\1"  # stands behind a fraction
_OPENING = frozenset("([{\u27e8")
_ROOT = "\u221a"
_OVERLINES = {True: "\u0304", False: "\u0305"}  # over a single letter, and over each of several
_DEGREE = 0.15  # of the font size: how far the degree of a root is above what is under it
_APART = 0.8  # of the font size: limits above and below a sign are farther from one another
_BEGINS = 0.35  # of the font size: how far the bar of a root begins from what is under it
_HIGHEST = 3.0  # of the font size: how far it is above the foot of that
# of the font size: how far a bar over letters is above the foot of their boxes
_OVER_LOW, _OVER_HIGH = 0.6, 1.3
_POWER = 0.4  # of the font size: a bar so far above the baseline is in a power; of a row, 0.25
_CLOSE = 0.9  # of the height of a letter: in a fraction, none that is so near its bar is left out
_TALL = 1.6  # of the font size: lines with scripts are lower
_NEXT_ROW, _SAME_ROW = 0.7, 0.2  # of the font size: how far the rows of a matrix are apart
_LEAST_ROWS = 2  # in a bracket: one is no matrix
_OVER_FREE = 0.12  # of the font size: what is as near above such a bar is parted by it

_Part = Sequence[tuple[LetteredLine, int]]


def with_limits(read: LetteredLine, places: LetterPlaces) -> LetteredLine:
    """The line with the limits of each sum or the like behind it, the lower one first."""
    if WITH_LIMITS.isdisjoint(read.letters):
        return read
    sizes = [places.size(glyph.at) if glyph else None for glyph in read.glyphs]
    limit = SMALL * read.size
    if all(size is None or size > limit for size in sizes):  # a sign alone with its limits
        limit = read.size
    small = [size is not None and size <= limit for size in sizes]
    order, scripts = list(range(len(small))), dict[int, Script]()
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
        scripts.update((n, Script(False, start)) for n in range(start + 1, end - len(above)))
        scripts.update((n, Script(True, start)) for n in range(end - len(above), end))
        read.first.difference_update(range(start + 1, end))
        sign = read.glyphs[at]
        box = enclosing(boxes[n] for n in (*below, *above))
        read.stacked.append(box.union(sign.box) if sign else box)
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


def parts_of_fractions(
    barred: Sequence[LetteredLine | None],
    bars: Sequence[Rect],
    placed: PlacedGlyphs,
    places: LetterPlaces,
) -> tuple[list[tuple[_Part, str]], set[Rect]]:
    """The letters above and below each bar, which may be in two lines, and the sign behind them;
    these bars.
    """
    glyphs: list[Glyph | None] = []
    letters: list[tuple[LetteredLine, int] | None] = []
    for each in barred:
        glyphs += each.glyphs if each else (None,)
        letters += [(each, at) for at in range(len(each.letters))] if each else (None,)
    parts: list[tuple[_Part, str]] = []
    used = set[Rect]()
    for start, below, end, bar in find_fractions(glyphs, bars) if any(barred) else ():
        above = [letter for letter in letters[start:below] if letter is not None]
        under = [letter for letter in letters[below:end] if letter is not None]
        if not all(_may_be_in_fraction(part, places) for part in (above, under)):
            continue
        used.add(bar)
        are_numbers = _is_number(above) and _is_number(under)
        is_power = _raise_fraction(above, under, bar, places)
        is_whole = not _has_others(above, under, bar, placed)
        for part, sign in ((above, SLASH), (under, END)):
            part[0][0].parts.add(part[0][1])
            for read in {id(each): each for each, _ in part}.values():
                read.has_math |= not are_numbers
                read.is_torn |= not is_whole
                read.rows.append([at for each, at in part if each is read])
                if part is under and not is_power:
                    read.under_bars.append(read.rows[-1])
            parts.append((part, sign))
    return parts, used


def _raise_fraction(above: _Part, under: _Part, bar: Rect, places: LetterPlaces) -> bool:
    """Write a fraction whose bar is as high as no sign of the row as the power of the letter before
    it: `x^(1/2)`.
    """
    (read, start), (last, end) = above[0], under[-1]
    base = read.glyphs[start - 1] if start else None
    first = read.glyphs[start]
    if read is not last or base is None or first is None or hangs(base, places):
        return False
    size = places.size(base.at)
    height = -places.baseline(base.at) - bar.middle_y
    is_raised = height >= _POWER * size and places.size(first.at) <= SMALL * size
    if not is_raised or bar.left - base.box.right > _BEGINS * size:
        return False
    read.before[start] = "^("
    read.behind[end] = ")" + read.behind.get(end, "")
    read.first.discard(start)
    return True


def _has_others(above: _Part, under: _Part, bar: Rect, placed: PlacedGlyphs) -> bool:
    """Whether letters stand close to a bar that are in neither part of its fraction."""
    glyphs = [glyph for each, at in (*above, *under) if (glyph := each.glyphs[at])]
    reach = _CLOSE * max(glyph.box.height for glyph in glyphs)
    own = {glyph.at for glyph in glyphs}
    return any(
        glyph.at not in own and glyph.text.isalnum() for glyph in placed.inside(bar.grown(0, reach))
    )


def _may_be_in_fraction(part: _Part, places: LetterPlaces) -> bool:
    """Whether letters are a number of one line, variables, or set in formulas."""
    if _is_number(part) or (part[0][0] is part[-1][0] and _are_variables(part, places)):
        return True
    lines = {id(each): each for each, _ in part}.values()
    has_math = [each.has_math for each in lines]
    return any(has_math) and all(
        has_math or not count_words(each.line.text) for has_math, each in zip(has_math, lines)
    )


def _is_number(part: _Part) -> bool:
    """Whether letters are a number of one line."""
    (read, first), (last, end) = part[0], part[-1]
    return read is last and NUMBER.fullmatch(read.letters[first : end + 1]) is not None


def _are_variables(part: _Part, places: LetterPlaces) -> bool:
    """Whether letters are of a font of mathematics, or italic and no words."""
    glyphs = [glyph for each, at in part if (glyph := each.glyphs[at]) is not None]
    kinds = [font_kind(places.font(glyph.at)) for glyph in glyphs]
    if any(kind.math for kind in kinds):
        return True
    italic = [kind.italic for glyph, kind in zip(glyphs, kinds) if glyph.text.isalpha()]
    text = "".join(each.letters[at] for each, at in part)
    return bool(italic) and all(italic) and _NAME.search(text) is None


def find_roots(
    read: LetteredLine, bars: Sequence[Rect], places: LetterPlaces
) -> dict[Rect, list[tuple[LetteredLine, int]]]:
    """The bars of roots with the letters under each; the degree of a root is raised."""
    found = dict[Rect, list[tuple[LetteredLine, int]]]()
    for at in (at for at, letter in enumerate(read.letters) if letter == _ROOT):
        bar = _bar_of_root(read, at, bars)
        if bar is None:
            continue
        below = [other for other in bars if _reaches_over(other, bar)]
        end = at + 1
        while end < len(read.letters) and _is_under(read.glyphs[end], bar, below):
            end += 1
        while read.glyphs[end - 1] is None:  # what has no place may be behind the root
            end -= 1
        found[bar] = [(read, under) for under in range(at + 1, end)]
        read.parts.add(at + 1)
        read.first.discard(at + 1)
        _raise_degree(read, at, places)
    return found


def _bar_of_root(read: LetteredLine, at: int, bars: Sequence[Rect]) -> Rect | None:
    """The bar of a root: the lowest one above the letter behind the sign that begins with it."""
    letter = read.glyphs[at + 1] if at + 1 < len(read.glyphs) else None
    if letter is None:
        return None
    near = [
        bar
        for bar in bars
        if abs(bar.left - letter.box.left) <= _BEGINS * read.size
        and 0 < letter.box.bottom - bar.middle_y <= _HIGHEST * read.size
        and bar.middle_y <= letter.box.middle_y
    ]
    return max(near, key=lambda bar: bar.middle_y, default=None)


def _reaches_over(other: Rect, bar: Rect) -> bool:
    """Whether a bar is below that of a root and begins before it, as that of a fraction does in
    which the root stands.
    """
    shared = other.shared_width(bar)
    return other.middle_y > bar.middle_y and other.left < bar.left - 1 and shared > 0


def _is_under(glyph: Glyph | None, bar: Rect, below: Iterable[Rect]) -> bool:
    if glyph is None:
        return True
    x, y = glyph.box.middle_x, glyph.box.middle_y
    return (
        bar.left - 1 <= x <= bar.right
        and glyph.box.bottom > bar.middle_y
        and not any(other.middle_y < y and other.left <= x <= other.right for other in below)
    )


def mark_overlines(
    read: LetteredLine, bars: Iterable[Rect], placed: PlacedGlyphs, places: LetterPlaces
) -> set[Rect]:
    """Write a bar that is drawn over letters of a formula, and has nothing above it, with them; one
    above a line of words, such as the first of the footnotes, is none.

    Returns the bars that have: of fractions that are not written as such.
    """
    unread = set[Rect]()
    for bar in bars:
        under = [
            at
            for at, glyph in enumerate(read.glyphs)
            if glyph is not None and _is_right_under(glyph, bar, read.size, places)
        ]
        if not under or under[-1] - under[0] >= len(under):
            continue
        letters = [glyph for at in under if (glyph := read.glyphs[at])]
        box = enclosing(letter.box for letter in letters)
        is_wide = abs(box.width - bar.width) <= _BEGINS * read.size
        if not is_wide or not _are_variables([(read, at) for at in under], places):
            continue
        if is_prose("".join(" " * (at in read.first) + read.letters[at] for at in under)):
            continue
        if _has_numerator(bar, min(places.size(letter.at) for letter in letters), placed, places):
            unread.add(bar)
            continue
        for at in under:
            read.behind[at] = _OVERLINES[len(under) == 1] + read.behind.get(at, "")
    return unread


def _has_numerator(bar: Rect, size: float, placed: PlacedGlyphs, places: LetterPlaces) -> bool:
    """Whether letters stand right above a bar, and none beside these: a line of text goes on, and
    a script of that is smaller than what is under the bar.
    """
    around = Rect(bar.left - size, bar.top - size, bar.right + size, bar.bottom)
    above = [glyph for glyph in placed.inside(around) if glyph.box.middle_y < bar.top]
    if any(glyph.box.bottom >= bar.top - _OVER_FREE * size for glyph in above):
        return True
    return bool(above) and all(
        bar.left - 1 <= glyph.box.middle_x <= bar.right + 1 and places.size(glyph.at) > SMALL * size
        for glyph in above
    )


def _is_right_under(glyph: Glyph, bar: Rect, line_size: float, places: LetterPlaces) -> bool:
    foot, size = glyph.box.bottom, places.size(glyph.at)
    within = bar.left - 1 <= glyph.box.middle_x <= bar.right + 1
    return within and _OVER_LOW * size <= foot - bar.middle_y <= _OVER_HIGH * line_size


def _raise_degree(read: LetteredLine, at: int, places: LetterPlaces) -> None:
    """Write the small number or letter before a root as its degree: `³√x`."""
    glyph = read.glyphs[at - 1] if at and at not in read.first else None
    under = read.glyphs[at + 1]
    if glyph is None or under is None:
        return
    # behind a letter it is a script of that
    is_free = at - 1 in read.first or not read.letters[at - 2].isalnum()
    is_raised = places.baseline(glyph.at) - places.baseline(under.at) > _DEGREE * read.size
    form = script_text(read.letters[at - 1], raised=True)
    if len(form) == 1 and is_free and is_raised and places.size(glyph.at) <= SMALL * read.size:
        read.parts.add(at - 1)
        read.degrees[at - 1] = form


def mark_rows(read: LetteredLine) -> None:
    """Part what stands above and below one another in brackets, as in a binomial, and has no bar:
    small letters right behind an opening bracket are no scripts of it.
    """
    for raised, lowered in pairwise(_runs(read.scripts)):
        if raised[0] not in read.scripts:  # the lower row of the brackets before
            continue
        base = read.scripts[raised[0]].base
        above, below = read.scripts[raised[0]], read.scripts[lowered[0]]
        if not (read.letters[base] in _OPENING and above.raised and below == (False, base)):
            continue
        for at in (*raised, *lowered):
            del read.scripts[at]
        read.rows += raised, lowered
        read.behind[raised[-1]] = read.behind.get(raised[-1], "") + "; "


def is_tall(line: Line) -> bool:
    """Whether a line is so high that letters of one size may stand above one another in it."""
    return line.box.height > _TALL * line.size


def mark_tall_rows(read: LetteredLine, places: LetterPlaces) -> None:
    """Part the rows of a matrix, a binomial or of cases in a bracket that follow one another."""
    taken = 0
    for at, letter in enumerate(read.letters):
        if letter in _OPENING and at >= taken:
            rows, taken = _rows_behind(read, at, places)
            is_closed = read.letters[taken : taken + 1] in (")", "]", "}", "\u27e9")
            if len(rows) < _LEAST_ROWS or not (is_closed or letter == "{"):
                continue
            if any(under[0] == row[-1] + 1 for row in rows for under in read.under_bars):
                continue  # the parts of a fraction
            for row in rows[:-1]:
                sign = ";" if row[-1] + 1 in read.first else "; "
                read.behind[row[-1]] = read.behind.get(row[-1], "") + sign
            read.rows += rows
            ends = [at, *chain.from_iterable(rows), *([taken] if is_closed else [])]
            box = enclosing(glyph.box for n in ends if (glyph := read.glyphs[n]))
            read.stacked.append(box.grown(read.size, 0))


def _rows_behind(
    read: LetteredLine, opening: int, places: LetterPlaces
) -> tuple[list[list[int]], int]:
    """The rows of letters behind a bracket, each below and left of the end of that before, and
    where they end.
    """
    rows: list[list[int]] = [[]]
    row: float | None = None
    before, end = read.glyphs[opening], opening + 1
    while end < len(read.letters) and (glyph := read.glyphs[end]) is not None:
        baseline = places.baseline(glyph.at)
        if end not in read.scripts:
            if row is None:
                row = baseline
            elif (
                before is not None
                and row - baseline >= _NEXT_ROW * read.size
                and glyph.box.left < before.box.right
            ):
                rows.append([])
                row = baseline
            elif abs(baseline - row) > _SAME_ROW * read.size:
                break
        rows[-1].append(end)
        before, end = glyph, end + 1
    return rows, end


def _runs(scripts: Mapping[int, Script]) -> list[list[int]]:
    """The letters of each script, one behind the other."""
    runs: list[list[int]] = []
    for at in sorted(scripts):
        if runs and runs[-1][-1] == at - 1 and scripts[at - 1] == scripts[at]:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def mark_parts(parts: Sequence[tuple[_Part, str]]) -> None:
    """Put each part in brackets, unless it is a single letter or a number, the longest first."""
    for part, sign in sorted(parts, key=lambda each: -len(each[0])):
        bare = "".join(read.letters[at] for read, at in part if at not in read.scripts)
        opening, closing = ("", "") if len(bare) == 1 or NUMBER.fullmatch(bare) else ("(", ")")
        (read, at), (last, end) = part[0], part[-1]
        read.before[at] = read.before.get(at, "") + opening
        last.behind[end] = closing + sign + last.behind.get(end, "")
