"""Letters of mathematics have the codes of plain ones in TeX's fonts, and signs come in parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom_pdf.elements.geometry import PlacedGlyphs
from citeloom_pdf.parsing.formula_letters import (
    fonts_of_signs,
    has_wide_accent,
    is_code,
    styled,
    with_angles_alike,
    with_whole_signs,
)
from tests.unit.citeloom_pdf.pages import line


@pytest.mark.parametrize(
    ("letter", "font", "expected"),
    [
        ("R", "ABCDEF+MSBM10", "\u211d"),
        ("E", "MSBM7", "\U0001d53c"),
        ("L", "CMSY10", "\u2112"),
        ("P", "CMBSY10", "\U0001d4ab"),
        ("g", "EUFM10", "\U0001d524"),
        ("H", "EUFM10", "\u210c"),
        ("R", "CMR10", "R"),
        ("k", "MSBM10", "k"),  # its small letters are other signs
        ("\u2208", "CMSY10", "\u2208"),
        ("F", "PazoMathBlackboardBold", "\U0001d53d"),
        ("N", "txsyb", "\u2115"),
        ("\u01eb", "CMMI10", "\u03f5"),  # its name is `epsilon1`
        ("\u01eb", "CMR10", "\u01eb"),
        ("?", "ABCDEF+rtxmi", "\u22c6"),  # a star is under its code
        ("?", "CMMI10", "\u22c6"),
        ("?", "CMR10", "?"),
    ],
)
def test_letters_of_alphabets_are_told_by_their_font(letter: str, font: str, expected: str) -> None:
    assert styled(letter, font) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a \u0338= b", "a \u2260 b"),
        ("a \u0338\u2261 0", "a \u2262 0"),
        ("x /\u2208 A", "x \u2209 A"),
        ("A \u21a6\u2192 B", "A \u21a6 B"),
        ("from \u20d7v and", "from v\u20d7 and"),
        ("the \u0302\u03b2\u1d62\u2c7c of", "the \u03b2\u0302\u1d62\u2c7c of"),
        ("the \u0302xy of", "the \u0302xy of"),  # over both, or over one of them
        ("G \u223c= H", "G \u2245 H"),
        ("a/b", "a/b"),
        ("e\u0301te\u0301", "e\u0301te\u0301"),
    ],
)
def test_signs_in_two_parts_are_one(text: str, expected: str) -> None:
    assert with_whole_signs(text) == expected


def test_an_accent_before_several_letters_is_told() -> None:
    assert has_wide_accent("the \u0302xy of")
    assert not has_wide_accent("the x\u0302y of")


def test_pieces_of_tall_bars_are_one_bar() -> None:
    assert with_whole_signs("\u2225\u2225\u2225x\u2225\u2225\u2225") == "\u2225x\u2225"


def test_a_small_letter_of_a_font_of_signs_is_a_code() -> None:
    assert is_code("j", "CMSY9")
    assert not is_code("j", "CMMI9")
    assert not is_code("A", "CMSY9")


def test_an_unnamed_or_numbered_font_without_words_is_one_of_signs() -> None:
    text, italics, figures = ("/F24", "Gravel moves when"), ("/F27", "x aij f"), ("/F23", "1 2 (3)")
    named, numbered = ("Serif", "x y"), ("/ABCDEF+AdvP414BFB", "5 2 3")
    prose = ("/ABCDEF+AdvP7627", "Gravel moves")
    lines = [
        replace(
            row := line(words, 50, 100 + 12 * at),
            words=tuple(word._replace(font=font) for word in row.words),
        )
        for at, (font, words) in enumerate((text, italics, figures, named, numbered, prose))
    ]
    signs = {"/F27", "/ABCDEF+AdvP414BFB"}
    assert fonts_of_signs(lines, PlacedGlyphs([]), lambda _: "") == signs


@pytest.mark.parametrize(
    "text", ["\u00a7", "\u2022 \u25cf", "\u00b6 \u2020 \u00a9", "\u201c \u2014"]
)
def test_a_font_of_marks_that_are_read_plainly_is_none_of_signs(text: str) -> None:
    row = line(text, 50, 100)
    marks = replace(row, words=tuple(word._replace(font="/F27") for word in row.words))
    assert fonts_of_signs([marks], PlacedGlyphs([]), lambda _: "") == frozenset()


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("\u2329name\u27e9", "\u27e8name\u27e9"),
        ("\u27e8x\u3009", "\u27e8x\u27e9"),
        ("\u3008\u66f8\u3009", "\u3008\u66f8\u3009"),
    ],
)
def test_angle_brackets_of_a_line_are_of_one_kind(letters: str, expected: str) -> None:
    assert with_angles_alike(letters) == expected
