from __future__ import annotations

from citeloom_pdf.blocks.layout import (
    without_line_numbers,
)
from citeloom_pdf.elements.page import Line
from tests.unit.citeloom_pdf.pages import line, style

PROSE = "and the gravel of the upper reach moved on in every flood"
ENTRY = "Gravel of the upper reach, its sizes and its ages"


def texts(lines: list[Line]) -> list[str]:
    return [kept.text for kept in without_line_numbers(lines)]


def numbered(text: str, *, left: float, step: int = 1, count: int = 6) -> list[Line]:
    lines = [line(text, 100, 100 + 12 * n, 300) for n in range(count)]
    numbers = range(0, count, step)
    return [*lines, *(line(str(n + step), left, 100 + 12 * n) for n in numbers)]


def test_numbers_that_count_the_lines_of_prose_are_left_out() -> None:
    assert texts(numbered(PROSE, left=70)) == [PROSE] * 6


def test_numbers_on_every_fifth_line_are_left_out() -> None:
    assert texts(numbered(PROSE, left=70, step=5, count=20)) == [PROSE] * 20


def test_numbers_in_the_right_margin_are_left_out() -> None:
    assert texts(numbered(PROSE, left=410)) == [PROSE] * 6


def test_numbers_before_entries_of_a_list_stay() -> None:
    assert len(texts(numbered(ENTRY, left=70))) == 12


def test_a_column_of_a_table_within_the_text_stays() -> None:
    around = [line(PROSE, 60, 300 + 12 * n, 380) for n in range(6)]
    assert len(texts([*numbered(PROSE, left=70), *around])) == 18


def test_numbers_that_do_not_go_up_stay() -> None:
    lines = [line(PROSE, 100, 100 + 12 * n, 300) for n in range(4)]
    numbers = [line(value, 70, 100 + 12 * n) for n, value in enumerate(("7", "3", "9", "1"))]
    assert len(texts([*lines, *numbers])) == 8


def test_numbers_of_a_listing_beside_a_column_of_prose_stay() -> None:
    prose = [line(PROSE, 100, 100 + 12 * n, 300) for n in range(6)]
    code = [line("x = f(x)", 440, 100 + 12 * n, look=style(10, mono=1.0)) for n in range(6)]
    numbers = [line(str(n), 410, 88 + 12 * n) for n in range(1, 7)]
    assert len(texts([*prose, *code, *numbers])) == 18


def test_numbers_of_a_listing_indented_farther_than_they_are_looked_for_stay() -> None:
    look = style(10, mono=1.0)
    code = [line("x = f(x)", 115 + 60 * (n % 4), 100 + 12 * n, look=look) for n in range(12)]
    numbers = [line(str(n + 1), 100, 100 + 12 * n) for n in range(12)]
    assert len(texts([*code, *numbers])) == 24
