"""The text of table cells: order, raised characters, neighbouring columns."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

import pytest
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.cell_text import cell_text, printed_from_right
from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.blocks.table_structure import table_rows
from citeloom_pdf.elements.block import LayoutBlock
from citeloom_pdf.elements.geometry import (
    Glyph,
    PlacedGlyphs,
    Rect,
    Rule,
)
from citeloom_pdf.elements.page import Line, PageContent, Word
from citeloom_pdf.parsing.lines import Cell, lines_of_cells
from citeloom_pdf.structure.assembly import assemble
from tests.unit.citeloom_pdf.pages import block, line, style
from tests.unit.citeloom_pdf.pages import page as page_of


def word(text: str, left: float, top: float, height: float = 10.0) -> Word:
    return Word(Rect(left, top, left + 5 * len(text), top + height), text, "Serif")


def test_an_exponent_follows_its_number() -> None:
    base, exponent = word("3.4×10", 50, 100), word("-5", 80.5, 97, height=7)  # noqa: RUF001
    assert cell_text([exponent, base], 10, None) == "3.4×10^-5"  # noqa: RUF001


def test_a_raised_sign_a_word_away_is_no_exponent_and_stays_behind() -> None:
    assert cell_text([word("*", 70, 97, height=7), word("0.04", 40, 100)], 10, None) == "0.04 *"


def test_an_exponent_in_the_same_word_is_marked() -> None:
    glyphs = [
        Glyph(0, "1", Rect(50, 100, 55, 110), spaced=True),
        Glyph(1, "0", Rect(55, 100, 60, 110), spaced=False),
        Glyph(2, "4", Rect(60, 98, 64, 105), spaced=False),
    ]
    read = Word(Rect(50, 98, 64, 110), "104", "Serif")
    assert cell_text([read], 10, PlacedGlyphs(glyphs)) == "10^4"


def test_a_figure_behind_a_taller_minus_sign_is_not_raised() -> None:
    glyphs = [
        Glyph(0, "\u2212", Rect(50, 96, 55, 113), spaced=True),
        Glyph(1, "1", Rect(55, 98, 60, 106), spaced=False),
    ]
    read = Word(Rect(50, 96, 60, 113), "\u22121", "Serif")
    assert cell_text([read], 10, PlacedGlyphs(glyphs)) == "\u22121"


def test_letters_beside_one_that_goes_below_them_are_not_raised() -> None:
    read = Word(Rect(50, 100, 70, 113), "gage", "Serif")
    glyphs = [
        Glyph(at, letter, Rect(50 + 5 * at, 103, 55 + 5 * at, bottom), spaced=at == 0)
        for at, (letter, bottom) in enumerate((("g", 113), ("a", 110), ("g", 113), ("e", 110)))
    ]
    assert cell_text([read], 10, PlacedGlyphs(glyphs)) == "gage"


def test_lines_of_a_cell_are_read_from_top_to_bottom() -> None:
    words = [word("below", 50, 112), word("upper", 50, 100), word("line", 80, 101)]
    assert cell_text(words, 10, None) == "upper line below"


def test_an_interval_in_small_print_below_its_estimate_is_a_line_of_its_own() -> None:
    words = [
        word("462.223", 55, 100),
        word("(", 50, 108.5, height=7),
        word("450.57,", 56, 108.5, height=7),
        word("480.50)", 93, 108.5, height=7),
    ]
    assert cell_text(words, 10, None) == "462.223 ( 450.57, 480.50)"


def test_letters_of_a_mark_across_the_page_do_not_mix_the_lines_of_a_cell() -> None:
    upper = [word(text, left, 100) for text, left in (("There", 50), ("is", 90), ("no", 120))]
    lower = [word(text, left, 108) for text, left in (("way", 50), ("of", 78), ("access", 100))]
    assert cell_text([*upper, *lower, word("M", 200, 96, height=24)], 10, None) == (
        "There is no M way of access"
    )


def table(*rows: tuple[tuple[str, float], ...]) -> PageContent:
    lines: list[Line] = [
        line(text, left, 100 + 14 * number, look=style(10.0))
        for number, row in enumerate(rows)
        for text, left in row
    ]
    return PageContent(1, 600, 800, tuple(lines))


def test_numbers_of_neighbouring_columns_never_share_a_cell() -> None:
    near = (("Main", 50.0), ("1.25", 120.0), ("3.75", 143.0))
    page = table(
        (("Aare", 50.0), ("1.25", 120.0), ("3.7", 146.0)),
        (("Inn", 50.0), ("1.2", 120.0), ("3.75", 146.0)),
        near,
        (("Rhine", 50.0), ("1.25", 120.0), ("3.75", 146.0)),
    )
    found = table_rows(page, Rect(45, 95, 200, 160), page.lines)
    assert [row[1:] for row in found.cells] == [
        ("1.25", "3.7"),
        ("1.2", "3.75"),
        ("1.25", "3.75"),
        ("1.25", "3.75"),
    ]
    assert not found.doubtful


@pytest.mark.parametrize("first", ["Courier", "Serif"])
def test_words_of_a_typewriter_font_with_one_space_between_are_one_cell(first: str) -> None:
    lines = [
        Line(
            Rect(left, 100 + 14 * number, left + 120, 110 + 14 * number),
            text,
            style(10.0),
            tuple(
                Word(
                    Rect(left + 6 * at, 100 + 14 * number, left + 6 * (at + 4), 110 + 14 * number),
                    part,
                    "Courier" if at else first,
                )
                for at, part in enumerate(text.split("_"))
                for at in (5 * at,)
            ),
        )
        for number in range(4)
        for text, left in (("load_name", 50.0), ("then_keep_it", 200.0))
    ]
    page = PageContent(1, 600, 800, tuple(lines))
    found = table_rows(page, Rect(45, 95, 330, 155), page.lines)
    assert set(found.cells) == {("load name", "then keep it")}
    assert not found.doubtful


def test_a_rule_between_two_words_parts_them_however_near_they_are() -> None:
    page = table(
        (("Function", 60.0), ("Time", 150.0), ("Share", 210.0)),
        *((("decode", 60.0), ("4507", left), ("100", 210.0)) for left in (152.0, 156.0, 160.0)),
        (("keeps_whole_frames", 57.0), ("4881", 149.0), ("108", 210.0)),
    )
    down = tuple(Rule(at, 95, 175) for at in (55, 146.8, 205, 240))
    across = tuple(Rule(97 + 14 * at, 55, 240) for at in range(6))
    found = table_rows(
        replace(page, horizontal=across, vertical=down), Rect(55, 97, 240, 167), page.lines
    )
    assert found.cells[-1] == ("keeps_whole_frames", "4881", "108")
    assert not found.doubtful


def test_the_head_of_a_column_begins_where_its_cells_do_however_near_the_one_before() -> None:
    row = (("Aare", 50.0), ("1.25", 120.0), ("3.75", 180.0))
    page = table((("River", 50.0), ("Measurement Year", 120.0)), *[row] * 4)
    heads = page.lines[1].words
    moved = (heads[0], heads[1]._replace(box=Rect(180.0, 100, 200.0, 110)))
    lines = (page.lines[0], replace(page.lines[1], words=moved), *page.lines[2:])
    found = table_rows(page, Rect(45, 95, 240, 175), lines)
    assert found.cells[0] == ("River", "Measurement", "Year")


def test_a_cell_that_is_printed_over_the_end_of_a_longer_one_is_a_cell_without_doubt() -> None:
    names = (("Rhone", "Lake"), ("Inn", "Steep"), ("Aare", "Gorge"), ("Ergolz", "Village"))
    rows = [((name, 50.0), (reach, 120.0), ("1.25", 220.0)) for name, reach in names]
    page = table(*rows, (("Left bank of the BirsMeadow", 50.0), ("2.75", 220.0)))
    (*upper, long, last) = page.lines
    letters = [(letter, 50.0 + 4 * at) for at, letter in enumerate("Left bank of the Birs")]
    letters += [(letter, 120.0 + 5 * at) for at, letter in enumerate("Meadow")]
    glyphs = [
        Glyph(at, letter, Rect(left, 156, left + 5, 166), False, 0)
        for at, (letter, left) in enumerate(letters)
        if letter != " "
    ]
    words = ("Left", 50.0, 66.0), ("bank", 70.0, 86.0), ("of", 90.0, 98.0), ("the", 102.0, 114.0)
    boxes = [Word(Rect(left, 156, right, 166), text, "Serif") for text, left, right in words]
    boxes.append(Word(Rect(118, 156, 150, 166), "BirsMeadow", "Serif"))
    overprinted = replace(long, words=tuple(boxes))
    placed = replace(page, glyphs=PlacedGlyphs(glyphs))
    found = table_rows(placed, Rect(45, 95, 260, 175), [*upper, overprinted, last])
    assert found.cells[-1] == ("Left bank of the Birs", "Meadow", "2.75")
    assert not found.doubtful


def test_a_line_from_the_right_that_a_cell_has_whole_is_as_it_was_read() -> None:
    words = (
        word("מובהק", 80, 100),
        Word(Rect(40, 100, 75, 110), "(p", "Serif"),
        word("<", 50, 100),
        Word(Rect(35, 100, 70, 110), "0.05)", "Serif"),
    )
    whole = replace(line("מובהק (p < 0.05)", 35, 100), words=words)
    printed = printed_from_right([whole])
    assert cell_text(words, 10, None, printed=printed) == "מובהק (p < 0.05)"
    assert cell_text(words[1:], 10, None, printed=printed) != "(p < 0.05)"


def test_a_word_read_from_the_right_is_not_parted_where_numbers_below_it_begin() -> None:
    letters = [
        Glyph(at, letter, Rect(75 - 6 * at, 100, 81 - 6 * at, 110), spaced=False)
        for at, letter in enumerate("תוצאות")
    ]
    head = replace(
        line("תוצאות", 45, 100, width=36),
        words=(Word(Rect(45, 100, 81, 110), "תוצאות", "Serif"),),
    )
    names = [line("תחנה", 150, 100 + 14 * row, width=20) for row in range(5)]
    names = [replace(each, words=(Word(each.box, each.text, "Serif"),)) for each in names]
    numbers = [line(f"{row}6.40", 57, 100 + 14 * row, width=24) for row in range(1, 5)]
    numbers = [replace(each, words=(Word(each.box, each.text, "Serif"),)) for each in numbers]
    page = replace(table((("a", 50.0), ("b", 120.0))), glyphs=PlacedGlyphs(letters))
    found = table_rows(page, Rect(40, 95, 180, 170), [head, *names, *numbers])
    assert found.cells[0] == ("תחנה", "תוצאות")


DOWN = tuple(Rule(at, 95, 175) for at in (45, 110, 170, 240))


def test_numbers_below_one_another_between_two_rules_are_rows_and_errors_below_them_are_not() -> (
    None
):
    across = tuple(Rule(at, 45, 240) for at in (97, 112, 168, 184))
    page = table(
        (("Term", 50.0), ("First", 120.0), ("Second", 180.0)),
        (("slope", 50.0), ("1.25**", 120.0), ("3.75", 180.0)),
        (("(0.02)", 120.0), ("(0.10)", 180.0)),
        (("stress", 50.0), ("1.5", 120.0), ("3.7", 180.0)),
        (("(0.03)", 120.0), ("(0.20)", 180.0)),
        (("cases", 50.0), ("12", 120.0), ("16", 180.0)),
    )
    ruled = replace(page, horizontal=across, vertical=DOWN)
    found = table_rows(ruled, Rect(45, 97, 240, 184), page.lines)
    assert found.cells == (
        ("Term", "First", "Second"),
        ("slope", "1.25** (0.02)", "3.75 (0.10)"),
        ("stress", "1.5 (0.03)", "3.7 (0.20)"),
        ("cases", "12", "16"),
    )


def test_a_row_without_a_name_that_has_numbers_of_its_own_is_a_row() -> None:
    page = table(
        (("Sex", 50.0), ("Crop", 120.0), ("Yield", 180.0)),
        (("Female", 50.0), ("rye", 120.0), ("17", 180.0)),
        (("oats", 120.0), ("12", 180.0)),
        (("Male", 50.0), ("rye", 120.0), ("16", 180.0)),
        (("oats", 120.0), ("11", 180.0)),
    )
    found = table_rows(page, Rect(45, 95, 240, 175), page.lines)
    assert found.cells[1:3] == (("Female", "rye", "17"), ("", "oats", "12"))


def test_names_of_several_lines_in_ruled_columns_are_parted_by_their_gaps() -> None:
    name, rest = (("40% Benomyl", 50.0), ("24", 120.0), ("soak", 180.0)), (("powder", 50.0),)
    page = table(name, rest, name, rest, name, rest)
    lines = [
        replace(
            part,
            box=part.box._replace(top=part.box.top + move, bottom=part.box.bottom + move),
            words=tuple(
                one._replace(
                    box=one.box._replace(top=one.box.top + move, bottom=one.box.bottom + move)
                )
                for one in part.words
            ),
        )
        for part, move in ((part, 12 * ((part.box.top - 100) // 28)) for part in page.lines)
    ]
    ruled = replace(page, vertical=tuple(Rule(at, 95, 210) for at in (45, 110, 170, 240)))
    found = table_rows(ruled, Rect(45, 95, 240, 210), lines)
    assert found.cells == (("40% Benomyl powder", "24", "soak"),) * 3


def test_a_wide_space_in_a_cell_makes_no_column_beside_those_that_rules_part() -> None:
    rows = [(("Reach", 50.0), ("Where stones were counted", 120.0))]
    rows += [((f"Reach {at}", 50.0), ("at the bridge below the weir", 120.0)) for at in range(5)]
    cut = (("between the bridge and the", 120.0), ("old ferry", 265.0))
    page = table(*rows, cut, (("along the bank of gravel", 120.0),))
    ruled = replace(page, vertical=tuple(Rule(at, 95, 240) for at in (45, 110, 340)))
    found = table_rows(ruled, Rect(45, 95, 340, 240), page.lines)
    assert {len(row) for row in found.cells} == {2}
    words = " ".join(cell for row in found.cells for cell in row)
    assert "between the bridge and the old ferry along the bank" in words


WRAPPED = (
    (("Measure", 50.0), ("What it says", 120.0), ("Source", 330.0)),
    (("the size that half of the grains are", 120.0),),
    (("Median grain", 50.0), ("smaller than, from a count of many", 120.0), ("Count of", 330.0)),
    (("size", 50.0), ("stones", 120.0), ("stones", 330.0)),
    (("Stress", 50.0), ("depth times slope", 120.0), ("Computed", 330.0)),
    (("Slope", 50.0), ("fall over length", 120.0), ("Measured", 330.0)),
)


def test_cells_that_go_on_below_are_one_row_between_rules_and_names_of_their_own_are_not() -> None:
    page = table(*WRAPPED)
    across = tuple(Rule(at, 45, 380) for at in (95, 112, 154, 182))
    down = tuple(Rule(at, 95, 182) for at in (45, 115, 325, 380))
    for vertical in (down, ()):
        ruled = replace(page, horizontal=across, vertical=vertical)
        found = table_rows(ruled, Rect(45, 95, 380, 182), page.lines)
        assert found.cells[-2:] == (
            ("Stress", "depth times slope", "Computed"),
            ("Slope", "fall over length", "Measured"),
        )
    grid = replace(page, horizontal=across, vertical=down)
    assert table_rows(grid, Rect(45, 95, 380, 182), page.lines).cells[1] == (
        "Median grain size",
        "the size that half of the grains are smaller than, from a count of many stones",
        "Count of stones",
    )


def drawn_rows(*heights: int) -> tuple[Rule, ...]:
    """Rules around rows of so many lines."""
    edges = [0, *accumulate(heights)]
    return tuple(Rule(97 + 14 * edge, 45, 380) for edge in edges)


@pytest.mark.parametrize(
    ("lines", "row"),
    [
        (
            (
                (("Low Weir", 50.0), ("0", 160.0), ("Keep the plain form of", 230.0)),
                (("Alternate", 50.0), ("(usual)", 160.0), ("the gate", 230.0)),
                (("(turned)", 50.0),),
            ),
            ("Low Weir Alternate (turned)", "0 (usual)", "Keep the plain form of the gate"),
        ),
        (
            (
                (("gate_1", 50.0),),
                (("...", 50.0), ("p. 4", 160.0), ("Name of each gate, say", 230.0)),
                (("gate_n", 50.0), ("and 5", 160.0), ("Upper Mill", 230.0)),
            ),
            ("gate_1 ... gate_n", "p. 4 and 5", "Name of each gate, say Upper Mill"),
        ),
        (
            (
                (("Water that", 50.0), ("Two", 160.0), ("Nobody opens these", 230.0)),
                (("is let off", 50.0), ("gates", 160.0), ("GATES in winter", 230.0)),
            ),
            ("Water that is let off", "Two gates", "Nobody opens these GATES in winter"),
        ),
    ],
)
def test_lines_of_cells_are_one_row_where_rules_are_drawn_around_each(
    lines: tuple[tuple[tuple[str, float], ...], ...], row: tuple[str, ...]
) -> None:
    head = (("Feature", 50.0), ("Value", 160.0), ("Effect", 230.0))
    short = (("High Weir", 50.0), ("1", 160.0), ("Turn the gate", 230.0))
    page = table(head, *lines, short, short)
    across = drawn_rows(1, len(lines), 1, 1)
    down = tuple(Rule(at, 97, across[-1].at) for at in (45, 155, 225, 380))
    ruled = replace(page, horizontal=across, vertical=down)
    found = table_rows(ruled, Rect(45, 97, 380, across[-1].at), page.lines)
    assert found.cells[1] == row
    assert len(found.cells) == 4


def test_names_in_full_rows_between_rules_are_rows_of_their_own() -> None:
    head = (("Town", 50.0), ("River", 160.0), ("Mill", 230.0))
    towns = ("Bern", "Thun", "Biel", "Chur", "Genf", "Visp")
    page = table(head, *(((t, 50.0), ("Aare", 160.0), (f"Mill of {t}", 230.0)) for t in towns))
    across = drawn_rows(1, 2, 2, 2)
    down = tuple(Rule(at, 97, across[-1].at) for at in (45, 155, 225, 380))
    ruled = replace(page, horizontal=across, vertical=down)
    found = table_rows(ruled, Rect(45, 97, 380, across[-1].at), page.lines)
    assert [row[0] for row in found.cells] == ["Town", *towns]


def test_a_row_with_an_empty_cell_above_a_full_one_is_a_row_of_its_own() -> None:
    head = (("Feature", 50.0), ("Value", 120.0), ("Code", 190.0), ("Effect", 260.0))
    page = table(
        head,
        (("Third form", 50.0), ("Standard", 120.0), ("plain", 260.0)),
        (("(gates)", 50.0), ("Alternate", 120.0), ("cv80", 190.0), ("barred", 260.0)),
        *((("High Weir", 50.0), ("Standard", 120.0), ("cv81", 190.0), ("plain", 260.0)),) * 2,
    )
    across = drawn_rows(1, 2, 1, 1)
    down = tuple(Rule(at, 97, across[-1].at) for at in (45, 115, 185, 255, 380))
    ruled = replace(page, horizontal=across, vertical=down)
    found = table_rows(ruled, Rect(45, 97, 380, across[-1].at), page.lines)
    assert found.cells[1:3] == (
        ("Third form", "Standard", "", "plain"),
        ("(gates)", "Alternate", "cv80", "barred"),
    )


def test_a_word_that_begins_far_before_its_table_does_not_end_the_page() -> None:
    page = table(*((("Weir", 50.0), ("12", 120.0), ("open", 180.0)),) * 4)
    far = word("Every_gate_below_the_upper_mill", 30, 156)
    last = Line(far.box, far.text, style(10.0), (far,))
    ruled = replace(page, vertical=tuple(Rule(at, 95, 175) for at in (45, 115, 175, 240)))
    found = table_rows(ruled, Rect(45, 95, 240, 175), [*page.lines, last])
    assert found.cells[0] == ("Weir", "12", "open")


def test_a_cell_below_the_end_of_a_sentence_is_a_row_however_full_the_line_above_is() -> None:
    page = table(
        (("apt depends", 50.0), ("lists what a package needs.", 120.0)),
        (("apt rdepends", 50.0), ("lists what needs a package.", 120.0)),
    )
    assert len(table_rows(page, Rect(45, 95, 300, 140), page.lines).cells) == 2


def test_lines_in_small_letters_go_on_with_the_cells_above_and_others_are_rows() -> None:
    page = table(
        (("Place", 50.0), ("Rule", 120.0), ("Reason", 205.0)),
        (("Rural houses", 50.0), ("By written", 120.0), ("Closed in", 205.0)),
        (("and gardens", 50.0), ("request", 120.0), ("the winter", 205.0)),
        (("Mills", 50.0), ("Open on some", 120.0), ("Taken by", 205.0)),
        (("at the weir", 50.0), ("of the Sundays", 120.0), ("the state", 205.0)),
    )
    near = [
        replace(
            part,
            box=part.box._replace(bottom=part.box.top + 13),
            words=tuple(w._replace(box=w.box._replace(bottom=w.box.top + 13)) for w in part.words),
        )
        for part in page.lines
    ]
    found = table_rows(page, Rect(45, 95, 280, 175), near)
    assert found.cells[1] == (
        "Rural houses and gardens",
        "By written request",
        "Closed in the winter",
    )
    # cells below nothing do not go on, nor does a line in a table of small letters
    beside = [line("in the year", 330, 128), *near]
    assert table_rows(page, Rect(45, 95, 400, 175), beside).cells[1][0] == "Rural houses"
    small = [
        replace(part, words=tuple(w._replace(text=w.text.lower()) for w in part.words))
        for part in near
    ]
    assert len(table_rows(page, Rect(45, 95, 280, 175), small).cells) == 5


def test_rows_below_the_name_of_several_are_rows_and_errors_below_it_are_not() -> None:
    def found(*below: str) -> list[tuple[str, ...]]:
        rows = (("When it was", "Soil type", "Yield"), *[("sown", "clay", "*"), below] * 3)
        tops = [100, *(118 + 30 * part + at for part in range(3) for at in (0, 12))]
        lines = [
            *(line("Rye", 50, top) for top in tops[1::2]),
            *(
                line(text, left, top)
                for row, top in zip(rows, tops)
                for text, left in zip(row, (120, 190, 250))
            ),
        ]
        page = PageContent(1, 600, 800, tuple(lines))
        return [*table_rows(page, Rect(45, 97, 290, 200), page.lines).cells[1:]]

    assert found("cut", "loam", "*")[1:3] == [
        ("", "cut", "loam", "*"),
        ("Rye", "sown", "clay", "*"),
    ]
    assert found("(0.5)", "(0.6)", "(0.1)") == [("Rye", "sown (0.5)", "clay (0.6)", "* (0.1)")] * 3


def test_rows_that_begin_with_capitals_are_no_lines_of_the_long_cells_above() -> None:
    names = (
        ("%URLS", "List of the URLs of all documents"),
        ("%directory", "Project directory of all"),
    )
    page = table(
        *(((name, 50.0), (said, 130.0)) for name, said in (("%URL", "Name of all"), *names))
    )
    near = [
        replace(
            part,
            words=tuple(w._replace(box=w.box._replace(bottom=w.box.top + 13)) for w in part.words),
        )
        for part in page.lines
    ]
    ruled = replace(page, vertical=tuple(Rule(at, 95, 145) for at in (45, 125, 300)))
    found = table_rows(ruled, Rect(45, 95, 300, 145), near)
    assert found.cells[1:] == names


def test_an_underscore_with_a_box_of_its_ink_is_in_the_word_around_it() -> None:
    def cell(top: float) -> list[Line]:
        ink = Word(Rect(145, top + 10, 150, top + 10.5), "_", "Serif")
        around = [word("SPIFI", 120, top), ink, word("MISO", 150, top)]
        return [Line(each.box, each.text, style(10.0), (each,)) for each in around]

    lines = [
        *(line(str(at), 50, 100 + 14 * at) for at in range(4)),
        *(part for at in range(4) for part in cell(100 + 14 * at)),
    ]
    found = table_rows(PageContent(1, 600, 800, tuple(lines)), Rect(45, 95, 240, 155), lines)
    assert {row[1:] for row in found.cells} == {("SPIFI_MISO",)}


def test_a_number_and_its_error_are_one_cell_however_wide_the_sign_between_stands() -> None:
    rows = [
        ((name, 50.0), (number, 120.0), ("\u00b1", 147.0), ("0.5", 160.0), ("17", 220.0))
        for name, number in (("Aare", "1.25"), ("Inn", "3.75"), ("Main", "2.50"))
    ]
    found = table_rows(page := table(*rows), Rect(45, 95, 240, 150), page.lines)
    assert found.cells[0] == ("Aare", "1.25 \u00b1 0.5", "17")


def test_a_row_of_numbers_below_the_name_of_its_group_is_a_row_of_its_own() -> None:
    group = (("crops that are sown in autumn", 50.0),)
    page = table(
        (("Crop", 90.0), ("Yield", 130.0), ("Area", 180.0)),
        group,
        (("Rye", 95.0), ("17.5", 130.0), ("3.40", 180.0)),
        (("Wheat", 85.0), ("21.5", 130.0), ("5.45", 180.0)),
        group,
        (("Oats", 90.0), ("12.5", 130.0), ("2.25", 180.0)),
    )
    found = table_rows(page, Rect(45, 95, 240, 190), page.lines)
    assert [row[0] for row in found.cells][2:4] == ["Rye", "Wheat"]


def test_a_table_that_is_read_from_the_right_begins_there() -> None:
    row = (("17.5", 50.0), ("2015", 120.0), ("1", 180.0))
    numbers = table(*[row] * 3)
    box = Rect(45, 95, 240, 175)
    assert {*table_rows(numbers, box, numbers.lines).cells} == {("17.5", "2015", "1")}
    prose = line("השנה נמדדו שלושה שדות בכפר", 50, 300, look=style(10.0))
    page = replace(numbers, lines=(*numbers.lines, prose))
    assert {*table_rows(page, box, numbers.lines).cells} == {("1", "2015", "17.5")}
    heads = table((("יבול", 50.0), ("שנה", 120.0), ("שדה", 180.0)), *[row] * 3)
    assert table_rows(heads, box, heads.lines).cells[0] == ("שדה", "שנה", "יבול")
    latin = table((("Yield", 50.0), ("Year", 120.0), ("Plot", 180.0)), *[row] * 3)
    page = replace(latin, lines=(*latin.lines, prose))
    assert table_rows(page, box, latin.lines).cells[0] == ("Yield", "Year", "Plot")


def test_a_word_that_goes_on_below_is_one_row() -> None:
    page = table(
        (("Main", 50.0), ("1.25", 120.0)),
        (("Docu\u00ad", 50.0), ("3.75", 120.0)),
        (("ments", 50.0),),
        (("Rhine", 50.0), ("1.25", 120.0)),
    )
    found = table_rows(page, Rect(45, 95, 200, 160), page.lines)
    assert found.cells[1] == ("Docu\u00ad\nments", "3.75")


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ("A start-up grows as each start-up does.", "start-up"),
        ("A startup grows as each startup does.", "startup"),
    ],
)
def test_the_words_of_the_document_tell_the_hyphens_of_its_cells(written: str, whole: str) -> None:
    page = table(
        (("Main", 50.0), ("1.25", 120.0)),
        (("the start-", 50.0), ("3.75", 120.0)),
        (("up", 50.0),),
        (("Rhine", 50.0), ("1.25", 120.0)),
    )
    cells = table_rows(page, Rect(45, 95, 200, 160), page.lines).cells
    grid = LayoutBlock(DocItemLabel.TABLE, Rect(45, 95, 200, 160), style(), rows=cells)
    pages = [page_of(1, block(written, (45, 300, 500, 310)), grid)]
    (found,) = assemble("rivers", pages, [], "").tables
    assert found.data.grid[1][0].text == f"the {whole}"


def test_a_table_on_its_side_is_read_as_it_is_printed() -> None:
    cells = (("Aare", "1.25", "3.75"), ("Inn", "2.10", "4.30"), ("Rhine", "5.05", "6.60"))
    upright = table(*(tuple(zip(row, (50.0, 120.0, 180.0))) for row in cells))
    lines = tuple(_on_its_side(one) for one in upright.lines)
    rules = tuple(Rule(at, 500.0, 760.0) for at in (95.0, 112.0, 142.0))
    (block,) = lay_out(PageContent(1, 600, 800, lines, vertical=rules)).blocks
    assert block.rows == cells
    assert block.box.height > block.box.width


def _on_its_side(one: Line) -> Line:
    """The line set upwards on a page that is 800 points high."""
    words = tuple(found._replace(box=_turned(found.box)) for found in one.words)
    return replace(one, box=_turned(one.box), words=words, rotated=True, angle=90)


def _turned(box: Rect) -> Rect:
    return Rect(box.top, 800 - box.right, box.bottom, 800 - box.left)


def test_a_table_with_words_across_its_columns_is_doubtful() -> None:
    row = (("Aare", 50.0), ("1.25", 120.0), ("3.75", 180.0))
    across = (("Main", 50.0), ("1.252222222222222", 120.0), ("3.75", 215.0))
    sound, odd = table(*[row] * 6), table(*[row] * 4, *[across] * 2)
    assert not table_rows(sound, Rect(45, 95, 240, 190), sound.lines).doubtful
    assert table_rows(odd, Rect(45, 95, 240, 190), odd.lines).doubtful


def test_a_thin_dash_alone_in_a_cell_is_as_high_as_its_row() -> None:
    """Its box is its ink; one below all letters is a stroke."""
    row = Cell(Rect(50, 100, 90, 110), "five", "F", 0.0)
    dash, stroke = (Cell(Rect(150, top, 160, top + 0.8), "\u2014", "F", 0.0) for top in (105, 130))
    words = [Word(cell.box, cell.text, "F") for cell in (row, dash)]
    lines = lines_of_cells([row, dash, stroke], words, lambda _word: 10.0)
    assert [(part.text, part.box.top) for part in lines] == [("five", 100), ("\u2014", 100)]
    assert [part.words[0].box.top for part in lines] == [100, 100]


def test_a_number_is_read_before_its_unit_in_a_table_from_the_right() -> None:
    measure = [word("kg", 50, 100), word("571", 65, 100)]
    assert cell_text(measure, 10, None, from_right=True) == "571 kg"
    assert cell_text(measure, 10, None) == "kg 571"


def test_a_table_on_a_page_from_the_right_begins_with_names_from_the_right() -> None:
    """However many Latin letters its other cells have."""
    rows = [("Windows", "571 GB", "שמן"), ("Debian", "34 kW", "דבש")]
    lines = [
        line(text, left, 100.0 + 15 * row)
        for row, cells in enumerate(rows)
        for text, left in zip(cells, (50.0, 150.0, 250.0))
    ]
    prose = line("השנה נמדדו שלושה שדות בכפר", 50, 300, look=style(10.0))
    page = PageContent(1, 400, 500, (*lines, prose))
    read = table_rows(page, Rect(45, 95, 300, 130), lines)
    assert [row[0] for row in read.cells] == ["שמן", "דבש"]


def test_a_fraction_that_reaches_over_another_line_stays_one_line() -> None:
    words = [
        Word(Rect(73, 676, 120, 684), "df", "CMMI6"),
        Word(Rect(73, 688, 120, 696), "dx", "CMMI6"),
        Word(Rect(110, 680, 170, 690), "is", "F"),
    ]
    cells = [
        Cell(Rect(73, 676, 170, 696), "df dx", "CMMI6", 0.0),
        Cell(words[-1].box, "is", "F", 0.0),
    ]
    lines = lines_of_cells(cells, words, lambda _word: 6.0)
    assert [line.text for line in lines] == ["df dx", "is"]


def test_cells_in_two_rows_that_the_parser_has_as_one_line_stand_in_their_rows() -> None:
    upper, lower = Rect(73, 676, 170, 688), Rect(73, 688, 170, 700)
    words = [
        Word(Rect(73, 676, 120, 688), "sensor", "F"),
        Word(Rect(125, 676, 170, 688), "or", "F"),
        Word(Rect(73, 688, 120, 700), "gauge", "F"),
        Word(Rect(125, 688, 170, 700), "one", "F"),
        Word(Rect(187, 676, 208, 688), "Pres", "F"),
    ]
    cells = [
        Cell(upper, "sensor or", "F", 0.0),
        Cell(lower.union(words[-1].box), "gauge one Pres", "F", 0.0),
    ]
    lines = lines_of_cells(cells, words, lambda _word: 12.0)
    assert [(line.text, line.box.top) for line in lines] == [
        ("sensor or", 676),
        ("gauge one", 688),
        ("Pres", 676),
    ]
    assert [word for line in lines for word in line.words] == words
    formula = [word._replace(font="CMMI10") for word in words]
    assert [part.text for part in lines_of_cells(cells, formula, lambda _word: 12.0)] == [
        cell.text for cell in cells
    ]


def test_a_line_from_the_right_with_high_marks_keeps_the_order_of_its_words() -> None:
    upper, lower = Rect(73, 676, 170, 688), Rect(73, 688, 170, 700)
    words = [
        Word(Rect(125, 676, 170, 688), "אחד", "F"),
        Word(Rect(73, 676, 120, 688), "או", "F"),
        Word(Rect(187, 676, 208, 700), "שְׁנַיִם", "F"),
        Word(Rect(125, 688, 170, 700), "ועוד", "F"),
        Word(Rect(73, 688, 120, 700), "אחר", "F"),
    ]
    cells = [
        Cell(upper, "אחד או", "F", 0.0),
        Cell(lower.union(words[2].box), "שְׁנַיִם ועוד אחר", "F", 0.0),
    ]
    lines = lines_of_cells(cells, words, lambda _word: 12.0)
    assert [line.text for line in lines] == ["אחד או", "שְׁנַיִם ועוד אחר"]


@pytest.mark.parametrize(("text", "rotated"), [("\u2223" * 4, False), ("CITY", True)])
def test_a_tall_bar_of_a_formula_is_no_text_on_its_side(text: str, *, rotated: bool) -> None:
    bar = Cell(Rect(100.0, 100.0, 104.0, 134.0), text, "CMEX10", 0.0)
    [line] = lines_of_cells([bar], [Word(bar.box, text, "CMEX10")], lambda _word: 10.0)
    assert line.rotated == rotated
