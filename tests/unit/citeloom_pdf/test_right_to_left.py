# ruff: noqa: RUF001 - scripts read from the right are what is tested here
"""Numbers, Latin words and brackets within text that is read from the right."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.elements.text import normalised
from citeloom_pdf.parsing.accents import Character
from citeloom_pdf.parsing.right_to_left import with_brackets_facing, with_numbers_ahead
from tests.unit.citeloom_pdf.pages import line


def drawn(printed: str) -> list[Character]:
    """The glyphs of a line from left to right, as it is seen."""
    return [
        Character(letter, Rect(5.0 * at, 0, 5.0 * at + 5, 10))
        for at, letter in enumerate(printed)
        if letter != " "
    ]


def read(parsed: str, printed: str) -> str:
    characters = drawn(printed)
    word = Word(enclosing(character.box for character in characters), parsed, "F")
    return with_numbers_ahead([word], characters)[0].text


@pytest.mark.parametrize(
    ("parsed", "printed", "text"),
    [
        ("سال ۵۸۳۱", "۱۳۸۵ لاس", "سال ۱۳۸۵"),
        ("۵۸۳۱", "۱۳۸۵", "۱۳۸۵"),
        ("سال ۱۳۸۵", "۱۳۸۵ لاس", "سال ۱۳۸۵"),
        ("في ٢١/٥٠/٧٩٣١", "١٣٩٧/٠٥/١٢ يف", "في ١٣٩٧/٠٥/١٢"),
        ("בשנת 8491", "1948 תנשב", "בשנת 1948"),
        ("קובץ fdp.a4repap", "paper4a.pdf ץבוק", "קובץ paper4a.pdf"),
        ("بخش ۵.۱", "۱.۵ شخب", "بخش ۵.۱"),
        ("سال ۱۱", "۱۱ لاس", "سال ۱۱"),
        ("سال ۵۸۳۱", "other glyphs", "سال ۵۸۳۱"),
    ],
)
def test_numbers_and_latin_words_are_read_from_the_left(
    parsed: str, printed: str, text: str
) -> None:
    assert read(parsed, printed) == text


def test_text_from_the_left_stays() -> None:
    assert read("in 1948 and 8491", "other glyphs 1948") == "in 1948 and 8491"


@pytest.mark.parametrize(
    ("drawn_text", "text"),
    [
        ("مرجع ]واحدی، ۱۳۸۷[ یک", "مرجع [واحدی، ۱۳۸۷] یک"),
        ("مرجع ]واحدی[ و ]خلیقی[ یک", "مرجع [واحدی] و [خلیقی] یک"),
        ("»نویسنده« (Package) را", "«نویسنده» (Package) را"),
        ("بسته (Package) را", "بسته (Package) را"),
        ("see ]a[ and )b(", "see ]a[ and )b("),
    ],
)
def test_brackets_face_each_other(drawn_text: str, text: str) -> None:
    assert [found.text for found in with_brackets_facing([line(drawn_text, 50, 50)])] == [text]


def test_a_bracket_alone_is_turned_as_those_of_the_page_are() -> None:
    pair, alone = line("مرجع ]واحدی[ یک", 50, 50), line("CTAN )شبکه‌ی جامع", 50, 70)
    assert [found.text for found in with_brackets_facing([pair, alone])][1] == "CTAN (شبکه‌ی جامع"
    right = line("مرجع [واحدی] یک", 50, 50)
    kept = line("CTAN (شبکه‌ی جامع", 50, 70)
    assert with_brackets_facing([right, kept]) == [right, kept]


@pytest.mark.parametrize(
    ("shaped", "text"),
    [("\ufee3\ufeae\ufe9f\ufeca", "مرجع"), ("\ufefb", "لا"), ("\ufb2a\ufb4b", "ש\u05c1ו\u05b9")],
)
def test_letters_by_their_shape_are_letters(shaped: str, text: str) -> None:
    assert normalised(shaped) == text
