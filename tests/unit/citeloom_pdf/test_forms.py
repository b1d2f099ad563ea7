"""Boxes of forms, cells of several lines between few rules, and tables on drawings."""

from __future__ import annotations

from dataclasses import replace

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.blocks.rows import Row, WordRun
from citeloom_pdf.blocks.table_columns import stand_below
from citeloom_pdf.blocks.table_structure import table_rows
from citeloom_pdf.blocks.tables import find_tables
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import Line, PageContent
from tests.unit.citeloom_pdf.pages import line, style

LEFTS = (60, 220, 380)


def boxes(label_size: float) -> PageContent:
    """Three rows of three boxes, each with a label above its value."""
    lines = [
        part
        for row in range(3)
        for at, left in enumerate(LEFTS)
        for part in (
            line(f"Label{row}{at}", left, 102 + 30 * row, look=style(label_size)),
            line(f"value{row}{at}", left, 115 + 30 * row),
        )
    ]
    across = tuple(Rule(100 + 30 * row, 55, 540) for row in range(4))
    down = tuple(Rule(left - 5, 100, 190) for left in (*LEFTS, 545))
    return PageContent(1, 600, 800, tuple(lines), across, down)


def test_a_label_in_small_print_is_in_the_cell_of_its_value() -> None:
    found = boxes(label_size=6.5)
    (box,) = find_tables(found)
    rows = table_rows(found, box, found.lines).cells
    assert rows[1] == ("Label10 value10", "Label11 value11", "Label12 value12")
    found = boxes(label_size=10)
    (box,) = find_tables(found)
    assert len(table_rows(found, box, found.lines).cells) == 6


def wide_cells() -> list[Line]:
    """A head above numbers that are wider than it, beside texts of three lines each."""
    lines = [line("Item", 60, 100), line("Account", 120, 100), line("Sum", 385, 100)]
    for row in range(4):
        top = 116 + 50 * row
        lines += [
            line(f"Bed {row}", 60, top),
            line("coarse gravel carried down here", 120, top),
            line(f"81,71{row}", 370, top),
            line("from steep slopes by rivers that", 120, top + 15),
            line("are swollen", 120, top + 30),
        ]
    return lines


def test_lines_that_go_on_below_are_of_their_row_between_rules_above_and_below_the_head() -> None:
    lines = tuple(wide_cells())
    rules = tuple(Rule(at, 55, 400) for at in (98, 113, 314))
    found = PageContent(1, 600, 800, lines, rules)
    (box,) = find_tables(found)
    head, first, *_, last = table_rows(found, box, found.lines).cells
    text = "coarse gravel carried down here from steep slopes by rivers that are swollen"
    assert head == ("Item", "Account", "Sum")
    assert (first, last) == (("Bed 0", text, "81,710"), ("Bed 3", text, "81,713"))


def test_marks_below_the_numbers_of_an_axis_stand_in_no_columns() -> None:
    def row(top: float, *cells: tuple[str, float]) -> Row:
        runs = (WordRun(Rect(left, top, left + 20, top + 9), text) for text, left in cells)
        return Row(top, top + 9, tuple(runs))

    places = (90, 190, 290)
    marks = [row(120 + 12 * n, *(("o", left - 5) for left in places)) for n in range(3)]
    axis = row(100, *((f"{left}", left) for left in places))
    names = row(100, *((f"Flow {left}", left) for left in places))
    assert [stand_below([head], marks) for head in (axis, names)] == [False, True]


def numbers(left: float) -> list[Line]:
    return [
        line(f"{4000 + 13 * row + at},{at}50", left + 60 * at, 102 + 12 * row)
        for row in range(14)
        for at in range(3)
    ]


def test_tables_of_numbers_on_a_drawing_are_read() -> None:
    rules = tuple(Rule(at, left, left + 180) for left in (55, 305) for at in (100, 272))
    lines = (*numbers(60), *numbers(310), line("9,000", 60, 278))
    drawn = (Rect(40, 90, 520, 200), Rect(40, 198, 520, 294))
    blocks = lay_out(PageContent(1, 600, 800, lines, rules, drawings=drawn)).blocks
    tables = [block for block in blocks if block.label == DocItemLabel.TABLE]
    assert [len(table.rows) for table in tables] == [14, 14]
    assert not any(table.doubtful for table in tables)
    assert [block.text for block in blocks if block not in tables] == ["9,000"]


def test_a_table_of_numbers_in_a_chart_is_doubtful() -> None:
    rules = tuple(Rule(at, 55, 235) for at in (100, 272))
    labels = [line(f"{n}0", 300 + 22 * n, 296, look=style(7)) for n in range(10)]
    labels += [line(f"{n}5", 300 + 22 * n, 180, look=style(7)) for n in range(10)]
    content = PageContent(1, 600, 800, (*numbers(60), *labels), rules)
    drawn = replace(content, drawings=(Rect(40, 90, 530, 310), Rect(300, 95, 520, 285)))
    tables = [block for block in lay_out(drawn).blocks if block.label == DocItemLabel.TABLE]
    assert [table.doubtful for table in tables] == [True]
