from __future__ import annotations

from dataclasses import replace

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


def test_a_title_between_rules_that_are_farther_apart_than_elsewhere_is_the_first_cell() -> None:
    lines = [
        *rows(("River", "Length", "Width"), ("", "Alps", ""), ("Aare", "288", "57")),
        *(line(text, 100 + 100 * at, 145) for at, text in enumerate(("Inn", "517", "82"))),
    ]
    lines[3] = line("Alps", 235, 115)
    page = PageContent(
        1,
        600,
        800,
        tuple(lines),
        tuple(Rule(at, 95, 395) for at in (95.0, 112.5, 127.5, 142.5, 160.0)),
        (
            *(Rule(at, 95, 160) for at in (95.0, 395.0)),
            *(Rule(at, *part) for at in (195.0, 295.0) for part in ((95, 112.5), (127.5, 160))),
        ),
    )
    found = table_rows(page, Rect(95, 95, 395, 160), lines).cells
    assert found[1] == ("Alps", "", "")
    assert found[2] == ("Aare", "288", "57")


NAMED = [
    *rows(("Region", "Sown", "Cut", "Dried", "Sold"), pitch=60),
    *(
        line(text, 100 + 60 * column, 115 + 15 * row)
        for row in range(4)
        for column, text in enumerate(("North", "1.4", "2.5", "3.6", "4.7"))
    ),
]
OVER = [line("Rye and oats", 168, 90), line("Barley, wheat", 286, 90)]


def test_names_over_several_columns_are_a_row_of_their_own_however_near() -> None:
    lines = [*OVER, *NAMED]
    box = Rect(95, 88, 395, 172)
    heads = (
        ("", "Rye and oats", "", "Barley, wheat", ""),
        ("Region", "Sown", "Cut", "Dried", "Sold"),
    )
    page = PageContent(1, 600, 800, tuple(lines), (Rule(112.5, 95, 395),))
    found = table_rows(page, box, lines)
    assert found.cells[:2] == heads
    assert not found.doubtful
    across = tuple(Rule(at, 95, 395) for at in (88, *(112.5 + 15 * n for n in range(5))))
    outer = [Rule(at, 88, 172) for at in (95, 155, 275, 395)]
    inner = [Rule(at, 100, 172) for at in (215, 335)]
    lines = [line("Rye and oats", 185, 90), line("Barley, wheat", 302, 90), *NAMED]
    found = table_rows(replace(page, horizontal=across, vertical=(*outer, *inner)), box, lines)
    assert found.cells[:2] == heads
    assert not found.doubtful


def test_a_name_in_the_middle_beside_names_over_several_columns_is_in_their_row() -> None:
    over = line("Rye and oats", 185, 90), line("Barley, wheat", 302, 90)
    lines = [*over, line("Region", 100, 97), *NAMED[1:]]
    across = [Rule(at, 95, 395) for at in (88, *(112.5 + 15 * n for n in range(5)))]
    down = [Rule(at, 88, 172) for at in (95, 155, 275, 395)]
    down += [Rule(at, 101, 172) for at in (215, 335)]
    content = PageContent(1, 600, 800, tuple(lines), (*across, Rule(101, 155, 395)), tuple(down))
    found = table_rows(content, Rect(95, 88, 395, 172), lines)
    assert found.cells[0] == ("Region", "Rye and oats", "", "Barley, wheat", "")
    assert not found.doubtful


def test_a_title_whose_words_are_wide_apart_is_one_cell_between_such_rules() -> None:
    names = (("River", "Length", "Width"), *[("Aare", "288", "57")] * 5)
    lines = [
        *(line(word, left, 100) for word, left in (("Rivers of", 199), ("the Alps", 251))),
        *(
            line(text, 100 + 100 * column, 116 + 15 * row)
            for row, cells in enumerate(names)
            for column, text in enumerate(cells)
        ),
    ]
    across = tuple(Rule(at, 95, 395) for at in (95.0, *range(113, 205, 15)))
    outer = (Rule(95.0, 95, 203), Rule(395.0, 95, 203))
    inner = (Rule(195.0, 113, 203), Rule(295.0, 113, 203))
    page = PageContent(1, 600, 800, tuple(lines), across, (*outer, *inner))
    found = table_rows(page, Rect(95, 95, 395, 203), lines)
    assert found.cells == (("Rivers of the Alps", "", ""), *names)


def test_cells_at_the_left_and_at_the_right_between_two_rules_are_one_column() -> None:
    lines = rows(*(("Aare", "", "57") for _ in range(6)))
    lines += [
        line("-" if at % 2 else "288", 200 if at % 2 else 270, 100 + 15 * at) for at in range(6)
    ]
    found = read(lines, down=(95, 195, 295, 395)).cells
    assert found == (("Aare", "288", "57"), ("Aare", "-", "57")) * 3


def test_rows_on_either_side_of_a_rule_are_two() -> None:
    lines = [
        *(line(text, left, 100) for text, left in (("coef", 200), ("error", 300))),
        *(line(text, left, 112) for text, left in (("x", 100), ("0.80", 200), ("0.82", 300))),
    ]
    page = PageContent(
        1, 600, 800, tuple(lines), tuple(Rule(at, 95, 395) for at in (97.0, 111.0, 125.0))
    )
    assert table_rows(page, Rect(95, 97, 395, 125), lines).cells == (
        ("", "coef", "error"),
        ("x", "0.80", "0.82"),
    )


def test_rules_from_one_column_to_another_part_rows_beside_a_cell_of_two_lines() -> None:
    lines = rows(("Region", "Place", "Depth"))
    for at, place in enumerate(("Alder", "Birch", "Cedar", "Elm", "Fir", "Gorse")):
        lines += [
            line(place, 200, 115 + 15 * at),
            line(f"{at}.4", 300, 115 + 15 * at),
        ]
    for at, name in enumerate(("North", "South")):
        lines += [
            line(name, 100, 124 + 45 * at),
            line("of it", 100, 135 + 45 * at),
        ]
    across = [
        *(Rule(at, 95, 395) for at in (95.0, 112.5, 157.5, 202.5)),
        *(Rule(112.5 + 15 * n, 245, 395) for n in (1, 2, 4, 5)),
    ]
    lines = [
        line(each.text, each.box.left + (50 if each.box.left == 200 else 0), each.box.top)
        for each in lines
    ]
    assert read(lines, *across, down=(95, 245, 295, 395)).cells == (
        ("Region", "Place", "Depth"),
        ("North of it", "Alder", "0.4"),
        ("", "Birch", "1.4"),
        ("", "Cedar", "2.4"),
        ("South of it", "Elm", "3.4"),
        ("", "Fir", "4.4"),
        ("", "Gorse", "5.4"),
    )


def test_a_cell_over_several_rows_stands_in_the_first_without_rules_between_columns() -> None:
    lines = rows(
        ("Region", "Place", "Depth"),
        ("", "Alder", "1.4"),
        ("North", "Birch", "2.4"),
        ("", "Cedar", "3.4"),
        ("South", "Elm", "4.4"),
        ("East", "Fir", "5.4"),
        ("West", "Gorse", "6.4"),
    )
    through = [Rule(112.5, 95, 395), *(Rule(157.5 + 15 * n, 95, 395) for n in range(3))]
    beside = [Rule(112.5 + 15 * n, 195, 395) for n in (1, 2)]
    names = [row[0] for row in read(lines, *through, *beside).cells]
    assert names == ["Region", "North", "", "", "South", "East", "West"]
    bars = [Rule(112.5 + 15 * n, 300, 320) for n in (1, 2)]
    assert read(lines, *through, *bars).cells[2][0] == "North"
    heads = rows(("", "", "Of both"), ("Region", "Place", "Depth"), *[("N", "Fir", "5.4")] * 5)
    parted = [Rule(112.5, 190, 395), *(Rule(127.5 + 15 * n, 95, 395) for n in range(5))]
    assert read(heads, *parted).cells[:2] == (("", "", "Of both"), ("Region", "Place", "Depth"))


def test_lines_of_heads_between_the_rules_of_a_grid_are_one_row() -> None:
    heads = (("Desig-", "Depth"), ("nation", "km"))
    body = [(f"D{n}", f"{n}.4") for n in range(5)]
    across = [Rule(127.5 + 15 * n, 95, 395) for n in range(5)]
    down = (95, 195, 395)
    table = read(rows(*heads, *body), *across, down=down)
    assert (len(table.cells), table.cells[0]) == (6, ("Desig-\nnation", "Depth km"))


def test_numbers_that_end_where_names_begin_are_a_column_of_their_own() -> None:
    names = ("oak", "hazel", "ash", "spruce", "birch", "elm")
    lines = [
        each
        for n, name in enumerate(names)
        for each in (
            line(f"{n}.25", 100, 100 + 15 * n),
            line("7.5" if n % 2 else "12.5", 235 if n % 2 else 230, 100 + 15 * n),
            line(name, 252, 100 + 15 * n),
        )
    ]
    assert read(lines).cells[:2] == (("0.25", "12.5", "oak"), ("1.25", "7.5", "hazel"))
    units = [line("kg", 252, each.box.top) if each.box.left == 252 else each for each in lines]
    assert read(units).cells[0] == ("0.25", "12.5 kg")
