"""Lines that the parts of a formula within them tear."""

from __future__ import annotations

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.parsing.torn_lines import row_edges, with_gaps_filled, with_torn_joined
from tests.unit.citeloom_pdf.pages import style

TEXT, MATH = "Serif", "ABCDEF+CMMI10"
Placed = tuple[str, float, float, float, float]


def upright(text: str, left: float, top: float = 100.0) -> list[Placed]:
    """The words of a text in one row, one after another."""
    placed = []
    for word in text.split():
        placed.append((word, left, top, left + 5.0 * len(word), top + 9.0))
        left += 5.0 * len(word) + 3.0
    return placed


def part(*words: Placed, formula: tuple[Placed, ...] = (), size: float = 10.0) -> Line:
    placed = [Word(Rect(*box), text, TEXT) for text, *box in words]
    signs = [Word(Rect(*box), text, MATH) for text, *box in formula]
    every = sorted([*placed, *signs], key=lambda word: word.box.left)
    text = " ".join(word.text for word in every)
    math = sum(len(word.text) for word in signs) / len(text)
    return Line(enclosing(word.box for word in every), text, style(size, math=math), tuple(every))


def texts(*parts: Line) -> list[str]:
    return [line.text for line in with_torn_joined(parts)]


ABOVE = part(*upright("growth of which", 50), formula=(("a+1", 130, 93, 150, 102),))
BELOW = part(*upright("until the surface", 156), formula=(("w", 137, 105, 143, 114),))


def test_a_fraction_does_not_tear_its_line() -> None:
    assert texts(ABOVE, BELOW) == ["growth of which a+1w until the surface"]


def test_the_limits_of_an_operator_belong_to_its_line() -> None:
    operator = part(*upright("come and gives max", 50))
    limits = part(formula=(("1≤i≤n", 119, 109.5, 143, 116),), size=7.0)
    assert texts(operator, limits) == ["come and gives max1≤i≤n"]


def test_a_line_below_is_another() -> None:
    below = part(*upright("until the surface", 50, 112), formula=(("w", 137, 112, 143, 121),))
    assert len(texts(ABOVE, below)) == 2


def test_words_of_another_row_or_column_stay_apart() -> None:
    lower = part(*upright("until the surface", 156, 104), formula=(("w", 137, 105, 143, 114),))
    far = part(*upright("until the surface", 170), formula=(("w", 165, 105, 170, 114),))
    assert len(texts(ABOVE, lower)) == 2
    assert len(texts(ABOVE, far)) == 2


def test_the_rows_of_a_display_formula_are_left_to_it() -> None:
    rows = [
        part(formula=((text, 140, top, 160, top + 9),)) for text, top in (("ab", 90), ("cd", 99))
    ]
    assert texts(*rows) == ["ab", "cd"]


def test_a_page_without_mathematics_stays_as_it_is() -> None:
    lines = [part(*upright("growth of which", 50)), part(*upright("until the surface", 120))]
    assert texts(*lines) == ["growth of which", "until the surface"]


def test_a_line_has_the_height_of_its_words() -> None:
    assert row_edges(ABOVE) == (100, 109)
    assert row_edges(part(formula=(("w", 137, 105, 143, 114),))) == (105, 114)


def test_a_display_formula_below_a_short_line_is_no_part_of_it() -> None:
    last = part(*upright("down with all water", 50))
    assert len(texts(last, part(formula=(("S", 130, 111, 138, 120),)))) == 2
    assert len(texts(last, part(formula=(("S", 147, 109.5, 155, 118),)))) == 2


def test_a_letter_that_was_set_apart_stands_in_the_gap_left_for_it() -> None:
    whole = part(*upright("of one", 50), *upright("ngstrom or more", 86))
    letter = part(("Å", 81, 100, 86, 109))
    assert [line.text for line in with_gaps_filled([whole, letter])] == ["of one Ångstrom or more"]
    below, wide = part(("Å", 81, 112, 86, 121)), part(("Å", 81, 100, 86, 109), size=14.0)
    assert with_gaps_filled([whole, below, wide]) == [whole, below, wide]
