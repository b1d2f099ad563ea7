"""The text of a table's cell: its words in the order of their lines, raised ones marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

from citeloom_pdf.elements.direction import has_from_right, read_measure, words_in_order
from citeloom_pdf.elements.geometry import PlacedGlyphs, Rect, enclosing
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.elements.text import Vocabulary, join

_FULL = 0.8  # of the tallest: smaller words stand beside these, raised or lowered
_SAME_LINE = 0.5  # of the height: how far middles of full words may be apart
_NEAR_LINE = 0.9  # and that of a small one from its line
_OVER = 0.5  # of the narrower of two boxes: one is above the other
_LEAST_PRINT = 5  # characters of a line in small print
_MARK_HEIGHT = 1.6  # of the words' height: letters of a mark across the page are taller
_SMALL = 0.88  # of its neighbours' height: a raised letter is smaller
_RAISED = 0.12  # of its neighbours' height: and its middle is higher by this
_LIFTED = 0.4  # of their height: and its lower end, where `g` alone goes below the others
_TOUCHING = 0.5  # points
_ATTACHED = 0.3  # of the height: a raised word belongs to the one before it
_MARK = "^"
_NO_WORDS = Vocabulary([])
_NO_LINES: Mapping[frozenset[Word], str] = MappingProxyType({})


Printed = Mapping[frozenset[Word], str]  # the text of each line by its words


def printed_from_right(lines: Iterable[Line]) -> Printed:
    """The texts of the lines that have letters from the right, by their words."""
    return {frozenset(line.words): line.text for line in lines if has_from_right(line.text)}


def cell_text(
    words: Sequence[Word],
    height: float,
    glyphs: PlacedGlyphs | None,
    *,
    printed: Printed = _NO_LINES,
    from_right: bool = False,
) -> str:
    """The words of a cell as text, lines as they are `printed` where the cell has all their words;
    what is raised follows what it raises, after a `^`. A line feed stays where perhaps no space
    belongs between two lines, as the words of the document tell.
    """
    lines = [
        printed.get(frozenset(line)) or _line_text(line, glyphs)
        for line in lines_of_cell(words, height)
    ]
    text = ""
    for line in map(read_measure, lines) if from_right else lines:
        is_open = join(text, line, _NO_WORDS) != (text, " ")
        text += f"\n{line}" if text and is_open else f" {line}" if text else line
    return text


def lines_of_cell(words: Sequence[Word], height: float) -> list[list[Word]]:
    """The words by line, from left to right; a small word goes to the nearest line, but for those
    of lines in small print. A letter of a mark across the page tells nothing of the words' height.
    """
    heights = [word.box.height for word in words]
    usual = [each for each in heights if each <= _MARK_HEIGHT * height]
    tallest = max(usual if len(usual) > 0.5 * len(heights) else heights, default=0.0)
    full = [word for word in words if word.box.height >= _FULL * tallest]
    smaller = [word for word in words if word.box.height < _FULL * tallest]
    lines = _small_print(smaller, full, height)
    printed = {id(word) for line in lines for word in line}
    for word in sorted(
        (word for word in words if id(word) not in printed),
        key=lambda word: (word.box.height < _FULL * tallest, _middle_of_word(word)),
    ):
        small = word.box.height < _FULL * tallest
        nearest = min(
            lines,
            key=lambda line: abs(_middle_of_word(line[0]) - _middle_of_word(word)),
            default=None,
        )
        reach = _NEAR_LINE * tallest if small else _SAME_LINE * height
        if (
            nearest is not None
            and abs(_middle_of_word(nearest[0]) - _middle_of_word(word)) <= reach
        ):
            nearest.append(word)
        else:
            lines.append([word])
    lines.sort(key=lambda line: _middle_of_word(line[0]))
    return [sorted(line, key=lambda word: word.box.left) for line in lines]


def _small_print(small: Sequence[Word], full: Sequence[Word], height: float) -> list[list[Word]]:
    """The lines of small words that stand above or below words of the cell, as intervals stand
    below estimates: as long as these, and no signs of a formula.
    """
    runs: list[list[Word]] = []
    for word in sorted(small, key=lambda word: (round(word.box.middle_y), word.box.left)):
        last = runs[-1][-1].box if runs else word.box
        beside = abs(last.middle_y - word.box.middle_y) <= _SAME_LINE * last.height
        if runs and beside and 0 <= word.box.left - last.right <= height:
            runs[-1].append(word)
        else:
            runs.append([word])
    return [
        run
        for run in runs
        if sum(len(word.text) for word in run) >= _LEAST_PRINT
        and any(_stands_over(enclosing(word.box for word in run), word.box) for word in full)
    ]


def _stands_over(box: Rect, other: Rect) -> bool:
    """Whether a box is above or below another of a line next to it, rather than beside it."""
    apart = abs(box.middle_y - other.middle_y)
    near = _SAME_LINE * other.height < apart <= _NEAR_LINE * other.height
    return near and box.shared_width(other) > _OVER * min(box.width, other.width)


def _middle_of_word(word: Word) -> float:
    return word.box.middle_y


def _line_text(line: Sequence[Word], glyphs: PlacedGlyphs | None) -> str:
    if any(has_from_right(word.text) for word in line):
        return " ".join(words_in_order([w.text for w in sorted(line, key=lambda w: w.box.right)]))
    text = ""
    before: Word | None = None
    for word in line:
        raised = before is not None and _is_raised(word.box, before.box)
        near = before is not None and word.box.left - before.box.right <= (
            _ATTACHED * before.box.height
        )
        if raised and near:
            text += f"{_MARK}{word.text}"
            continue
        text += ("" if not text or _is_joined(before, word) else " ") + _with_marks(word, glyphs)
        before = word
    return text


def _is_joined(before: Word | None, word: Word) -> bool:
    """Whether an underscore between two words touches both."""
    gap = word.box.left - before.box.right if before else 1.0
    return gap < _TOUCHING and before is not None and "_" in (before.text, word.text)


def _is_raised(box: Rect, beside: Rect) -> bool:
    smaller = box.height < _SMALL * beside.height
    higher = beside.middle_y - box.middle_y > _RAISED * beside.height
    return smaller and higher and beside.bottom - box.bottom > _LIFTED * beside.height


def _with_marks(word: Word, glyphs: PlacedGlyphs | None) -> str:
    """The word with a mark before each raised part of it."""
    marks = glyphs.inside(word.box.grown(0.5, 0.5)) if glyphs else []
    letters = sorted(marks, key=lambda glyph: glyph.box.left)
    if "".join(glyph.text for glyph in letters) != word.text:
        return word.text
    # the box of a minus sign may be taller than that of the figure behind it
    of_text = [glyph for glyph in letters if glyph.text.isalnum()] or letters
    text, base = "", max(of_text, key=lambda glyph: glyph.box.height).box
    for raised, run in groupby(letters, key=lambda glyph: _is_raised(glyph.box, base)):
        text += (_MARK if raised else "") + "".join(glyph.text for glyph in run)
    return text
