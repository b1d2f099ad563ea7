# ruff: noqa: RUF001 - letters of other scripts are what is looked for here
"""Words of a page that are in no text made of it, by a second reader of the page."""

from __future__ import annotations

import pytest

from citeloom.domain.evaluation.line_order import PrintedLine, PrintedPage
from citeloom.domain.evaluation.page_recall import (
    left_out,
    lost_words,
    page_words,
    running_lines,
)

WORDS = (
    "The river carries barley past the old mill",
    "Farmers of the valley plant rye in Septem-",
    "ber and oats in March",
    "12 7 30 7",
)


def page(*texts: str) -> PrintedPage:
    lines = [PrintedLine(text=text, top=20.0 * at) for at, text in enumerate(texts)]
    return PrintedPage(text="\n".join(texts), lines=tuple(lines))


def lost(printed: PrintedPage, *arrived: str) -> list[tuple[str, ...]]:
    return [line.words for line in page_words(printed, arrived).lost]


def test_a_page_whose_words_arrived_loses_none() -> None:
    text = "Farmers of the valley plant rye in September and oats in March"
    words = page_words(page(*WORDS), [WORDS[0], text, "7 | 12\n30 | 7"])
    assert (words.count, words.lost, words.lost_count) == (25, (), 0)


def test_a_line_that_is_nowhere_is_lost() -> None:
    assert lost(page(*WORDS), *WORDS[1:]) == [tuple(WORDS[0].casefold().split())]


def test_a_word_from_the_right_arrives_also_where_the_second_reader_has_it_as_it_is_drawn() -> None:
    assert lost(page("םולש window"), "שלום wodniw") == [("window",)]
    assert lost(page("םולש תיב"), "שלום") == [("תיב",)]


@pytest.mark.parametrize(
    ("second", "arrived"),
    [("میالد عالقه", "میلاد علاقه"), ("سلجملا", "المجلس"), ("عالقهمن\x06د", "علاقهمند")],
    ids=["lam-alef turned round", "a whole word turned round", "letters lengthened"],
)
def test_arabic_arrives_however_the_second_reader_has_its_letters(
    second: str, arrived: str
) -> None:
    assert lost(page(second), arrived) == []


def test_lost_words_are_named_as_the_page_spells_them() -> None:
    words = page_words(page("Второй файл, «Ещё» - l’été (Größe) well-known ﬁn"), ["Второй"])
    assert words.lost_words == ["файл", "Ещё", "l", "été", "Größe", "well", "known", "ﬁn"]
    assert lost_words(words.lost_words).sample == "файл Ещё l été Größe well known ﬁn"


def test_a_word_arrives_as_often_as_it_is_in_the_texts() -> None:
    assert lost(page(*WORDS), *WORDS[:3], "7 30 12") == [("7",)]


def test_letters_count_whatever_spaces_are_between_them() -> None:
    assert lost(page("The ri ver carries bar ley"), "The river car ries barley") == []
    assert lost(page("Theriver carriesbarley home"), "barley: The river carries") == [
        ("carriesbarley", "home")
    ]


def test_the_halves_of_a_word_that_lines_part_arrive_with_the_word() -> None:
    printed = page("Storms in winter break the bridges of the mul", "titude", "of towns in March")
    whole = "Storms in winter break the bridges of the multitude of towns in March"
    assert lost(printed, whole) == []
    assert lost(page("mul", "titude", "mul", "titude"), "the multitude") == [("mul",), ("titude",)]


def test_letters_of_a_formula_arrive_however_they_are_parted() -> None:
    assert lost(page("q F t N t", "1"), "qft nt1") == []
    assert lost(page("q F t N t", "x"), "qft nt1") == [("x",)]
    assert lost(page("it is so", "so"), "multitudes is so") == [("it",), ("so",)]


def test_words_that_are_parted_otherwise_arrive() -> None:
    assert lost(page("s o w n r ye", "an old alsoin"), "The sown rye; old, also in") == [("an",)]
    assert lost(page("s o w n"), "sowntherye") == [("s", "o", "w", "n")]
    assert lost(page("10 2 3"), "102030405") == [("10", "2", "3")]
    assert lost(page("1 2", "oats"), "oats", "oats 10 11", "oats") == [("2",)]
    assert lost(page("o a", "oats"), "oats oats") == [("o", "a")]
    assert lost(page("\u06a9\u0640\u062a \u0627\u0628"), "\u06a9\u062a\u0627\u0628") == []


def test_signs_of_formulas_arrive_as_the_letters_of_their_codes() -> None:
    printed = page("hcode listi 6= 0", "Z x dx Rye", "R oats", "hrye")
    assert lost(printed, "\u27e8code list\u3009 \u2260 0", "\u222b x dx Rye") == [
        ("oats",),
        ("hrye",),
    ]


def test_numbers_that_count_lines_are_left_out() -> None:
    code = ("let barley = rye", "print the harvest", "weigh all the oats")
    numbered = page(*(f"{n} {line}" for n, line in enumerate(code, start=9)), "41 end")
    assert lost(numbered, *code, "end") == [("41",)]
    assert page_words(numbered, [*code, "end"]).line_numbers[:2] == ("9", "10")
    assert lost(page(*(f"{n} {line}" for n, line in zip((9, 10, 20), code))), *code) == [
        ("9",),
        ("10",),
        ("20",),
    ]
    assert lost(page("rye 1 barley", "rye 2 barley", "rye 3 barley"), *["rye barley"] * 3) == [
        ("1",),
        ("2",),
        ("3",),
    ]


def test_lines_without_a_tag_count_on_a_page_of_tags() -> None:
    first, *others = page(*WORDS).lines
    tagged = PrintedPage(text="", lines=tuple(others), tagged=True, untagged=(first,))
    assert lost(tagged, *WORDS[1:]) == [tuple(WORDS[0].casefold().split())]


def test_two_characters_of_a_script_without_spaces_are_a_word() -> None:
    words = page_words(page("河流经过老磨坊", "农民在山谷里种黑麦"), ["河流经过老磨坊"])
    assert (words.count, words.lost_count, len(words.lost[0].words)) == (8, 5, 9)


def test_a_page_without_lines_is_compared_by_its_text() -> None:
    assert lost(PrintedPage(text="barley\nrye"), "rye") == [("barley",)]


def test_running_heads_and_contents_are_left_out() -> None:
    bodies = [WORDS, WORDS[::-1], (*WORDS, "Rye . . . . . . . . 12", "Oats")]
    pages = [
        page(f"Barley {n}", *body, *WORDS, f"- {n} -") for n, body in enumerate(bodies, start=7)
    ]
    running = running_lines(pages)
    assert {"barley #", "- # -"} <= running
    assert left_out(pages[2], running)[-1] == "Rye . . . . . . . . 12"
    assert "Oats" not in left_out(pages[2], running)
