"""The text of a table's cell: its words in the order of their lines, raised ones marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect
from citeloom.infrastructure.conversion.pdf_layout.elements.glyphs import Glyph, PlacedGlyphs
from citeloom.infrastructure.conversion.pdf_layout.elements.page import Word
from citeloom.infrastructure.conversion.pdf_layout.elements.text import Vocabulary, joined

_FULL = 0.8  # of the tallest: smaller words stand beside these, raised or lowered
_SAME_LINE = 0.5  # of the height: how far middles of full words may be apart
_NEAR_LINE = 0.9  # and that of a small one from its line
_SMALL = 0.88  # of its neighbours' height: a raised letter is smaller
_RAISED = 0.12  # of its neighbours' height: and its middle is higher by this
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
    for word in sorted(words, key=lambda word: (word.box.height < _FULL * tallest, _middle(word))):
        small = word.box.height < _FULL * tallest
        nearest = min(lines, key=lambda line: abs(_middle(line[0]) - _middle(word)), default=None)
        reach = _NEAR_LINE * tallest if small else _SAME_LINE * height
        if nearest is not None and abs(_middle(nearest[0]) - _middle(word)) <= reach:
            nearest.append(word)
        else:
            lines.append([word])
    lines.sort(key=lambda line: _middle(line[0]))
    return [sorted(line, key=lambda word: word.box.left) for line in lines]


def _middle(word: Word) -> float:
    return word.box.middle_y


def _line_text(line: Sequence[Word], glyphs: PlacedGlyphs | None) -> str:
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
    return smaller and beside.middle_y - box.middle_y > _RAISED * beside.height


def _with_marks(word: Word, glyphs: PlacedGlyphs | None) -> str:
    """The word with a mark before each raised part of it."""
    found = glyphs.inside(word.box.grown(0.5, 0.5)) if glyphs else []
    letters = sorted(found, key=lambda glyph: glyph.box.left)
    if "".join(glyph.text for glyph in letters) != word.text:
        return word.text
    return "".join(_marked(letters))


def _marked(letters: Sequence[Glyph]) -> Iterator[str]:
    base = max(letters, key=lambda glyph: glyph.box.height).box
    for raised, run in groupby(letters, key=lambda glyph: _is_raised(glyph.box, base)):
        text = "".join(glyph.text for glyph in run)
        yield f"{_MARK}{text}" if raised else text
