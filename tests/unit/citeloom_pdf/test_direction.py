from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeloom_pdf.elements.page import Line
from citeloom_pdf.parsing.right_to_left import in_logical_order
from tests.unit.citeloom_pdf.pages import line

HEBREW = ("שלום", "עולם")
LATIN = line("a page of plain text that says which way it goes", 50, 80)


def drawn(*words: str) -> Line:
    """A line with these words from left to right, read by the parser from the right."""
    placed = line(" ".join(words), 50, 100)
    return replace(placed, text=" ".join(reversed(words)))


def read(*lines: Line) -> Sequence[str]:
    return [one.text for one in in_logical_order(lines)]


def test_a_quotation_from_the_right_is_turned_alone() -> None:
    first, second = HEBREW
    lines = read(LATIN, drawn("he", "wrote", second, first, "to", "all."))
    assert lines[1] == f"he wrote {first} {second} to all."


def test_a_number_within_a_quotation_goes_with_it() -> None:
    first, second = HEBREW
    assert read(LATIN, drawn("in", second, "12", first, "it"))[1] == f"in {first} 12 {second} it"


def test_words_from_the_left_are_turned_on_a_page_from_the_right() -> None:
    first, second = HEBREW
    page = [replace(LATIN, text=" ".join(HEBREW * 20))]
    assert read(*page, drawn(second, "plain", "text", first))[1] == f"{first} plain text {second}"


def test_lines_of_one_direction_stay() -> None:
    assert read(LATIN, line(" ".join(HEBREW), 50, 100)) == [LATIN.text, " ".join(HEBREW)]
