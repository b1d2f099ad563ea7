"""Lines whose boxes are lower than their letters, and strokes hardly higher than a hair."""

from __future__ import annotations

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.lines import Cell, join_parts, lines_of_cells


def eleven_points(_word: Word) -> float | None:
    return 11.0


def test_a_line_is_as_high_as_its_letters_whatever_its_font_declares() -> None:
    box = Rect(50, 96, 90, 101)
    line = lines_of_cells(
        [Cell(box, "449.69", "F", 0.0)], [Word(box, "449.69", "F")], eleven_points
    )[0]
    assert line.box == line.words[0].box == Rect(50, 90, 90, 101)


def test_a_thin_minus_sign_stands_in_the_line_that_it_touches() -> None:
    minus, number = Rect(50, 95, 56, 95.8), Rect(56.4, 90, 62, 100)
    cells = [Cell(minus, "\u2212", "Fallback", 0.0), Cell(number, "5", "F", 0.0)]
    words = [Word(cell.box, cell.text, cell.font) for cell in cells]
    lines = lines_of_cells(cells, words, eleven_points)
    assert [(line.text, line.box.top) for line in lines] == [("\u2212", 90.0), ("5", 90.0)]
    alone = lines_of_cells(cells[:1], words[:1], eleven_points)
    assert alone == []


def test_a_thin_underscore_below_letters_without_descenders_stands_in_their_line() -> None:
    left, stroke, right = Rect(50, 93, 66, 98), Rect(67.3, 99, 71, 99.7), Rect(71, 91, 92, 98)
    parts = [(left, "cct"), (stroke, "_"), (right, "init")]
    cells = [Cell(box, text, "F", 0.0) for box, text in parts]
    words = [Word(box, text, "F") for box, text in parts]
    lines = lines_of_cells(cells, words, lambda _word: 7.0)
    assert [line.text for line in join_parts(lines)] == ["cct_init"]


def test_an_underscore_of_bitmaps_touches_letters_that_are_larger_than_its_own_box() -> None:
    """Its size, by its ink, is 4 points; those of the words are not."""
    boxes = Rect(50, 90, 66, 100), Rect(67.3, 95.7, 71.6, 100), Rect(72.9, 90, 90, 100)
    words = [Word(box, text, "F52") for box, text in zip(boxes, ("rhs", "_", "start"))]
    cells = [Cell(word.box, word.text, word.font, 0.0) for word in words]
    lines = lines_of_cells(cells, words, lambda _word: None)
    assert [line.text for line in join_parts(lines)] == ["rhs_start"]
