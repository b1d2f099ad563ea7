from __future__ import annotations

from dataclasses import replace

from citeloom_pdf.elements.page import Line
from citeloom_pdf.parsing.lines import join_stretched
from tests.unit.citeloom_pdf.pages import line


def row(top: float, *parts: tuple[str, float, float]) -> list[Line]:
    """Parts of a line, each with its text, its left and its right end."""
    return [line(text, left, top, right - left) for text, left, right in parts]


def texts(*rows: list[Line]) -> list[str]:
    return [found.text for found in join_stretched([part for parts in rows for part in parts])]


def full(top: float) -> list[Line]:
    return row(top, ("a line of the column", 50, 250))


def test_a_wide_space_between_full_lines_is_a_space() -> None:
    split = row(112, ("characterisation", 50, 140), ("implementation", 160, 250))
    assert "characterisation implementation" in texts(full(100), split, full(124))


def test_a_short_last_line_below_is_no_gutter() -> None:
    split = row(112, ("characterisation", 50, 140), ("implementation", 160, 250))
    last = row(124, ("the end.", 50, 90))
    assert "characterisation implementation" in texts(full(100), split, last)


def test_two_such_lines_show_one_another_whole() -> None:
    first = row(112, ("early", 50, 80), ("boundary", 98, 129), ("in space", 147, 250))
    second = row(124, ("characterisation", 50, 100), ("between", 118, 144), ("them,", 162, 250))
    found = texts(full(100), first, second, full(136))
    assert {"early boundary in space", "characterisation between them,"} <= set(found)


def test_a_gutter_stays_a_gutter_below_a_wide_line() -> None:
    wide = row(100, ("a caption over both columns", 50, 470))
    rows = [row(y, ("left text", 50, 250), ("right text", 270, 470)) for y in (112, 124)]
    assert texts(wide, *rows).count("left text") == 2


def test_the_last_line_of_a_column_is_not_joined_to_the_next_column() -> None:
    rows = [row(y, ("left text", 50, 250), ("right text", 270, 470)) for y in (100, 112)]
    last = row(124, ("the end.", 50, 120), ("goes on", 270, 470))
    assert "the end." in texts(*rows, last, row(136, ("a wide line below", 50, 470)))


def test_the_number_of_an_equation_stays_apart() -> None:
    equation = row(112, ("a = b", 120, 160), ("(3)", 235, 250))
    assert "a = b" in texts(full(100), equation, full(124))


def test_two_stretched_rows_below_a_short_one_are_known_by_the_column_of_the_page() -> None:
    column = [part for top in (20, 32, 44) for part in full(top)]
    short = row(100, ("an item:", 40, 85))
    first = row(112, ("defines", 50, 75), ("characterisations", 98, 170), ("using", 215, 250))
    second = row(124, ("a kind of iterator.", 50, 140), ("It should be", 160, 250))
    last = row(136, ("be used with a kind that lasts", 50, 210))
    found = texts(column, short, first, second, last)
    assert "defines characterisations using" in found


def test_numbers_alone_are_joined_as_their_page_is_read() -> None:
    column = [
        replace(part, text="\u05d0\u05d1 \u05d2\u05d3") for top in (100, 124) for part in full(top)
    ]
    split = row(112, ("1.5", 50, 140), ("2.5", 160, 250))
    assert "2.5 1.5" in texts(column, split)
    assert "1.5 2.5" in texts(full(100), split, full(124))


def test_the_parts_of_a_line_from_the_right_follow_one_another_from_the_right() -> None:
    """An address has more letters than the words beside it, and decides nothing."""
    above, below = (row(top, ("שורה של הטור הזה, עד סופה", 50, 250)) for top in (100, 136))
    split = row(118, ("https://example.org/reports/", 50, 190), ("מן הכתובת", 205, 250))
    assert "מן הכתובת https://example.org/reports/" in texts(above, split, below)
