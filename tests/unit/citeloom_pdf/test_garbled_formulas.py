"""Formulas whose font has the codes of other letters are doubted."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect
from citeloom_pdf.elements.page import Line, Style, Word
from citeloom_pdf.parsing.raised_letters import with_scripts

BOX = Rect(0, 0, 20, 10)


class Places:
    """All letters stand on one line."""

    def baseline(self, position: int) -> float:
        return 0.0

    def size(self, position: int) -> float:
        return 10.0

    def font(self, position: int) -> str:
        return "CMMI10"


@pytest.mark.parametrize(
    ("letter", "font", "is_doubtful"),
    [
        ("\u00b4", "ABCDEF+CMMI10", True),
        ("\u2663", "CMSY10", True),
        ("\u00a7", "CMSY10", True),
        ("\u00a74", "CMSY10", False),
        ("\u03b2", "ABCDEF+CMMI10", False),
        ("\u00b1", "CMSY10", False),
        ("\u00af", "CMMI10", True),
        ("\u00fb", "CMMI10", False),
        ("\u00b4", "Times-Roman", False),
    ],
)
def test_codes_of_other_letters_are_doubted(letter: str, font: str, is_doubtful: bool) -> None:
    line = Line(BOX, f"y = {letter}", Style(10.0, math=0.5), (Word(BOX, letter, font),))
    glyphs = PlacedGlyphs([Glyph(0, "y", Rect(0, 0, 5, 10), False, 0)])
    _, places = with_scripts([line], glyphs, Places(), [])
    assert places.doubtful == ((BOX,) if is_doubtful else ())
