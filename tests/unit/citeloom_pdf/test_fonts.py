from __future__ import annotations

import pytest

from citeloom_pdf.elements.fonts import font_kind, style_of_words
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from tests.unit.citeloom_pdf.pages import line, style


@pytest.mark.parametrize(
    "name",
    [
        "IQYOKY+t1xtt",
        "IQYOKY+t1xbtt",
        "t1xtt-Slant_167",
        "CMTT10",
        "CMITT10",
        "ectt1000",
        "NimbusMonL-Regu",
        "ABCDEF+SourceCodePro-Regular",
        "zi4-r",
        "Courier-Bold",
        "SFST1000",
        "SFIT1095",
        "CMTCSC10",
        "ABCDEF+Hack-Regular",
        "Iosevka-Output",
    ],
)
def test_a_typewriter_font_is_known_by_its_name(name: str) -> None:
    assert font_kind(name).mono


@pytest.mark.parametrize(
    "name",
    [
        "CMR10",
        "CMTI10",
        "TeXGyreTermes-Regular",
        "Scotty-Bold",
        "Cabinet-Roman",
        "CMMI7",
        "SFTI1000",
    ],
)
def test_a_proportional_font_is_not_taken_for_one(name: str) -> None:
    assert not font_kind(name).mono


@pytest.mark.parametrize(("size", "styled"), [(9.0, 9.0), (0.1, 12.0), (None, 12.0)])
def test_text_is_as_large_as_its_boxes_where_its_font_is_too_small(
    size: float | None, styled: float
) -> None:
    words = line("of gravel", 72, 100, look=style(12.0)).words
    assert style_of_words(words, style(), lambda _: size).size == styled


def test_lines_of_a_font_of_bitmaps_have_one_size_whatever_letters_are_in_them() -> None:
    """Boxes of ink: 10 points from the highest to the lowest letter."""
    sizes = [
        style_of_words(
            [Word(Rect(72, top, 90, bottom), text, "T3") for text, top, bottom in words],
            style(),
            lambda _: None,
        ).size
        for words in (
            [("some", 103, 107.8), ("use", 103, 107.8), ("of", 100, 107.8), ("gravel", 100, 110)],
            [("gauge", 103, 110), ("sauces", 103, 107.8), ("hold", 100, 107.8)],
        )
    ]
    assert sizes == pytest.approx([10, 10], rel=0.01)


def test_letters_from_the_right_are_no_code_in_any_font() -> None:
    words = [Word(Rect(0, 0, 30, 10), text, "Courier") for text in ("قناة", "الري", "12")]
    found = style_of_words(words, style(), lambda _: 10.0)
    assert found.mono == pytest.approx(0.2)
