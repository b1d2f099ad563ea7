"""The normal form of texts: what counts, where its characters stand, and what cannot be in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.text.normal_form import NormalText, quotation_key, words_of

PLAIN = {ord("²"): "2"}  # behind a letter a raised digit is as a plain one
TEXTS = st.text(alphabet="aB \n\t-\u00ad\u00a0ﾊﾞ゛図ﬁ²\u00b4\u201c\u200b'x")


def test_what_two_spellings_of_a_text_have_in_common() -> None:
    assert (
        NormalText.of(" A  ﬁne\u00ad re-\nsearch \u201cﾊﾞ\u201d 10² ").text
        == 'a fine research "バ" 10²'
    )


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c3"),  # no letter depends on the next
        ("\u13d7\uab77", "\u13d7\u13a7"),  # Cherokee is folded into capitals
        ("I\u0130\u1e9e", "ii\u0307ss"),
        ("a\t\u2028\r\n b\u3000", "a b"),
        ("\uff76\uff9e\u00ad-\n", "\u30ac-"),
    ],
)
def test_a_letter_has_one_form_wherever_it_stands(text: str, form: str) -> None:
    assert NormalText.of(text).text == form


@given(TEXTS)
def test_each_character_comes_from_its_place(text: str) -> None:
    normal = NormalText.of(text)
    assert len(normal.text) == len(normal.offsets)
    assert list(normal.offsets) == sorted(normal.offsets)
    assert "  " not in normal.text
    assert normal.text == normal.text.strip()
    for start in range(len(normal.text)):
        first, last = normal.span(start, start + 1)
        if normal.text[start].isalnum():
            alone = NormalText.of(text[first : last + 1]).text
            assert normal.text[start] in alone + alone.translate(PLAIN)


@given(TEXTS, st.integers(0, 8), st.integers(1, 4))
def test_what_stands_in_a_text_is_never_ruled_out(text: str, start: int, length: int) -> None:
    part = NormalText.of(text).text[start : start + length]
    assert NormalText.of(part).may_stand_in(text)


def test_what_cannot_stand_in_a_text_is_ruled_out() -> None:
    assert not NormalText.of("研究").may_stand_in("図書館の研")
    assert NormalText.of("research").may_stand_in("re-\nsearch")


@pytest.mark.parametrize(
    ("printed", "typed"),
    [
        ("\u03c3² = 0.5", ["\u03c32 = 0.5", "\u03c3^2 = 0.5"]),
        ("H₂O", ["H2O", "H_2O"]),
        ("(a+b)²", ["(a+b)2", "(a+b)^2"]),
        ("5 s⁻¹", ["5 s-1", "5 s^-1"]),
        ("x₁₂", ["x12", "x_12"]),
    ],
)
def test_scripts_behind_letters_are_known_in_each_of_their_forms(
    printed: str, typed: list[str]
) -> None:
    for form in typed:
        assert NormalText.of(form).text == NormalText.of(printed).text
        assert NormalText.of(form).may_stand_in(f"where {printed} holds")
        assert quotation_key(form) == quotation_key(printed) == NormalText.key_of(printed).text


def test_powers_of_numbers_stay_apart_from_numbers() -> None:
    assert NormalText.of("10²").text != NormalText.of("102").text
    assert quotation_key("10¹²") == quotation_key("10^12") != quotation_key("1012")
    assert quotation_key("10⁻³") == quotation_key("10^-3") != quotation_key("10-3")


@pytest.mark.parametrize(
    ("printed", "typed"),
    [
        ("x\u1d62 and A\u1d40", ["x_i and A^T", "xi and AT", "x_{i} and A^{T}"]),
        ("x_(max) is", ["x_{max} is", "x_max is", "xmax is"]),
        ("10⁻³ of", ["10^{-3} of", "10^(\u22123) of"]),
        ("Ca²⁺", ["Ca^{2+}", "Ca2+"]),
        ("2\u207f", ["2^n", "2n"]),
        ("\u2016x\u2016₂", ["||x||_2"]),
    ],
)
def test_a_quotation_has_scripts_of_letters_in_any_form(printed: str, typed: list[str]) -> None:
    for form in typed:
        assert quotation_key(form) == quotation_key(printed)
        for text in (form, printed):
            normal = NormalText.key_of(text)
            assert (normal.text, len(normal.offsets)) == (quotation_key(text), len(normal.text))


def test_what_no_reader_sees_parts_no_word() -> None:
    assert words_of("می\u200cرود com\u00adputer") == words_of("میرود computer")
