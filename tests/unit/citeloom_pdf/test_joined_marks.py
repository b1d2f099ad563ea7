"""Lines of scripts with marks above and below, read by the letters as they follow each other."""

from __future__ import annotations

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.joined_marks import has_joined_marks, with_lines_of_letters
from citeloom_pdf.parsing.lines import Cell


def letter(text: str, left: float, width: float = 5.0, top: float = 100.0) -> Word:
    return Word(Rect(left, top, left + width, top + (8 if top == 100 else 2)), text, "F")


def cell(*letters: Word) -> Cell:
    boxes = [word.box for word in letters]
    box = boxes[0]
    for other in boxes[1:]:
        box = box.union(other)
    return Cell(box, "".join(word.text for word in letters), "F", 0.0)


def read(cells: list[Cell], letters: list[Word]) -> tuple[list[str], list[str]]:
    found, words = with_lines_of_letters(cells, letters, letters, lambda _: 10.0)
    return [part.text for part in found], [word.text for word in words]


def test_marks_that_are_cells_of_their_own_stand_with_their_letters() -> None:
    ko, high, two = letter("ก", 50), letter("\u0e35", 51, 3, 95), letter("\u0e48", 53, 1, 92)
    space, no = letter(" ", 56, 4), letter("น", 61)
    cells = [cell(ko, no), cell(high), cell(two)]
    texts, words = read(cells, [ko, high, two, space, no])
    assert texts == ["ก\u0e35\u0e48 น"]
    assert words == ["ก\u0e35\u0e48", "น"]


def test_a_vowel_that_is_drawn_as_a_mark_stays() -> None:
    no, am, tho = letter("น", 50), letter("\u0e49\u0e33", 55, 0, 95), letter("ท", 60)
    assert read([cell(no, tho)], [no, am, letter(" ", 56, 3), tho])[0] == ["น\u0e49\u0e33 ท"]


def test_a_vowel_before_its_letter_is_read_as_it_is_written() -> None:
    drawn = [letter("त", 54), letter("\u093f", 50, 4), letter(" ", 60, 4), letter("न", 65)]
    assert read([cell(*drawn)], drawn)[0] == ["त\u093f न"]


def test_parts_of_a_word_at_its_marks_are_one_word() -> None:
    drawn = [letter("म", 50), letter("\u093e", 55, 3), letter("ध", 59), letter(" ", 65, 4)]
    parts = [cell(*drawn[:2]), cell(drawn[2])]
    assert read(parts, drawn)[0] == ["म\u093eध"]


def test_letters_that_go_back_and_forth_are_read_from_left_to_right() -> None:
    second, first = letter("न", 75), letter("त", 50)
    assert read([cell(first, second)], [second, letter(" ", 60, 4), first])[0] == ["त न"]


def test_other_lines_stay_as_they_are() -> None:
    word = letter("abc", 50)
    assert read([cell(word)], [word]) == (["abc"], ["abc"])
    assert not has_joined_marks("abc é")


def test_a_letter_with_its_mark_that_both_glyphs_have_as_code_is_read_once() -> None:
    sa, mark, ra = letter("स\u0942", 50), letter("स\u0942", 50.4, 0), letter("र", 55)
    assert read([cell(sa, mark, ra)], [sa, mark, ra])[0] == ["स\u0942र"]


def test_dashes_are_those_that_are_printed() -> None:
    letters = [letter("क", 50), letter(" ", 55, 3), letter("-", 58), letter("2", 63)]
    found, _ = with_lines_of_letters(
        [cell(*letters)],
        letters,
        letters,
        lambda _: 10.0,
        lambda text, box, font: text.replace("-", "\u2212"),
    )
    assert found[0].text == "क \u22122"
