from __future__ import annotations

from citeloom_pdf.blocks.rows import are_marks
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word


def word(text: str, left: float, top: float) -> Word:
    return Word(Rect(left, top, left + 4, top + 8), text, "Serif")


def test_one_character_strewn_over_an_area_is_the_marks_of_a_plot() -> None:
    marks = [word("l", 100 + 3 * n, 100 + 7 * n % 90) for n in range(100)]
    assert are_marks([*marks, word("0.5", 90, 200), word("alpha", 200, 210)])


def test_a_table_of_ticks_is_none() -> None:
    ticks = [word("x", 100 + 40 * n, 100 + 15 * row) for n in range(9) for row in range(20)]
    assert not are_marks(ticks)


def test_a_table_of_digits_is_none() -> None:
    digits = [
        word(str((n + row) % 10), 100 + 8 * n, 100 + 15 * row)
        for n in range(45)
        for row in range(9)
    ]
    assert not are_marks(digits)


def test_a_few_characters_are_none() -> None:
    assert not are_marks([word("l", 100 + 9 * n, 100 + 7 * n) for n in range(20)])


def test_prose_is_none() -> None:
    assert not are_marks([word("gravel", 100 + 30 * n % 400, 100 + n) for n in range(100)])
