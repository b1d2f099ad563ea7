# ruff: noqa: RUF001 - accents are what is tested here
"""Accents drawn as characters of their own, composed by where they stand."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.accents import (
    COMBINING,
    Character,
    composed_glyphs,
    with_accents,
    with_typed_signs,
)
from tests.unit.citeloom_pdf.pages import line

WIDE = 5.0
SPELT = {mark: accent for accent, mark in reversed(COMBINING.items())}


def drawn(text: str, left: float = 0.0, top: float = 0.0) -> list[Character]:
    """A text as TeX draws it: each accent, a step back, and its letter; `|` is a gap, a letter
    after `<` is drawn before its accent.
    """
    characters: list[Character] = []
    for letter in text:
        if letter in "| ":
            left += WIDE
            continue
        parts = unicodedata.normalize("NFD", letter)
        base, marks = parts[0], parts[1:]
        accents = [Character(SPELT[m], Rect(left, top, left + WIDE, top + 9)) for m in marks]
        characters += [*accents, Character(base, Rect(left, top, left + WIDE, top + 9))]
        left += WIDE
    return characters


def pieces(characters: Sequence[Character], *texts: str) -> list[Word]:
    """The characters cut into words of these texts, which name all of them in order."""
    words, start = [], 0
    for text in texts:
        count = len(text.replace(" ", ""))
        part = characters[start : start + count]
        words.append(Word(enclosing(character.box for character in part), text, "F"))
        start += count
    assert start == len(characters)
    return words


def read(characters: Sequence[Character], *texts: str) -> list[str]:
    return [word.text for word in with_accents(pieces(characters, *texts), characters)]


@pytest.mark.parametrize(
    ("printed", "parsed"),
    [
        ("théorème", ["th´eor`eme"]),
        ("señal|más", ["se~nal", "m´as"]),
        ("línea|de|órdenes", ["l´inea", "de ´", "ordenes"]),
        ("opción", ["opci´", "on"]),
        ("Århus", ["˚", "Arhus"]),
        ("Šķēde|ġ", ["ˇS¸k ¯ede", "˙g"]),
    ],
)
def test_an_accent_goes_to_the_letter_it_stands_over(printed: str, parsed: list[str]) -> None:
    characters = drawn(printed)
    assert "".join("".join(read(characters, *parsed)).split()) == printed.replace("|", "")


def test_parts_that_end_between_accent_and_letter_are_one() -> None:
    characters = drawn("opción|está")
    joined = with_accents(pieces(characters, "opci´", "on", "est´", "a"), characters)
    assert [(word.text, word.box.left, word.box.right) for word in joined] == [
        ("opción", 0.0, 6 * WIDE),
        ("está", 7 * WIDE, 11 * WIDE),
    ]


def test_a_letter_may_be_drawn_before_its_accent() -> None:
    cedilla = Character("¸", Rect(5, 0, 10, 9))
    characters = [*drawn("a"), Character("S", Rect(5, 0, 10, 9)), cedilla, *drawn("e", 10)]
    assert read(characters, "aS¸e") == ["aŞe"]
    assert read(characters, "aS", "¸e") == ["aŞe"]


def test_two_accents_stand_over_one_letter_the_lower_one_first() -> None:
    tilde, macron = Rect(0, -3, 5, 6), Rect(0, 0, 5, 9)
    characters = [Character("˜", tilde), Character("¯", macron), *drawn("x")]
    assert read(characters, "˜¯x") == ["x\u0304\u0303"]


def test_a_dotless_letter_gets_its_accent_and_no_dot() -> None:
    characters = [Character("ˆ", Rect(-1, 0, 4, 9)), Character("ı", Rect(0, 0, 3, 9))]
    assert read(characters, "ˆı") == ["î"]


@pytest.mark.parametrize("text", ["`code`", "a ^ b", "~/x", "x~y", "´"])
def test_an_accent_over_nothing_stays(text: str) -> None:
    characters = [
        Character(letter, Rect(WIDE * n, 0, WIDE * (n + 1), 9))
        for n, letter in enumerate(text)
        if letter != " "
    ]
    assert read(characters, text) == [text]


def test_an_accent_of_the_line_above_is_not_taken() -> None:
    characters = [Character("´", Rect(0, -12, 5, -3)), *drawn("e")]
    assert read(characters, "´", "e") == ["´", "e"]


def test_a_neighbour_that_is_not_there_changes_nothing() -> None:
    characters = drawn("ó")
    alone = [Word(characters[0].box, "opci´", "F")]
    assert [word.text for word in with_accents(alone, characters)] == ["opci´"]


@given(st.text(st.sampled_from("abcéñüçàîőšąŻ"), min_size=1, max_size=20), st.data())
def test_however_a_word_is_cut_its_letters_are_those_printed(
    word: str, data: st.DataObject
) -> None:
    characters = drawn(word)
    flat = "".join(character.text for character in characters)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(flat)), max_size=4)) | {0, len(flat)})
    parts = [flat[start:end] for start, end in zip(cuts, cuts[1:])]
    assert "".join(read(characters, *parts)) == word


def test_glyphs_are_composed_one_character_each() -> None:
    characters = [*drawn("né"), Character("ˆ", Rect(10, 0, 15, 9)), *drawn("x", 10)]
    glyphs = [Glyph(n, c.text, c.box, spaced=n == 2) for n, c in enumerate(characters)]
    assert [(g.order, g.text) for g in composed_glyphs(glyphs)] == [
        (0, "n"),
        (1, "é"),
        (2, "x"),
        (3, "\u0302"),
    ]


def test_a_tilde_of_code_and_of_an_address_is_the_sign_on_the_keys_and_of_prose_stays() -> None:
    read = line("see http://example.org/\u02dcmills/ and map\u02c6ki or \u02c6 alone", 50.0, 100.0)
    words = [
        word._replace(font="Mono-Regular") if "ki" in word.text else word for word in read.words
    ]
    typed = with_typed_signs(replace(read, words=tuple(words)), PlacedGlyphs([]))
    assert typed.text == "see http://example.org/~mills/ and map^ki or \u02c6 alone"
    assert [word.text for word in typed.words] == typed.text.split()


@pytest.mark.parametrize(("behind", "text"), [(0.0, "[^a-z]"), (4.0, "[\u02c6a-z]")])
def test_a_circumflex_right_before_its_neighbour_is_a_sign_of_its_own(
    behind: float, text: str
) -> None:
    read = line("[\u02c6a-z]", 50.0, 100.0)
    box = read.words[0].box
    lefts = [box.left + 5 * at + behind * (at > 1) for at in range(6)]
    glyphs = [
        Glyph(at, letter, Rect(left, box.top, left + 5, box.bottom), spaced=False, at=at)
        for at, (letter, left) in enumerate(zip(read.text, lefts))
    ]
    assert with_typed_signs(read, PlacedGlyphs(glyphs)).text == text
