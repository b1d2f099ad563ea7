"""A part of a page agrees with a second reading of it, or lacks a letter, a space or a sign."""

from __future__ import annotations

import pytest

from citeloom.domain.evaluation.line_order import PageText
from citeloom.domain.evaluation.second_reading import SecondReading

PAGE = (
    "The editors are Tim Moore, Russ Allbery and Sean Whitton (since 2017).\r\n"
    "Build-Conflicts, Build-Depends and all others are joined at the ends of lines by well\ufffe"
    "known rules. Bricks are dried\r\nin the sun.2 Barns stand open\u2026 35 + 36 is many.\r\n"
    "小麦は 秋に播かれる。"
)


def differing(page: str, *texts: str) -> list[str]:
    parts = [PageText(text=text) for text in texts]
    return [texts[index] for index in SecondReading(page, parts).differing()]


@pytest.mark.parametrize(
    "part",
    [
        "Tim Moore, Russ Allbery and Sean Whitton",
        "joined at the ends of lines by well-known rules.",
        "• Build-Conflicts, Build-Depends and all others",
        "Bricks are dried in the sun.² Barns stand open... 35 + 36 is many.",
        "小麦は秋に播かれる。",
        "TIM MOORE, “RUSS ALLBERY” AND SEAN WHITTON",
        "Oats",
    ],
)
def test_what_the_page_has_agrees(part: str) -> None:
    assert not differing(PAGE, part)


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ("The editors are TimMoore, Russ Allbery", "a space is lost between words"),
        ("Build-Conflicts,Build-Depends and all others", "a space is lost at a sign"),
        ("35+36 is many.", "spaces around a sign are lost"),
        ("The editors are Tim Moore Russ Allbery", "a sign is lost"),
        ("Sean Whitton [since 2017).", "a sign is another one"),
        ("The editors are Tim Moore, Russ Allbery and Whitton (since 2017)", "a word is lost"),
        ("Bricks are dried in the sun. The editors are Tim Moore", "the order is another"),
        ("Bricks are dried in the sun where nobody sees", "the end is not on the page"),
        ("Whoever builds barns of stone stands open", "most of it is not on the page"),
    ],
)
def test_what_the_page_has_otherwise_differs(part: str, why: str) -> None:
    assert differing(PAGE, part) == [part], why


def test_a_text_that_stands_on_the_page_twice_is_compared_by_its_letters_alone() -> None:
    page = "Oats and rye grow here. Oats, and rye, grow here."
    assert not differing(page, "Oats and rye, grow here")
    assert differing(page, "Oats and barley and rye grow here")


def test_a_word_that_the_end_of_a_column_divides_is_where_it_begins() -> None:
    page = "Masons repair the tower with yellow sand\ufffe1 Merchants count their wool here."
    tower, note = "Masons repair the tower with yellow sandstone.", "¹ Merchants count their wool."
    assert differing(page, tower) == [tower]
    assert not differing(page.partition("1")[0], tower)
    assert not differing(page, tower, note.replace("¹", "1"))


def test_what_is_aside_and_what_has_a_formula_is_not_compared() -> None:
    table = PageText(text="RussAllbery andSean Whitton", aside=True)
    formula = PageText(text="TimMoore, Russ Allbery and x₁")
    assert not list(SecondReading(PAGE, [table, formula]).differing())


def test_letters_set_wide_are_not_compared_with_words() -> None:
    page = "c o u n t the wool"
    assert not differing(page, "count the wool")
    assert differing(page, "count thewool")
