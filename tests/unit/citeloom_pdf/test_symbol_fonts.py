# ruff: noqa: RUF001 - signs that look like others are what is meant here
"""Signs of Wingdings and Symbol under the codes of letters, or codes for private use."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.symbol_fonts import signs_of, with_signs_of_fonts


@pytest.mark.parametrize(
    ("text", "font", "printed"),
    [
        ("\uf076", "/ABCDEE+Wingdings", "❖"),
        ("l n", "ABCDEE+Wingdings-Regular", "● ■"),
        ("\uf0fe \uf0e0", "Wingdings", "☑ →"),
        ("\uf061\uf0b3\uf0b7", "/SymbolMT", "α≥•"),
        ("alpha", "Symbol", "alpha"),
        ("Z T q", "/ABCDEF+MarVoSym", "☞ ☎ \ufffd"),
        ("\u272d", "/ABCDEF+LASY10", "\u2039"),
        ("\uf061", "Wingdings2", "\uf061"),
        ("barley", "/F1+Helvetica", "barley"),
        ("", "Wingdings", ""),
    ],
)
def test_a_sign_is_read_as_it_is_printed(text: str, font: str, printed: str) -> None:
    assert signs_of(text, font) == printed


def test_letters_in_one_part_of_a_line_with_a_sign_are_of_their_own_fonts() -> None:
    letters = [
        Word(Rect(5.0 * at, 0, 5.0 * at + 4, 10), text, "/A+MarVoSym" if at == 0 else "/B+CMR10")
        for at, text in enumerate("Z Take T")
    ]
    line = Word(enclosing(letter.box for letter in letters), "Z Take T", "/A+MarVoSym")
    sign, other = letters[0], letters[-1]
    found = with_signs_of_fonts([line, sign, other], letters)
    assert [each.text for each in found] == ["☞ Take T", "☞", "T"]


def test_two_signs_of_latex_are_a_guillemet() -> None:
    opening = [Word(Rect(4.0 * at, 0, 4.0 * at + 3, 10), "\u272d", "/LASY10") for at in range(2)]
    closing = [each._replace(box=Rect(44, 0, 47, 10), text="\u272e") for each in opening]
    word = [
        Word(Rect(5.0 * at, 0, 5.0 * at + 4, 10), "mill"[at - 3], "/CMR10") for at in range(3, 7)
    ]
    letters = [*opening, *word, *closing]
    line = Word(
        enclosing(letter.box for letter in letters), "\u272d\u272d mill \u272e\u272e", "/CMR10"
    )
    (read,) = with_signs_of_fonts([line], letters)
    assert read.text == "« mill »"
