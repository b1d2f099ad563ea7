"""Fractions by the bar between their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.formula_parts import mark_rows
from citeloom_pdf.parsing.fractions import (
    bars_of,
    find_fractions,
    with_fractions_of_numbers,
)
from citeloom_pdf.parsing.lettered_lines import LetteredLine, Script, line_size
from citeloom_pdf.parsing.raised_letters import with_scripts
from tests.unit.citeloom_pdf.pages import line, style

BAR = Rect(100, 100, 116, 100.4)


def set_at(text: str, left: float, top: float) -> list[Glyph | None]:
    return [
        Glyph(at, letter, Rect(left + 5 * at, top, left + 5 * at + 5, top + 8), spaced=False)
        for at, letter in enumerate(text)
    ]


def parts(letters: list[Glyph | None], *bars: Rect) -> list[tuple[str, str]]:
    def text(start: int, end: int) -> str:
        return "".join(letter.text for letter in letters[start:end] if letter)

    return [
        (text(one.start, one.below), text(one.below, one.end))
        for one in find_fractions(letters, bars)
    ]


BEFORE, BEHIND = set_at("which", 70, 96), set_at("until", 120, 96)


def test_what_is_above_and_below_a_bar_is_a_fraction() -> None:
    letters = [*BEFORE, *set_at("a+1", 100.5, 91), *set_at("w", 105.5, 101), *BEHIND]
    assert parts(letters, BAR) == [("a+1", "w")]


def test_a_fraction_may_have_another_in_it() -> None:
    inner = Rect(110, 106, 115, 106.4)
    letters = [
        *set_at("1", 105.5, 91),
        *set_at("1+", 100, 102),
        *set_at("1", 110, 97.5),
        *set_at("z", 110, 107),
    ]
    assert parts(letters, inner, BAR) == [("1", "1+1z"), ("1", "z")]


def test_a_rule_over_or_under_words_is_none() -> None:
    above, below = set_at("abc", 100.5, 91), set_at("def", 100.5, 101)
    assert parts([*BEFORE, *above, *BEHIND], BAR) == []  # underlined
    assert parts([*BEFORE, *below, *BEHIND], BAR) == []  # of a root
    assert parts([*above, *BEHIND, *below], BAR) == []  # not one after the other
    assert parts([*above, *below], Rect(60, 100, 156, 100.4)) == []  # a table's
    assert (
        parts([*set_at("a", 100, 91), *below], Rect(100, 100, 116, 100.4)) == []
    )  # off the middle


def test_a_page_with_many_strokes_has_a_plot() -> None:
    assert bars_of([BAR] * 121) == []
    assert bars_of([BAR, Rect(0, 0, 500, 0), Rect(0, 0, 1, 0)]) == [BAR]


def test_a_fraction_of_numbers_is_one_letter_of_the_line_that_it_stands_in() -> None:
    row = [*BEFORE, *set_at("135", 100.5, 91), *set_at("450", 100.5, 101), *BEHIND]
    letters = [Word(letter.box, letter.text, "Serif") for letter in row if letter]
    found, fractions = with_fractions_of_numbers(letters, [BAR])
    assert [letter.text for letter in found] == [*"which", "135/450", *"until"]
    assert found[5].box == Rect(100.5, 96, 115.5, 104)
    assert fractions == [(Rect(100.5, 91, 115.5, 109), found[5])]
    formula = [letter._replace(text="a") if letter.text == "1" else letter for letter in letters]
    assert with_fractions_of_numbers(formula, [BAR]) == (formula, [])
    assert with_fractions_of_numbers(letters, []) == (letters, [])


def test_a_script_behind_the_rows_in_brackets_stays_one() -> None:
    """`(10 over 2)` and then a power."""
    scripts = {1: Script(True, 0), 2: Script(False, 0), 3: Script(True, 2)}
    read = LetteredLine(line("(nk2", 0, 0), "(nk2", [None] * 4, 10.0, {0, 4}, scripts=scripts)
    mark_rows(read)
    assert read.scripts == {3: Script(True, 2)}
    assert read.behind == {1: "; "}


class _Places:
    """All letters are of one size and on one line, the first large signs."""

    def baseline(self, position: int) -> float:
        return 0.0

    def size(self, position: int) -> float:
        return 10.0

    def font(self, position: int) -> str:
        return "CMMI10" if position else "CMEX10"


class _Set(NamedTuple):
    """A letter with its box, size and baseline, and the font that it is set in."""

    letter: str
    box: Rect
    size: float
    baseline: float
    font: str = "CMMI10"


def read_formula(text: str, *letters: _Set, bars: Sequence[Rect] = ()) -> str:
    """A line of mathematics, as it is written when its letters are set so."""

    class Places(_Places):
        def baseline(self, position: int) -> float:
            return letters[position].baseline

        def size(self, position: int) -> float:
            return letters[position].size

        def font(self, position: int) -> str:
            return letters[position].font

    glyphs = [
        Glyph(at, each.letter, each.box, spaced=False, at=at) for at, each in enumerate(letters)
    ]
    whole = replace(
        line(text, 0, 0, 1, style(math=1.0)), box=enclosing(each.box for each in letters)
    )
    (read,), _ = with_scripts([whole], PlacedGlyphs(glyphs), Places(), bars)
    return read.text


def test_limits_beside_a_sum_are_raised_and_lowered_by_its_row_though_it_hangs() -> None:
    """Its baseline is 8 points above that of the letters behind it."""
    letters = (
        _Set("∑", Rect(100, 85, 111, 122), 10.0, -92.0, "CMEX10"),
        _Set("n", Rect(111, 90, 115, 97), 7.0, -95.0),
        _Set("i", Rect(111, 98, 115, 105), 7.0, -103.0),
        _Set("x", Rect(116, 93, 121, 102), 10.0, -100.0),
    )
    assert read_formula("∑ni x", *letters) == "∑ⁿᵢ x"


def test_a_sum_alone_has_limits_of_one_size_above_and_below() -> None:
    """Above the bar of a fraction; PDFium does not have the sum as such."""
    letters = (
        _Set("B", Rect(104, 90, 110, 96), 7.0, -95.0),
        _Set("b", Rect(100, 108, 104, 114), 7.0, -113.0),
        _Set("=", Rect(104, 108, 110, 114), 7.0, -113.0),
        _Set("1", Rect(110, 108, 114, 114), 7.0, -113.0),
    )
    assert read_formula("B∑b=1", *letters, bars=[Rect(98, 116, 160, 116.4)]) == "∑_(b=1)ᴮ"


def test_the_first_row_of_a_small_matrix_is_no_script_of_its_bracket() -> None:
    letters = (
        _Set("J", Rect(88, 95, 94, 104), 10.0, -102.0),
        _Set("=", Rect(96, 95, 104, 104), 10.0, -102.0),
        _Set("(", Rect(107, 80, 114, 117), 10.0, -88.0, "CMEX10"),
        _Set("0", Rect(120, 88, 124, 94), 7.0, -93.0),
        _Set("1", Rect(130, 88, 134, 94), 7.0, -93.0),
    )
    assert read_formula("J = ( 0 1", *letters) == "J = ( 0 1"


def test_a_formula_is_as_large_as_its_letters_however_tall_its_signs_are() -> None:
    glyphs = [each for each in set_at("wk", 100, 100) if each is not None]
    formula = line("∏ wk", 100, 100, look=style(13.7, math=1.0))
    assert line_size(formula, glyphs, _Places()) == 10.0
    assert line_size(formula, [], _Places()) == 13.7
    assert line_size(line("prose", 100, 100, look=style(13.7)), glyphs, _Places()) == 13.7


def test_a_rule_above_words_is_no_bar_over_them() -> None:
    """That of the footnotes, the first of which has a sign of mathematics for its number."""
    text = "\u2217grains of sand are stones"
    letters = [
        _Set(letter, Rect(100 + 5 * at, 100, 105 + 5 * at, 111), 10.0, -110.0, "CMSY10")
        for at, letter in enumerate(text.replace(" ", ""))
    ]
    rule = [Rect(100, 101, letters[-1].box.right, 101.4)]
    assert read_formula(text, *letters, bars=rule) == text
    bar = [Rect(105, 101, 120, 101.4)]
    assert read_formula("\u2217gra", *letters[:4], bars=bar) == "\u2217g\u0305r\u0305a\u0305"
