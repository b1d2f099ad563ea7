from __future__ import annotations

from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.geometry import Rule, enclosing
from citeloom_pdf.elements.page import Line, PageContent
from tests.unit.citeloom_pdf.pages import line

Cells = tuple[tuple[str, ...], ...]
NORTH = (
    ("Reach", "Depth", "Slope"),
    *((name, f"{n}.4", f"0.{n}5") for n, name in enumerate(("Alder", "Birch", "Cedar", "Elm"), 1)),
    ("Fir", "5.4", "0.55"),
)
SOUTH = (
    ("Pool", "Width", "Sand"),
    *((name, f"1{n}.2", f"4{n}") for n, name in enumerate(("Gorse", "Heath", "Ivy", "Larch"), 1)),
    ("Maple", "15.2", "45"),
    ("Oak", "16.2", "46"),
)


def grid(rows: Cells, left: float, pitch: float = 60) -> list[Line]:
    return [
        line(text, left + pitch * column, 100 + 14 * row)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    ]


def tables(
    *lines: Line, vertical: tuple[Rule, ...] = (), horizontal: tuple[Rule, ...] = ()
) -> list[Cells]:
    layout = lay_out(PageContent(1, 600, 800, lines, horizontal, vertical))
    return [block.rows for block in layout.blocks if block.rows]


def test_tables_without_rules_that_stand_side_by_side_have_their_own_rows() -> None:
    assert tables(*grid(NORTH, 60), *grid(SOUTH, 320)) == [NORTH, SOUTH]


def test_columns_that_begin_anew_below_the_same_head_are_a_table_of_their_own() -> None:
    again = (NORTH[0], *SOUTH[1:])
    assert tables(*grid(NORTH, 60), *grid(again, 240)) == [NORTH, again]


def test_rows_of_one_line_each_are_of_one_table() -> None:
    cells = [*grid(NORTH, 60), *grid(SOUTH, 320)]
    lines = []
    for top in sorted({cell.box.top for cell in cells})[:6]:
        row = [cell for cell in cells if cell.box.top == top]
        words = tuple(word for cell in row for word in cell.words)
        box = enclosing(cell.box for cell in row)
        lines.append(Line(box, " ".join(word.text for word in words), row[0].style, words))
    assert tables(*lines) == [tuple((*north, *south) for north, south in zip(NORTH, SOUTH))]


def test_a_table_with_names_behind_its_numbers_is_one() -> None:
    rows = tuple((*north, *south) for north, south in zip(NORTH, SOUTH))
    assert tables(*grid(rows, 60)) == [rows]
    # a name far behind the numbers of its row
    numbered = tuple((f"{n}.{n}", f"{n}.5", f"{n}.7") for n in range(1, 6))
    named = tuple((name, f"{n}.25") for n, (name, *_) in enumerate(NORTH[1:], 1))
    whole = [(*left, *right) for left, right in zip(numbered, named)]
    assert tables(*grid(numbered, 60), *grid(named, 320)) == [tuple(whole)]


def test_columns_between_vertical_rules_alone_are_a_table() -> None:
    rows = (("Item", "What was seen"), ("Weir", "A low wall of stone"), ("Ford", "Flat gravel"))
    lines = grid(rows, 100, 100)
    sides = tuple(Rule(95 + 100 * n, 95, 145) for n in range(3))
    assert tables(*lines) == []
    assert tables(*lines, vertical=sides) == [rows]
    # frames of plots, one of which is ruled below
    assert tables(*lines, vertical=sides, horizontal=(Rule(145, 95, 195),)) == []


def test_a_table_with_rules_between_its_columns_alone_keeps_the_outer_ones() -> None:
    rows = (NORTH[0], *NORTH[1:], *SOUTH[1:])
    lines = grid(rows, 100)
    columns = sorted({cell.box.left for cell in lines})
    top, bottom = min(cell.box.top for cell in lines), max(cell.box.bottom for cell in lines)
    inner = tuple(Rule(left - 5, top - 2, bottom + 2) for left in columns)
    names = grid(tuple((f"{n}",) for n in range(len(rows))), 60)
    across = (Rule(top + 12, 50, 400),)
    for horizontal in ((), across):
        (found,) = tables(*names, *lines, vertical=inner, horizontal=horizontal)
        assert [row[0] for row in found] == [str(n) for n in range(len(rows))], horizontal
