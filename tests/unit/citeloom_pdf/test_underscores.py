"""Underscores drawn as rules between, before and behind letters."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from citeloom_pdf import read_pdf
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.accents import Character
from citeloom_pdf.parsing.underscores import has_underscores, with_underscores

WIDE, HIGH, RULE = 5.0, 10.0, 3.5


def drawn(text: str) -> tuple[list[Character], list[Rect]]:
    """The letters of a text, and a rule on the baseline for each `_`."""
    letters: list[Character] = []
    rules: list[Rect] = []
    left = 0.0
    for character in text:
        if character == "_":
            rules.append(Rect(left + 0.6, 7.6, left + 0.6 + RULE, 7.6))
            left += RULE + 1.2
        elif character == " ":
            left += 4.0
        else:
            letters.append(Character(character, Rect(left, 0, left + WIDE, HIGH)))
            left += WIDE
    return letters, rules


def piece(characters: list[Character], text: str) -> Word:
    return Word(enclosing(character.box for character in characters), text, "F")


@pytest.mark.parametrize(
    ("printed", "parsed"),
    [
        ("a size_t n", "a size t n"),
        ("nivel_de_registro", "nivel de registro"),
        ("nivel_de_registro", "niveldere gistro"),
        ("<c_kolb@alum>", "<c kolb@alum>"),
        ("if _x + _y", "if x + y"),
        ("str_ = 1", "str = 1"),
    ],
)
def test_a_rule_between_letters_is_written(printed: str, parsed: str) -> None:
    characters, rules = drawn(printed)
    (line,) = with_underscores([piece(characters, parsed)], characters, rules * 2)
    assert line.text.replace(" ", "") == printed.replace(" ", "")


@pytest.mark.parametrize(
    ("printed", "parsed"), [("class.__init__(", "class. init ("), ("__init__", "init")]
)
def test_two_rules_side_by_side_are_both_written(printed: str, parsed: str) -> None:
    characters, rules = drawn(printed)
    (line,) = with_underscores([piece(characters, parsed)], characters, rules * 2)
    assert line.text == printed


def test_three_rules_in_a_row_are_a_dashed_line() -> None:
    characters, rules = drawn("a___b")
    (line,) = with_underscores([piece(characters, "a b")], characters, rules)
    assert line.text.count("_") == 2  # those that touch a letter


def test_a_rule_is_written_beside_signs_that_are_read_as_others() -> None:
    characters, rules = drawn('bed_size="-a"')
    (line,) = with_underscores([piece(characters, "bed size=”\u2013a”")], characters, rules)
    assert line.text == "bed_size=”\u2013a”"


def test_words_that_an_underscore_stands_between_are_one() -> None:
    characters, rules = drawn("size_t n")
    words = [piece(characters[:4], "size"), piece(characters[4:5], "t"), piece(characters[5:], "n")]
    found = with_underscores(words, characters, rules)
    assert [word.text for word in found] == ["size_t", "n"]
    assert found[0].box == enclosing([characters[0].box, characters[4].box])


@pytest.mark.parametrize(
    "rule",
    [
        Rect(10.6, 4.0, 14.1, 4.0),  # a minus, or the bar of a fraction
        Rect(0.0, 8.0, 5.0, 8.0),  # below a letter: underlined
        Rect(5.0, 7.6, 20.0, 7.6),  # too long
        Rect(10.6, 7.6, 11.6, 7.6),  # too short
        Rect(10.6, 6.0, 14.1, 9.0),  # a block
        Rect(60.0, 7.6, 63.5, 7.6),  # far from any letter
    ],
)
def test_other_rules_are_none(rule: Rect) -> None:
    characters, _ = drawn("ab cd")
    word = piece(characters, "ab cd")
    assert with_underscores([word], characters, [rule]) == [word]


def test_a_piece_whose_letters_are_not_known_one_by_one_stays() -> None:
    characters, rules = drawn("size_t")
    word = piece(characters, "other letters")
    assert with_underscores([word], characters, rules) == [word]


def test_only_a_rule_on_the_baseline_of_a_letter_is_an_underscore() -> None:
    letters, rules = drawn("a_b")
    below = [Rect(rule.left, 30, rule.right, 30) for rule in rules]
    assert has_underscores(rules, letters)
    assert not has_underscores(below, letters)
    assert not has_underscores(rules, [])


def test_a_rule_below_a_letter_lower_than_those_beside_it_is_none() -> None:
    quote, sharp = Character("\u2018", Rect(0, 0, 2, 9.6)), Character("s", Rect(2, 0.8, 7.7, 9.8))
    assert not has_underscores([Rect(2, 8.8, 7.7, 8.8)], [quote, sharp])


def test_the_bar_of_a_root_is_no_underscore() -> None:
    root, two = Character("\u221a", Rect(0, 0, 9, 18)), Character("2", Rect(9, 9, 15, 19))
    assert not has_underscores([Rect(9, 15, 15, 15)], [root])
    assert not has_underscores([Rect(9, 7, 15, 7)], [root, two])


Draw = Callable[[Canvas, float, float, float], None]


def as_line(canvas: Canvas, left: float, low: float, width: float) -> None:
    canvas.setLineWidth(0.4)
    canvas.line(left, low, left + width, low)


def as_fill(canvas: Canvas, left: float, low: float, width: float) -> None:
    canvas.rect(left, low, width, 0.4, stroke=0, fill=1)


def as_image(canvas: Canvas, left: float, low: float, width: float) -> None:
    """As Ghostscript draws the rules of a PostScript file."""
    black = BytesIO()
    Image.new("1", (8, 1)).save(black, "PNG")
    canvas.drawImage(ImageReader(black), left, low, width, 0.48)


def page_with(draw: Draw, before: str, behind: str, folder: Path) -> str:
    """What is read of a line of two words, a rule between them and accents drawn apart."""
    canvas = Canvas(str(folder / "page.pdf"))
    canvas.setFont("Times-Roman", 10)
    left = 72.0
    for part in re.split("([_\u00e9])", f"{before}_{behind}"):
        if part == "_":
            draw(canvas, left + 0.6, 699.4, 3.6)
            left += 4.8
            continue
        if part == "\u00e9":
            canvas.drawString(left + 1.2, 700, "\u00b4")
        letters = part.replace("\u00e9", "e")
        canvas.drawString(left, 700, letters)
        left += canvas.stringWidth(letters, "Times-Roman", 10)
    canvas.save()
    return " ".join(text.text for text in read_pdf(folder / "page.pdf").document.texts)


@pytest.mark.parametrize("draw", [as_line, as_fill, as_image])
def test_a_rule_is_an_underscore_however_it_is_drawn(draw: Draw, tmp_path: Path) -> None:
    before, behind = "So the value that is named gap", "precision ends the search for more of them."
    assert page_with(draw, before, behind, tmp_path) == f"{before}_{behind}"


def test_a_line_with_accents_drawn_apart_has_its_underscores(tmp_path: Path) -> None:
    before, behind = "La dur\u00e9e que multi", "time renvoie est en secondes."
    assert page_with(as_line, before, behind, tmp_path) == f"{before}_{behind}"
