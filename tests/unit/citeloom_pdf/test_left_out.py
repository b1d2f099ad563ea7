"""Signs that a parser leaves out, put where they are printed."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.accents import Character
from citeloom_pdf.parsing.lines import Cell, lines_of_cells
from citeloom_pdf.parsing.uncoded_letters import missing_signs, with_left_out


def letters_of(text: str, left: float) -> list[Character]:
    """The letters of a text, each 5 points wide."""
    return [
        Character(letter, Rect(left + 5 * at, 50, left + 5 * at + 5, 60))
        for at, letter in enumerate(text)
    ]


@pytest.mark.parametrize(
    ("left", "width", "parts"),
    [
        (121.5, 2.0, ["File → Close"]),
        (120.0, 3.0, ["File→ Close"]),
        (94.0, 3.0, ["→ File Close"]),
        (97.0, 3.0, ["→File Close"]),
        (152.0, 4.0, ["File Close →"]),
        (80.0, 5.0, ["File Close", "→"]),
    ],
)
def test_a_sign_stands_between_the_letters_that_are_printed_beside_it(
    left: float, width: float, parts: list[str]
) -> None:
    text = "File Close"
    cell = Cell(Rect(100, 50, 150, 60), text, "F", 0.0)
    sign = Word(Rect(left, 53, left + width, 57), "→", "")
    assert [part.text for part in with_left_out([cell], [sign], letters_of(text, 100))] == parts
    others = with_left_out([cell], [sign], letters_of("FilesClose", 100))
    assert [part.text for part in others] == [text, "→"]


def test_letters_of_a_script_in_the_row_above_are_none_of_the_line() -> None:
    cell = Cell(Rect(100, 50, 150, 60), "de ne a", "F", 0.0)
    sign = Word(Rect(111, 50, 114, 60), "fi", "")
    script = Character("2", Rect(146, 50, 149, 54))
    letters = [*letters_of("de ne a", 100), script]
    assert [part.text for part in with_left_out([cell], [sign], letters)] == ["define a"]


def test_a_sign_that_its_line_has_is_not_missing() -> None:
    cell = Cell(Rect(100, 50, 150, 60), "define a", "F", 0.0)
    twice = [Word(Rect(left, 50, left + 3, 60), "ﬁ", "") for left in (111, 141)]
    assert missing_signs([cell], twice[:1]) == []
    assert missing_signs([cell], twice) == twice
    assert missing_signs([cell._replace(box=Rect(100, 80, 150, 90))], twice[:1]) == twice[:1]


def test_the_corners_of_a_frame_are_no_text() -> None:
    corner = Cell(Rect(100, 50, 110, 60), "✓", "/ABCDEF+LCIRCLE10", 0.0)
    tick = corner._replace(font="/ABCDEF+ZapfDingbats")
    lines = lines_of_cells([corner, tick], [], lambda _word: None)
    assert [line.style.font for line in lines] == [tick.font]
