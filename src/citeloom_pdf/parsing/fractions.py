"""Fractions: letters above and below a bar that is drawn between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from citeloom_pdf.elements.geometry import Glyph, Rect, enclosing
from citeloom_pdf.elements.page import Line, Word

_SHORTEST, _LONGEST = 2.0, 250.0  # points: bars
_MOST = 120  # bars of a page: with more it has a plot or a table
_FILLED = 0.7  # of a bar: the longer of its two parts is about as long as it is
_OFF_MIDDLE = 0.5  # of the font size: how far each part may be off the bar's middle
_FARTHEST = 2.5  # of the font size: how far letters are above or below their bar
_NEAREST = 1.2  # of the font size: and the middle of the nearest one
_TOUCHING = 1.0  # of the font size: how far a line with parts of a fraction ends from its bar
_NOWHERE = (float("nan"),) * 3  # of a letter whose place is not known
_OUT = 1.0  # points: how far a letter may reach out of its bar


class Fraction(NamedTuple):
    """Among letters, where a fraction begins, where what is below its bar does, and its end."""

    start: int
    below: int
    end: int
    bar: Rect


def bars_of(strokes: Iterable[Rect]) -> list[Rect]:
    """The strokes that may be bars of fractions; none of a page with a plot."""
    bars = [rect for rect in strokes if _SHORTEST <= rect.width <= _LONGEST]
    return list(dict.fromkeys(bars)) if len(bars) <= _MOST else []


def touches_bar(line: Line, bars: Iterable[Rect]) -> bool:
    """Whether a bar is near enough to a line for a part of its fraction to be there."""
    reach = line.box.grown(0, _TOUCHING * line.size)
    return any(reach.shared_width(bar) > 0 and reach.shared_height(bar) >= 0 for bar in bars)


def find_fractions(letters: Sequence[Glyph | None], bars: Iterable[Rect]) -> list[Fraction]:
    """The fractions among letters in the order in which they were set, the longest bars first."""
    found = []
    places = np.array(
        [(g.box.middle_x, g.box.middle_y, g.box.height) if g else _NOWHERE for g in letters]
    )
    for bar in sorted(bars, key=lambda bar: -bar.width):
        sides = _sides(places, bar)
        for below in np.flatnonzero((sides[:-1] < 0) & (sides[1:] > 0)).tolist():
            start, end = below, below + 2
            while start and sides[start - 1] < 0:
                start -= 1
            while end < len(sides) and sides[end] > 0:
                end += 1
            above, under = letters[start : below + 1], letters[below + 1 : end]
            if _fit([g for g in above if g], [g for g in under if g], bar):
                found.append(Fraction(start, below + 1, end, bar))
                break
    return found


def with_fractions_of_numbers(
    letters: Sequence[Word], bars: Sequence[Rect]
) -> tuple[list[Word], list[tuple[Rect, Word]]]:
    """The letters of a page as they were set, each fraction of numbers as one, `1/2`, of the height
    of its letters, and these with the places of their parts: a line that is read from the right is
    put together by places.
    """
    if not any(letter.text.isdecimal() and _is_by_bar(letter.box, bars) for letter in letters):
        return list(letters), []
    near = [letter if _is_by_bar(letter.box, bars) else None for letter in letters]
    glyphs = [Glyph(at, w.text, w.box, False) if w else None for at, w in enumerate(near)]
    whole = list[Word | None](letters)
    fractions = list[tuple[Rect, Word]]()
    for start, below, end, _ in find_fractions(glyphs, bars):
        above = "".join(letter.text for letter in letters[start:below])
        under = "".join(letter.text for letter in letters[below:end])
        if above.isdecimal() and under.isdecimal():
            box, half = enclosing(w.box for w in letters[start:end]), letters[start].box.height / 2
            in_line = Rect(box.left, box.middle_y - half, box.right, box.middle_y + half)
            whole[start:end] = [None] * (end - start)
            whole[start] = word = Word(in_line, f"{above}/{under}", letters[start].font)
            fractions.append((box, word))
    return [letter for letter in whole if letter is not None], fractions


def _is_by_bar(box: Rect, bars: Iterable[Rect]) -> bool:
    reach = _FARTHEST * box.height
    return any(
        bar.left - _OUT <= box.middle_x <= bar.right + _OUT
        and abs(bar.middle_y - box.middle_y) <= reach
        for bar in bars
    )


def _sides(places: NDArray[np.float64], bar: Rect) -> NDArray[np.int8]:
    """For each letter, whether it is above (-1) or below (1) a bar, or neither."""
    x, y, height = places.T
    known = height[height > 0]
    if known.size:
        height = np.fmax(height, np.median(known))  # a minus is low, and as near as its row
    away = y - bar.middle_y
    near = (x >= bar.left - _OUT) & (x <= bar.right + _OUT) & (abs(away) <= _FARTHEST * height)
    return np.where(near, np.sign(away), 0).astype(np.int8)


def _fit(above: Sequence[Glyph], below: Sequence[Glyph], bar: Rect) -> bool:
    """Whether the letters are set about the middle of the bar, and as wide as it is."""
    parts = [enclosing(letter.box for letter in part) for part in (above, below)]
    size = max(letter.box.height for letter in (*above, *below))
    if max(part.width for part in parts) < _FILLED * bar.width:
        return False
    centred = all(abs(part.middle_x - bar.middle_x) <= _OFF_MIDDLE * size for part in parts)
    nearest = [min(abs(g.box.middle_y - bar.middle_y) for g in part) for part in (above, below)]
    return centred and max(nearest) <= _NEAREST * size
