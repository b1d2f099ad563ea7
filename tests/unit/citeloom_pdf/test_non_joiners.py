"""Non-joiners by the glyphs that programs draw for them."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
import typst

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.elements.text import NON_JOINER, normalised
from citeloom_pdf.parsing.non_joiners import with_non_joiners
from citeloom_pdf.parsing.opened_pages import OpenedPage


@pytest.fixture
def page(tmp_path: Path) -> OpenedPage:
    """A page without text."""
    path = tmp_path / "a.pdf"
    path.write_bytes(typst.compile(b"#rect()"))
    return OpenedPage(pypdfium2.PdfDocument(path), 1)


def glyph(text: str, left: float, width: float) -> Word:
    return Word(Rect(left, 0, left + width, 10), text, "F")


@pytest.mark.parametrize("left", [13, 11])
@pytest.mark.parametrize("drawn", ["", " ", NON_JOINER])
def test_a_glyph_that_moves_the_pen_no_further_parts_the_letters_beside_it(
    drawn: str, left: float, page: OpenedPage
) -> None:
    """`می‌رود`, drawn from left to right: the letter before it begins where it does, or ends."""
    letters = [glyph("ر", 10, 3), glyph(drawn, left, 2), glyph("ی", 13, 6), glyph("م", 19, 3)]
    found = with_non_joiners(letters, page)
    assert [letter.text for letter in found] == ["ر", "", "ی" + NON_JOINER, "م"]


@pytest.mark.parametrize("drawn", ["", " "])
def test_a_space_or_a_glyph_with_a_width_of_its_own_is_no_non_joiner(
    drawn: str, page: OpenedPage
) -> None:
    letters = [glyph("ر", 10, 3), glyph(drawn, 13, 2), glyph("ی", 15, 6)]
    assert with_non_joiners(letters, page) == letters
    latin = [glyph("a", 10, 3), glyph(drawn, 13, 2), glyph("b", 13, 6)]
    assert with_non_joiners(latin, page) == latin


def test_the_text_has_non_joiners_between_arabic_letters_alone() -> None:
    kept = f"می{NON_JOINER}رود"
    assert normalised(kept) == kept
    assert normalised(f"{NON_JOINER}می {NON_JOINER}رود a{NON_JOINER}b") == "می رود ab"
