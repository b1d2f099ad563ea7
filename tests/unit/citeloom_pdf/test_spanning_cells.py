from __future__ import annotations

from citeloom_pdf.blocks.table_structure import TableRows, table_rows
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import Line, PageContent
from tests.unit.citeloom_pdf.pages import line

BOX = Rect(95, 95, 395, 200)


def read(lines: list[Line], *across: Rule, down: tuple[float, ...] = ()) -> TableRows:
    vertical = tuple(Rule(at, BOX.top, BOX.bottom) for at in down)
    return table_rows(PageContent(1, 600, 800, tuple(lines), across, vertical), BOX, lines)


def rows(*texts: tuple[str, ...], pitch: float = 100, left: float = 100) -> list[Line]:
    return [
        line(text, left + pitch * column, 100 + 15 * row)
        for row, cells in enumerate(texts)
        for column, text in enumerate(cells)
        if text
    ]


def test_a_cell_over_several_rows_stands_in_the_first_of_them() -> None:
    lines = rows(
        ("Region", "Place", "Depth"),
        ("", "Alder", "1.4"),
        ("North", "Birch", "2.4"),
        ("", "Cedar", "3.4"),
        ("", "Elm", "4.4"),
        ("South", "Fir", "5.4"),
        ("", "Gorse", "6.4"),
    )
    through = [Rule(112.5, 95, 395), Rule(157.5, 95, 395)]
    beside = [Rule(112.5 + 15 * n, 195, 395) for n in (1, 2, 4, 5)]
    down = (95, 195, 295, 395)
    assert [row[0] for row in read(lines, *through, *beside, down=down).cells] == [
        "Region",
        "North",
        "",
        "",
        "South",
        "",
        "",
    ]
    # without rules beside it a name stays where it stands
    assert read(lines, *through, down=down).cells[2][0] == "North"


def test_a_rule_above_the_text_of_a_column_parts_its_cells_wherever_it_ends() -> None:
    heads = rows(("", "Of both", ""), ("Region", "Place", "Depth"), ("North", "Alder", "1.4"))
    across = [Rule(112.5, 195, 330), Rule(127.5, 95, 395)]
    assert read(heads, *across, down=(95, 195, 295, 395)).cells[1][1:] == ("Place", "Depth")


def test_heads_near_to_one_another_stand_above_their_own_columns() -> None:
    body = rows(*(("Alder", f"{n}.250", f"{n}.125") for n in range(1, 6)), pitch=38)
    shifted = [line(cell.text, cell.box.left, cell.box.top + 15) for cell in body]
    head = [line("Std. error", 117, 100, 46), line("t value", 166, 100)]
    cells = read([*head, *shifted]).cells
    assert cells[0] == ("", "Std. error", "t value")


def test_a_head_over_two_columns_is_one() -> None:
    body = rows(*(("Alder", f"{n}.250", f"{n}.125") for n in range(1, 6)), pitch=70)
    shifted = [line(cell.text, cell.box.left, cell.box.top + 15) for cell in body]
    head = [line("Mean of years", 172, 100)]
    assert read([*head, *shifted]).cells[0] == ("", "Mean of years", "")


def test_marks_of_a_plot_are_a_doubtful_table_and_what_applies_to_names_is_none() -> None:
    marks = [("2.5", "+", "+"), ("", "+", "o"), ("2.0", "+", ""), ("", "+", "+"), ("1.5", "+", "+")]
    assert read(rows(*marks)).doubtful
    named = [(name, *cells[1:]) for name, cells in zip(("Oak", "Ash", "Fir", "Yew", "Elm"), marks)]
    assert not read(rows(*named)).doubtful


def test_lines_of_cells_that_are_nearer_than_rows_are_of_one_row_however_far_apart() -> None:
    lines = [line(text, at, 100) for text, at in (("Place", 100), ("What is told", 200))]
    for row, (place, told) in enumerate((("Alder", "of a wall"), ("Birch", "1878."))):
        top = 122 + 38 * row
        lines += [line(place, 100, top), line("A clerk wrote", 200, top)]
        lines.append(line(told, 200, top + 16))
    assert read(lines).cells == (
        ("Place", "What is told"),
        ("Alder", "A clerk wrote of a wall"),
        ("Birch", "A clerk wrote 1878."),
    )
