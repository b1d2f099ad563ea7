"""Examples with glosses, whose wide spaces look like gutters."""

from __future__ import annotations

from citeloom_pdf.blocks.glosses import join_glosses
from citeloom_pdf.elements.page import Line
from tests.unit.citeloom_pdf.pages import line

PLACES = (70, 100, 140, 200)
WORDS = ("Den", "gamle", "mand", "gik")
GLOSSES = ("the", "old.DEF", "man", "go.PST")


def row(words: tuple[str, ...], top: float, places: tuple[int, ...] = PLACES) -> list[Line]:
    return [line(word, left, top) for word, left in zip(words, places)]


def texts(*lines: Line) -> list[str]:
    return [one.text for one in sorted(join_glosses(lines), key=lambda one: one.box.top)]


def test_words_over_their_glosses_are_two_lines() -> None:
    number = line("(1)", 40, 100)
    assert texts(number, *row(WORDS, 100), *row(GLOSSES, 114)) == [
        "(1) Den gamle mand gik",
        "the old.DEF man go.PST",
    ]


def test_words_that_stand_elsewhere_stay_apart() -> None:
    assert len(texts(*row(WORDS, 100), *row(GLOSSES, 114, (50, 120, 170, 230)))) == 8


def test_two_columns_stay_apart() -> None:
    assert len(texts(*row(WORDS[:2], 100), *row(GLOSSES[:2], 114))) == 4


def test_a_longer_run_of_rows_is_a_table_or_an_index() -> None:
    rows = [part for at in range(6) for part in row(WORDS, 100 + 14 * at)]
    assert len(texts(*rows)) == 24


def test_an_index_in_columns_stays_apart() -> None:
    entries = ("apple . . . . . 3", "bed . . . . . 4", "clay . . . . . 7")
    places = (50, 150, 250)
    assert len(texts(*row(entries, 100, places), *row(entries, 114, places))) == 6


def test_entries_of_two_columns_of_an_index_stay_apart() -> None:
    entries = [
        part
        for top in (100, 114)
        for part in row(("could not open", "path", "of a file"), top, (50, 200, 250))
    ]
    assert len(texts(*entries)) == 2
    below = [line("sand 4, 5", 200, 200 + 14 * n) for n in range(6)]
    assert len(texts(*entries, *below)) == len(entries) + len(below)
