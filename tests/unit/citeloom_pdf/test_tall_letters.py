"""Lines and words that are taller than their letters."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.accents import Character
from citeloom_pdf.parsing.lines import Cell, lines_of_cells
from citeloom_pdf.parsing.tall_letters import TallLetters

LINES = [Rect(50, 100 + 12 * n, 400, 110 + 12 * n) for n in range(9)]


def drawn(text: str, left: float, top: float) -> list[Character]:
    return [
        Character(letter, Rect(left + 5 * at, top, left + 5 * at + 5, top + 10))
        for at, letter in enumerate(text)
        if letter != " "
    ]


def parts(text: str, letters: list[Character]) -> list[tuple[str, Rect]]:
    box = enclosing(letter.box for letter in letters)
    other = drawn(text, 50, 600)
    return TallLetters(LINES, lambda: [*other, *letters]).parts(text, box)


def test_a_sign_far_taller_than_its_line_does_not_make_it_tall() -> None:
    letters = drawn("lily pond", 50, 100)
    letters[4] = Character("p", Rect(75, 85, 80, 130))
    assert parts("lily pond", letters) == [("lily pond", Rect(50, 100, 95, 110))]


def test_a_sign_with_a_box_of_half_a_page_does_not_make_its_line_wide() -> None:
    letters = drawn("so bar", 50, 100)
    letters[-1] = Character("r", Rect(75, 10, 420, 350))
    assert parts("so bar", letters) == [("so bar", Rect(50, 100, 75, 110))]


def test_a_label_that_runs_on_into_the_next_row_is_parted_from_it() -> None:
    letters = [*drawn("slope", 50, 100), *drawn("Example: in", 75, 112)]
    assert parts("slopeExample: in", letters) == [
        ("slope", Rect(50, 100, 75, 110)),
        ("Example: in", Rect(75, 112, 130, 122)),
    ]


def test_a_script_stays_with_its_letter() -> None:
    letters = [*drawn("x", 50, 100), Character("2", Rect(55, 92, 58, 99))]
    assert [text for text, _ in parts("x2", letters)] == ["x2"]


def test_a_line_all_of_whose_letters_are_tall_stays_as_it_is() -> None:
    letters = [Character(a, Rect(50 + 9 * n, 100, 59 + 9 * n, 130)) for n, a in enumerate("bed")]
    assert parts("bed", letters) == [("bed", Rect(50, 100, 77, 130))]


def test_no_letter_is_read_where_no_line_is_tall() -> None:
    def read() -> list[Character]:
        raise AssertionError

    assert TallLetters(LINES, read).parts("bed", LINES[0]) == [("bed", LINES[0])]
    assert TallLetters([], read).parts("bed", Rect(0, 0, 9, 0)) == [("bed", Rect(0, 0, 9, 0))]


@pytest.mark.parametrize(
    ("text", "font"),
    [("\u22122", "ABCDEF+CMSY10"), ("-2", "ABCDEF+CMSY10"), ("a(-2)", "ABCDEF+CMR10")],
)
def test_a_sign_whose_box_hangs_below_its_line_is_a_word_of_that_line_alone(
    text: str, font: str
) -> None:
    sign = Word(Rect(100, 103, 113, 120), text, font)
    below = Word(Rect(100, 113, 140, 123), "cases", "ABCDEF+CMR10")
    cells = [
        Cell(Rect(100, 101, 142, 112), "a( \u2212 2) \u22122 dim", "ABCDEF+CMR10", 0.0),
        Cell(below.box, "cases", below.font, 0.0),
    ]
    upper, lower = lines_of_cells(cells, [sign, below], lambda *_: 10.0)
    assert [word.text for word in upper.words] == [text]
    assert upper.words[0].box == Rect(100, 103, 113, 112)
    assert [word.text for word in lower.words] == ["cases"]
