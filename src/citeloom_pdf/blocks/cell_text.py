"""The text of a table's cell: its words in the order of their lines, raised ones marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from citeloom_pdf.elements.direction import has_from_right, words_in_order
from citeloom_pdf.elements.geometry import PlacedGlyphs, Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.elements.text import Vocabulary, joined

_FULL = 0.8  # of the tallest: smaller words stand beside these, raised or lowered
_SAME_LINE = 0.5  # of the height: how far middles of full words may be apart
_NEAR_LINE = 0.9  # and that of a small one from its line
_SMALL = 0.88  # of its neighbours' height: a raised letter is smaller
_RAISED = 0.12  # of its neighbours' height: and its middle is higher by this
_LIFTED = 0.4  # of their height: and its lower end, where `g` alone goes below the others
_ATTACHED = 0.3  # of the height: a raised word belongs to the one before it
_MARK = "^"
_NO_WORDS = Vocabulary([])


def cell_text(words: Sequence[Word], height: float, glyphs: PlacedGlyphs | None) -> str:
    """The words of a cell as text; what is raised follows what it raises, after a `^`."""
    return joined([_line_text(line, glyphs) for line in _lines(words, height)], _NO_WORDS)


def _lines(words: Sequence[Word], height: float) -> list[list[Word]]:
    """The words by line, from left to right; a small word goes to the nearest line."""
    tallest = max((word.box.height for word in words), default=0.0)
    lines: list[list[Word]] = []
    for word in sorted(
        words, key=lambda word: (word.box.height < _FULL * tallest, _middle_of_word(word))
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
        text += (" " if text else "") + _with_marks(word, glyphs)
        before = word
    return text


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
    text, base = "", max(letters, key=lambda glyph: glyph.box.height).box
    for raised, run in groupby(letters, key=lambda glyph: _is_raised(glyph.box, base)):
        text += (_MARK if raised else "") + "".join(glyph.text for glyph in run)
    return text
