"""Names of glyphs in place of letters, as a score has them."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.glyph_names import has_names, is_name, without_names


@dataclass
class Cell:
    text: str
    r_x0: float
    r_x1: float
    r_y1: float = 100.0
    r_y2: float = 110.0


NOTE = Word(Rect(120, 100, 126, 110), "noteheads", "Emmentaler")


def test_a_word_too_narrow_for_its_letters_is_a_name() -> None:
    assert has_names([Cell("Allegro", 10, 45), Cell("noteheads", 120, 126)])
    assert not has_names([Cell("Allegro", 10, 45), Cell("illicit", 50, 74), Cell("iiii", 80, 86)])


def test_only_a_single_glyph_of_four_letters_or_more_has_a_name() -> None:
    names = ["clefs", "accidentals.flat", "ffi", "a", "(cid:3)"]
    assert [name for name in names if is_name(name)] == ["clefs", "accidentals.flat"]


def test_names_are_left_out_where_their_glyphs_stand() -> None:
    line = Rect(100, 98, 200, 112)
    assert without_names("2 noteheads", line, [NOTE]) == "2"
    assert without_names("noteheadsnoteheads", line, [NOTE, NOTE]) == ""
    assert without_names("the noteheads are noteheads", line, [NOTE]) == "the noteheads are"
    assert without_names("the noteheads", Rect(100, 200, 200, 212), [NOTE]) == "the noteheads"
