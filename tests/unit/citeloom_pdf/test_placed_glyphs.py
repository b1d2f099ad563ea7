"""The letters of a page by place."""

from __future__ import annotations

from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect


def glyph(order: int, left: float, top: float) -> Glyph:
    return Glyph(order, "x", Rect(left, top, left + 4, top + 10), spaced=False)


def test_letters_are_found_by_their_middle_in_the_order_of_the_text() -> None:
    glyphs = [glyph(0, 50, 0), glyph(1, 10, 0), glyph(2, 10, 40), glyph(3, 20, 0)]
    placed = PlacedGlyphs(glyphs)
    assert placed.inside(Rect(0, 0, 52, 5)) == [glyphs[0], glyphs[1], glyphs[3]]
    assert placed.inside(Rect(0, 0, 51.9, 5)) == [glyphs[1], glyphs[3]]
    assert placed.inside(Rect(0, 5.1, 100, 44.9)) == []
    assert placed.inside(Rect(0, 44, 100, 46)) == [glyphs[2]]


def test_a_page_without_letters_has_none_in_any_place() -> None:
    assert PlacedGlyphs([]).inside(Rect(0, 0, 600, 800)) == []
