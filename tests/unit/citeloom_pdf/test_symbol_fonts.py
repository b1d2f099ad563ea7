# ruff: noqa: RUF001 - signs that look like others are what is meant here
"""Signs of Wingdings and Symbol under the codes of letters, or codes for private use."""

from __future__ import annotations

import pytest

from citeloom_pdf.parsing.symbol_fonts import signs_of


@pytest.mark.parametrize(
    ("text", "font", "printed"),
    [
        ("\uf076", "/ABCDEE+Wingdings", "❖"),
        ("l n", "ABCDEE+Wingdings-Regular", "● ■"),
        ("\uf0fe \uf0e0", "Wingdings", "☑ →"),
        ("\uf061\uf0b3\uf0b7", "/SymbolMT", "α≥•"),
        ("alpha", "Symbol", "alpha"),
        ("\uf061", "Wingdings2", "\uf061"),
        ("barley", "/F1+Helvetica", "barley"),
        ("", "Wingdings", ""),
    ],
)
def test_a_sign_is_read_as_it_is_printed(text: str, font: str, printed: str) -> None:
    assert signs_of(text, font) == printed
