from __future__ import annotations

from dataclasses import replace

from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.blocks.table_structure import table_rows
from citeloom_pdf.blocks.tables import find_tables
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import Line, PageContent, Style, find_rules
from tests.unit.citeloom_pdf.pages import SENTENCE, line, style

CELLS = (("Run", "Slope", "Stress"), ("A", "0.002", "1.7"), ("B", "0.004", "3.1"))


def cells(top: float = 200, look: Style | None = None) -> list[Line]:
    return [
        line(text, 100 + 100 * column, top + 15 * row, look=look)
        for row, texts in enumerate(CELLS)
        for column, text in enumerate(texts)
    ]


def page(lines: list[Line], *horizontal: Rule, vertical: tuple[Rule, ...] = ()) -> PageContent:
    return PageContent(1, 600, 800, tuple(lines), horizontal, vertical)


def between_rules(lines: list[Line]) -> PageContent:
    return page(lines, Rule(195, 95, 400), Rule(212, 95, 400), Rule(245, 95, 400))


def test_a_table_between_three_rules_is_found_with_its_rows() -> None:
    found = between_rules(cells())
    (box,) = find_tables(found)
    assert table_rows(found, box, found.lines).cells == CELLS


def test_a_grid_is_found() -> None:
    across = [Rule(195 + 16 * n, 95, 395) for n in range(4)]
    down = tuple(Rule(95 + 100 * n, 195, 243) for n in range(4))
    (box,) = find_tables(page(cells(), *across, vertical=down))
    assert box == Rect(95, 195, 395, 243)


def test_two_grids_below_one_caption_are_two_tables() -> None:
    left = [line(cell.text, cell.box.left - 80, cell.box.top) for cell in cells()]
    right = [line(cell.text, cell.box.left + 230, cell.box.top) for cell in cells()]
    boxes = [Rect(15, 195, 315, 243), Rect(325, 195, 625, 243)]
    across = [Rule(195 + 16 * n, box.left, box.right) for box in boxes for n in range(4)]
    down = tuple(Rule(box.left + 100 * n, 195, 243) for box in boxes for n in range(4))
    caption = [line("Table 1", 400, 120), line("Runs of two flumes, and what they bore", 200, 140)]
    names = [line("First run", 20, 170), line("Second run", 330, 170)]
    assert find_tables(page([*caption, *names, *left, *right], *across, vertical=down)) == boxes


def test_names_above_the_columns_of_a_grid_are_its_first_row() -> None:
    across = [Rule(212 + 15 * n, 95, 395) for n in range(5)]
    down = tuple(Rule(95 + 100 * n, 212, 272) for n in range(4))
    more = [line(text, 100 + 100 * n, 245) for n, text in enumerate(("C", "0.006", "4.2"))]
    last = [line(text, 100 + 100 * n, 260) for n, text in enumerate(("D", "0.008", "5.2"))]
    found = page([*cells(), *more, *last], *across, vertical=down)
    (box,) = find_tables(found)
    assert table_rows(found, box, found.lines).cells[:3] == CELLS
    grid = Rect(95, 212, 395, 272)
    body = [*cells()[3:], *more, *last]
    for above in (
        [line("Slopes and stresses of all of the runs", 100, 200)],
        [line("Slopes", 180, 200), line("and stresses", 250, 200), line("of runs", 350, 200)],
        [line(text, 100 + 100 * n, 190) for n, text in enumerate(("Run", "Slope", "Stress"))],
        [line(text, 100 + 100 * n, 200) for n, text in enumerate(("1.5", "2.5", "3.5"))],
    ):
        assert find_tables(page([*above, *body], *across, vertical=down)) == [grid]


def test_names_over_several_columns_above_the_first_rule_are_in_the_table() -> None:
    body = [
        line(text, 100 + 60 * column, 215 + 15 * row)
        for row in range(5)
        for column, text in enumerate(("North", "1.4", "2.5", "3.6", "4.7"))
    ]
    heads = [
        line(text, 100 + 60 * column, 200)
        for column, text in enumerate(("Site", "Sown", "Cut", "Dried", "Sold"))
    ]
    rules = Rule(213, 95, 395), Rule(290, 95, 395)
    over = [line("Rye and oats", 168, 185), line("Barley, wheat", 286, 185)]
    assert find_tables(page([*over, *heads, *body], *rules))[0].top == 185
    for above in (
        [line("Yields", 230, 185)],
        [line("Yields of", 100, 185), line("rye and oats", 290, 185)],
        [line("Rye and oats", 168, 165), line("Barley, wheat", 286, 165)],
    ):
        assert find_tables(page([*above, *heads, *body], *rules))[0].top == 200


def test_a_table_without_rules_is_found_below_its_caption() -> None:
    caption = line("Table 1: Runs", 100, 185)
    found = page([caption, *cells()])
    (box,) = find_tables(found)
    assert (
        table_rows(found, box, [part for part in found.lines if part is not caption]).cells == CELLS
    )


def test_prose_of_the_next_column_is_no_part_of_a_table() -> None:
    caption = line("Table 1: Runs", 100, 185)
    beside = [line("from the column beside the table", 340, 174 + 12 * n) for n in range(9)]
    (box,) = find_tables(page([caption, *cells(), *beside]))
    assert box.right < 340


def test_prose_between_rules_is_no_table() -> None:
    prose = [line(SENTENCE, 100, 200 + 15 * n, width=290) for n in range(3)]
    assert find_tables(between_rules(prose)) == []


def test_a_listing_between_rules_is_no_table() -> None:
    assert find_tables(between_rules(cells(look=Style(10, "Mono", mono=1.0)))) == []


def test_names_in_a_typewriter_font_below_a_head_that_is_not_are_a_table() -> None:
    mono = Style(10, "Mono", mono=1.0)
    names = [
        line(text, 100 + 100 * n, 215, look=mono) for n, text in enumerate(("[", "plot", "update"))
    ]
    more = [line(text, 100, 230, look=mono) for text in ("summary",)]
    head = [
        line(text, 100 + 100 * n, 200) for n, text in enumerate(("Subset", "Display", "Modify"))
    ]
    (box,) = find_tables(between_rules([*head, *names, *more]))
    assert box == Rect(95, 195, 400, 245)


def test_a_listing_below_the_caption_of_a_table_is_no_table() -> None:
    caption = line("Table 1: Runs", 100, 185)
    mono = Style(10, "Mono", mono=1.0)
    code = ("R> end <- null(sits)", "R> pvalue(end, statistic(sits))", "[1] 0.03726708")
    listing = [
        line(text, 100, 200 + 15 * n, width=8 * len(text), look=mono) for n, text in enumerate(code)
    ]
    assert find_tables(page([caption, *listing])) == []
    assert len(find_tables(page([caption, *cells(look=mono)]))) == 1


def test_the_labels_of_a_plot_between_its_axes_are_no_table() -> None:
    labels = [
        line(text, 100 + 100 * column, at)
        for at in (200, 380)
        for column, text in enumerate(("Placebo", "Treated"))
    ]
    rules = (Rule(195, 95, 400), Rule(393, 95, 400))
    assert find_tables(page(labels, *rules)) == []
    down = tuple(Rule(95 + 100 * n, 195, 393) for n in range(4))
    crossed = page([*labels, *[line("No", 100, 220 + 60 * n) for n in range(2)]], *rules)
    blocks = lay_out(replace(crossed, vertical=down)).blocks
    assert [block for block in blocks if block.rows] == []


def test_pieces_of_a_rule_are_put_together() -> None:
    pieces = [Rect(100, 50, 150, 50.5), Rect(152, 50, 300, 50.5), Rect(100, 90, 300, 90.5)]
    horizontal, vertical = find_rules(pieces, 600, 800)
    assert [(rule.start, rule.end) for rule in horizontal] == [(100, 300), (100, 300)]
    assert vertical == ()


def test_ruled_cells_of_several_lines_each_are_a_table() -> None:
    across = [Rule(195 + 60 * n, 95, 495) for n in range(5)]
    down = tuple(Rule(at, 195, 435) for at in (95, 295, 495))
    lines = []
    for top in range(200, 440, 60):
        lines += [line(f"Reach {top}", 100, top), line("of the river", 100, top + 22)]
        lines += [line("Its bed is gravel and sand.", 300, top + 11 * n) for n in range(5)]
    found = page(lines, *across, vertical=down)
    (box,) = find_tables(found)
    cells = table_rows(found, box, lines).cells
    assert [row[0] for row in cells] == [f"Reach {n} of the river" for n in range(200, 440, 60)]


def test_ruled_cells_of_which_few_rows_have_two_filled_are_no_table() -> None:
    across = [Rule(195 + 45 * n, 95, 495) for n in range(5)]
    down = tuple(Rule(at, 195, 375) for at in (95, 295, 495))
    lines = [line(SENTENCE[:30], 100, 200 + 45 * n + 11 * k) for n in range(4) for k in range(3)]
    lines.append(line("sand", 300, 200))
    assert find_tables(page(lines, *across, vertical=down)) == []


def test_a_table_is_no_wider_than_its_caption_that_fills_a_column_beside_another_table() -> None:
    left = [line(SENTENCE[:40], 50, 60 + 12 * n, width=200) for n in range(3)]
    right = [line(SENTENCE[:40], 300, 60 + 12 * n, width=200) for n in range(3)]
    caption = [line("Table 1: Runs in a flume of the", 50, 140, width=200), line("lab.", 50, 152)]
    rows = [
        line(text, at + 60 * column, 170 + 12 * n)
        for n in range(4)
        for at in (50, 300)
        for column, text in enumerate(("A1", "0.002", "1.7"))
    ]
    (box,) = find_tables(page([*left, *right, *caption, *rows]))
    assert box.right < 300
    (box,) = find_tables(page([*caption, *rows]))
    assert box.right > 300


def test_a_table_is_found_below_a_caption_of_five_lines() -> None:
    caption = [line("Table 1: Runs", 100, 125)]
    caption += [line(SENTENCE[:60], 100, 137 + 12 * n) for n in range(4)]
    (box,) = find_tables(page([*caption, *cells()]))
    assert box.top == 200


LONG = (
    ("Bed", "What it is made of", "Source"),
    ("gravel", "Stones that floods have rounded and", "[7]"),
    ("", "sorted by their size.", ""),
    ("sand", "Grains that each flood", "[20]"),
    ("", "lifts and the next one drops", ""),
    ("", "where the water is still.", ""),
)


def long_cells(middle: tuple[int, ...] = ()) -> list[Line]:
    """Three columns of cells with several lines; what follows a row in `middle` is set closer."""
    lines, top = [], 200.0
    for n, texts in enumerate(LONG):
        lines += [line(text, left, top) for text, left in zip(texts, (100, 160, 400)) if text]
        top += 11 if n in middle else 20
    return lines


def test_long_cells_in_the_columns_of_their_head_are_a_table_between_rules() -> None:
    lines = long_cells(middle=(1, 3, 4))
    found = page(lines, Rule(195, 95, 450), Rule(214, 95, 450), Rule(300, 95, 450))
    (box,) = find_tables(found)
    rows = table_rows(found, box, lines).cells
    assert [(row[0], row[2]) for row in rows] == [
        ("Bed", "Source"),
        ("gravel", "[7]"),
        ("sand", "[20]"),
    ]
    prose = [line(SENTENCE[:60], 130, 220 + 11 * n) for n in range(6)]
    head = [one for one in lines if one.box.top == 200]
    assert find_tables(page([*head, *prose], *found.horizontal)) != [box]


def test_long_cells_below_a_caption_and_a_head_are_a_table_without_rules() -> None:
    lines = long_cells(middle=(1, 3, 4))
    (box,) = find_tables(page([line("Table 1: Beds", 100, 185), *lines]))
    assert (box.top, box.bottom) == (200, max(one.box.bottom for one in lines))


def test_a_name_in_the_middle_of_its_row_is_in_that_row() -> None:
    lines = [line(text, 160, 200 + 11 * n) for n, text in enumerate(("One two", "three", "four"))]
    lines += [line(text, 160, 250 + 11 * n) for n, text in enumerate(("Five six", "seven", "last"))]
    lines += [line("gravel", 100, 211), line("sand", 100, 261)]
    lines += [line("[7]", 400, 211), line("[20]", 400, 261)]
    found = page(lines)
    rows = table_rows(found, Rect(95, 195, 450, 290), lines).cells
    assert rows == (
        ("gravel", "One two three four", "[7]"),
        ("sand", "Five six seven last", "[20]"),
    )


def test_rows_with_names_of_their_own_stay_apart_however_close_they_are() -> None:
    lines = [line(text, 100, 200 + 11 * n) for n, text in enumerate(("Bed", "gravel", "sand"))]
    lines += [line(text, 250, 200 + 11 * n) for n, text in enumerate(("Size", "30.5", "0.9"))]
    rows = table_rows(page(lines), Rect(95, 195, 450, 240), lines).cells
    assert rows == (("Bed", "Size"), ("gravel", "30.5"), ("sand", "0.9"))


def columns(rows: int, wide: bool = False) -> list[Line]:
    """Rows of a site, a soil and two numbers."""
    soil = "of clay with some sand and gravel below it" if wide else "clay"
    return [
        line(text, left, 100 + 14 * row)
        for row in range(rows)
        for text, left in ((f"Site {row}", 80), (soil, 140), (f"{row}.5", 360), (f"{9 - row}", 420))
    ]


def test_the_next_part_of_a_table_without_rules_or_a_caption_is_found() -> None:
    prose = [line(SENTENCE, 60, 240)]
    found = page([*columns(8), *prose])
    (box,) = find_tables(found)
    first, *_ = table_rows(found, box, found.lines).cells
    assert (first, box.bottom) == (("Site 0", "clay", "0.5", "9"), 208)


def test_a_longer_name_in_the_columns_of_the_rows_around_it_is_a_row_of_their_table() -> None:
    names = [
        *("Alder Birch Cedar Elm".split()),
        "Gorse of the upper moor, late in May",
        "Fir",
        "Oak",
    ]
    lines = [
        line(text, left, 100 + 14 * at)
        for at, name in enumerate(names)
        for text, left in ((name, 50), (str(at), 260), (f"PLOT_{at}", 340))
    ]
    (found,) = find_tables(PageContent(1, 600, 800, tuple(lines)))
    assert (found.top, found.bottom) == (100, 194)


def test_a_name_that_reaches_the_next_cell_does_not_end_its_table() -> None:
    long = line("Gravel and sand of Site 6below the clay", 80, 184)
    rest = [cell for cell in columns(13) if cell.box.top != 184 or cell.box.left > 300]
    kept = [line("kept", 480, 100 + 14 * row) for row in range(13)]
    found = page([*rest, *kept, long])
    (box,) = find_tables(found)
    assert (box.top, box.bottom) == (100, 278)
    row = table_rows(found, box, found.lines).cells[6]
    assert (row[0], row[-3:]) == ("Gravel and sand of Site 6below the clay", ("6.5", "3", "kept"))


def test_a_head_of_words_farther_below_rows_of_numbers_begins_another_table() -> None:
    def below(gap: float, *texts: str) -> list[Line]:
        top = 100 + 14 * 7 + 10 + gap
        head = [line(text, left, top) for text, left in zip(texts, (80, 140, 360, 420))]
        return [*head, *(moved(cell, top - 86) for cell in columns(8))]

    def moved(cell: Line, down: float) -> Line:
        return line(cell.text, cell.box.left, cell.box.top + down)

    def tables(gap: float, *texts: str) -> list[tuple[float, float]]:
        found = find_tables(page([*columns(8), *below(gap, *texts)]))
        return sorted((box.top, box.bottom) for box in found)

    head = ("Place", "Soil", "Depth", "Width")
    assert tables(20, *head) == [(100, 208), (228, 350)]
    assert len(tables(10, *head)) == len(tables(20, "Place", "Soil", "2.0", "3")) == 1


def below_heads(*names: str, look: Style, rows: int = 6) -> list[Line]:
    """Rows of a name, a type, and a sentence of two lines, below a head in some look."""
    heads = [line(name, left, 100, look=look) for name, left in zip(names, (80, 180, 280))]
    cells = [
        line(text, left, 120 + 26 * row + down)
        for row in range(rows)
        for text, left, down in (
            (f"turn({row})", 80, 0),
            ("point", 180, 0),
            ("The point is turned around the axis", 280, 0),
            ("by the right hand", 280, 12),
        )
    ]
    return [*heads, *cells]


def test_rows_below_a_bold_head_of_each_column_are_a_table_without_rules() -> None:
    bold, names = style(bold=1.0), ("Name", "Type", "What it does")
    prose = line(SENTENCE, 80, 290)
    found = page([*below_heads(*names, look=bold), prose])
    (box,) = find_tables(found)
    rows = table_rows(found, box, found.lines).cells
    said = "The point is turned around the axis by the right hand"
    assert rows == (names, *((f"turn({row})", "point", said) for row in range(6)))
    assert find_tables(page([*below_heads(*names, look=style()), prose])) == []
    assert find_tables(page([*below_heads(*names, look=bold, rows=3), prose])) == []
    authors = [line("ann@river.org", 180, 120 + 26 * 6), *below_heads(*names, look=bold)]
    assert find_tables(page(authors)) == []


def test_few_rows_and_rows_of_long_cells_are_no_table_without_rules() -> None:
    assert find_tables(page(columns(4))) == []
    assert find_tables(page(columns(8, wide=True))) == []
    shifted = [line(part.text, part.box.left + part.box.top, part.box.top) for part in columns(8)]
    assert find_tables(page(shifted)) == []


def test_entries_of_contents_are_no_table() -> None:
    entries = [
        line(text, left, 100 + 14 * row)
        for row in range(8)
        for text, left in ((f"{row + 1}.", 80), ("Soils", 140), (f"{3 * row}", 420))
    ]
    assert find_tables(page(entries)) == []


def test_labels_of_axes_are_no_table() -> None:
    axes = [line(f"0.{row}", 80 + 90 * at, 100 + 14 * row) for row in range(8) for at in range(4)]
    assert find_tables(page(axes)) == []
    drawn = page(columns(8))
    assert find_tables(replace(drawn, drawings=(Rect(150, 120, 170, 140),))) == []
    background = Rect(70, 98, 450, 112)
    assert len(find_tables(replace(drawn, drawings=(background,)))) == 1


def numbers(rows: int, pitch: int = 14, empty: int = 0) -> list[Line]:
    """Rows of four numbers, each flush at its right; every `empty`th cell has none."""
    texts = [(f"{1000 * row + 7 * at}", at, row) for row in range(rows) for at in range(4)]
    shown = [cell for n, cell in enumerate(texts) if not empty or n % empty]
    return [line(text, 130 + 90 * at - 5 * len(text), 100 + pitch * row) for text, at, row in shown]


def test_numbers_on_tinted_columns_are_a_table() -> None:
    tints = (Rect(95, 98, 135, 240), Rect(275, 98, 315, 240))
    found = replace(page(numbers(10)), drawings=tints)
    (box,) = find_tables(found)
    assert len(table_rows(found, box, found.lines).cells) == 10
    (block,) = lay_out(found).blocks
    assert block.rows[9] == ("9000", "9007", "9014", "9021")


def test_numbers_in_the_squares_of_a_map_are_a_figure() -> None:
    squares = tuple(
        Rect(85 + 90 * at, 90 + 30 * row, 175 + 90 * at, 120 + 30 * row)
        for row in range(8)
        for at in range(4)
    )
    drawn = replace(page(numbers(8, pitch=30)), drawings=squares)
    assert find_tables(drawn) == []


def test_rows_of_numbers_with_empty_cells_are_a_table() -> None:
    found = page(numbers(12, empty=3))
    (box,) = find_tables(found)
    rows = table_rows(found, box, found.lines).cells
    assert (len(rows), rows[1]) == (12, ("1000", "1007", "", "1021"))
    assert find_tables(page(numbers(4, empty=3))) == []


COUNTY = (("North", 60), ("9,120", 230))
PLAN = (("Long plan", 130), ("17,205", 230))


def test_cells_between_the_rows_beside_them_keep_their_column() -> None:
    counties = [line(text, left, 107 + 28 * at) for at in range(5) for text, left in COUNTY]
    plans = [line(text, left, 100 + 14 * row) for row in range(10) for text, left in PLAN]
    rows = table_rows(page([]), Rect(50, 95, 300, 240), [*counties, *plans]).cells
    assert {len(row) for row in rows} == {3}


def test_a_head_at_the_left_and_numbers_at_the_right_are_one_column() -> None:
    lines = numbers(6) + [line("Area", 60 + 90 * at, 86) for at in range(4)]
    found = page(lines)
    rows = table_rows(found, Rect(50, 84, 410, 185), lines).cells
    assert (rows[0], rows[2]) == (("Area",) * 4, ("1000", "1007", "1014", "1021"))


FLOW = (
    "Gravel moves when the stress",
    "at the bed of a river that",
    "carries it exceeds a threshold,",
    "which depends on the size of",
    "grains and on what lies below",
)


def prose_columns(step: float = 12.0, lines: tuple[str, ...] = FLOW * 2) -> list[Line]:
    return [
        line(text, 100 + 160 * column, 200 + step * row)
        for column in range(3)
        for row, text in enumerate(lines)
    ]


def test_columns_of_prose_between_two_rules_are_no_table() -> None:
    heading = line("Gravel and Stress in the Rivers of the Northern Plain", 100, 180)
    rules = (Rule(175, 95, 560), Rule(325, 95, 560))
    assert find_tables(page([heading, *prose_columns()], *rules)) == []


def test_columns_of_prose_between_crossing_rules_are_no_table() -> None:
    across = [Rule(at, 95, 575) for at in (195, 325)]
    down = tuple(Rule(95 + 160 * n, 195, 325) for n in range(4))
    assert find_tables(page(prose_columns(), *across, vertical=down)) == []


def test_cells_of_few_lines_that_begin_anew_between_two_rules_are_a_table() -> None:
    names = tuple(f"Gravel of size {n} in sand" for n in range(5))
    for lines in (names, ("Gravel of the bed", "moves", "Sand of the bank", "stays", "Clay holds")):
        rules = (Rule(195, 95, 560), Rule(265, 95, 560))
        assert len(find_tables(page(prose_columns(lines=lines), *rules))) == 1


def accounts(*more: Line) -> list[Line]:
    rows = [("", "1996", "1995"), *((f"Harvest of {n}", f"{n},250", f"({n}12)") for n in range(9))]
    return [
        *(
            line(text, 100 + 100 * column, 200 + 15 * row)
            for row, texts in enumerate(rows)
            for column, text in enumerate(texts)
            if text
        ),
        *more,
    ]


ACCOUNT_RULES = (Rule(213, 95, 400), Rule(288, 95, 400))


def test_rows_in_the_columns_of_a_table_above_and_below_its_rules_are_part_of_it() -> None:
    found = page(accounts(line("1997", 300, 350)), *ACCOUNT_RULES)
    (box,) = find_tables(found)
    assert (box.top, box.bottom) == (200, 345)


def test_prose_around_the_rules_of_a_table_is_no_part_of_it() -> None:
    prose = [line(SENTENCE, 100, 350), line("The harvest was good", 100, 185)]
    wide = line("A cell that is far too long for a table of numbers", 95, 350, width=90)
    for more in (prose, [wide, line("4,250", 200, 350)]):
        (box,) = find_tables(page(accounts(*more), *ACCOUNT_RULES))
        assert (box.top, box.bottom) == (200, 345)


PROFITS = (
    ("Revenue", "1 234 567", "1 198 002"),
    ("Cost of sales", "(834 211)", "(799 870)"),
    ("Gross profit", "400 356", "398 132"),
    ("Other income", "7 004", "12 001"),
    ("Income tax", "(44 120)", "(50 201)"),
    ("Profit for the year", "363 240", "359 932"),
)


def profits() -> list[Line]:
    return [
        line(text, left, 200 + 15 * row)
        for row, texts in enumerate(PROFITS)
        for text, left in zip(texts, (100, 300, 380))
    ]


def test_a_table_has_the_names_beside_the_numbers_that_its_rules_are_drawn_over() -> None:
    rules = tuple(Rule(at, 295, 430) for at in (228, 273, 287))
    found = page(profits(), *rules)
    (box,) = find_tables(found)
    assert table_rows(found, box, found.lines).cells == PROFITS
    prose = [line(SENTENCE, 20, 200 + 15 * n, width=270) for n in range(6)]
    numbers = [part for part in profits() if part.box.left > 290]
    (alone,) = find_tables(page([*prose, *numbers], *rules))
    assert alone.left == 295


def test_the_caption_of_the_next_table_is_no_row_of_the_one_before() -> None:
    captions = [line(f"Table {n}: Runs", 100, top) for n, top in ((1, 185), (2, 246))]
    found = find_tables(page([*captions, *cells(), *cells(top=261)]))
    upper, lower = sorted(found, key=lambda box: box.top)
    assert upper.bottom < 246 < lower.top


def test_rows_of_the_table_in_the_next_column_are_no_names_of_a_table_of_numbers() -> None:
    rows = [("1001", "7.5", "8.5"), ("1002", "9.5", "6.5"), ("1003", "4.5", "2.5")]
    lines = [
        line(text, left + 70 * at, 200 + 15 * row)
        for left in (60, 340)
        for row, texts in enumerate(rows)
        for at, text in enumerate(texts)
    ]
    rules = [Rule(at, left, left + 200) for left in (55, 335) for at in (198, 212, 245)]
    assert [(box.left, box.right) for box in find_tables(page(lines, *rules))] == [
        (55, 255),
        (335, 535),
    ]


def test_rows_beyond_the_first_and_last_rule_are_part_of_a_table_whose_columns_are_ruled() -> None:
    lines = [
        line(text, left, 103 + 20 * at)
        for at in range(8)
        for text, left in (("mirror", 105), ("protocol", 305))
    ]
    page = PageContent(
        1,
        600,
        800,
        tuple(lines),
        tuple(Rule(120 + 20.0 * at, 100, 500) for at in range(7)),
        (Rule(300, 100, 260),),
    )
    (found,) = find_tables(page)
    assert (found.top, found.bottom) == (100, 260)


def test_numbers_with_signs_of_arabic_show_the_columns_of_a_table() -> None:
    names, counts, rates = (
        "\u0627\u0628",
        "\u06f4\u06f1\u06f2\u066c\u06f3",
        "-\u06f9\u066b\u06f2\u066a",
    )
    rows = [
        line(text, 100 + 100 * column, 200 + 15 * row)
        for row in range(6)
        for column, text in enumerate((rates, counts, names))
    ]
    (box,) = find_tables(page(rows))
    assert table_rows(page(rows), box, rows).cells == ((names, counts, rates),) * 6


def test_a_line_that_goes_on_beyond_the_rule_at_the_side_of_a_table_is_in_it_up_to_there() -> None:
    down = tuple(Rule(at, 95, 155) for at in (95.0, 155.0, 195.0, 240.0))
    across = tuple(Rule(95 + 15 * n, 95, 240) for n in range(5))
    lines = [
        each
        for n in range(4)
        for each in (
            line(f"alder {n}", 100, 100 + 15 * n),
            line("north", 160, 100 + 15 * n),
            line(f"37{n} outside of all cells", 222, 100 + 15 * n, width=120),
        )
    ]
    blocks = lay_out(page(lines, *across, vertical=down)).blocks
    assert blocks[0].rows == tuple((f"alder {n}", "north", f"37{n}") for n in range(4))
    assert all(block.text.startswith("outside of") for block in blocks[1:])


LOCKS = (
    ("Name", ("What a keeper says of it",)),
    ("Upper", ("Opened by hand before seven in each month that has ice", "and shut at noon.")),
    ("Middle", ("Never opened while a boat of more than two tons waits below",)),
    ("Lower", ("Opened for whoever rings, but for those who ring at night", "in winter.")),
)


def ruled_locks(top: float, indent: float = 0) -> tuple[list[Line], list[Rule]]:
    """Rows of a name and sentences, each further in than the last, with rules between them."""
    lines, rules = [], []
    for row, (name, texts) in enumerate(LOCKS):
        lines.append(line(name, 100, top))
        lines += [line(text, 170 + indent * row, top + 12 * n) for n, text in enumerate(texts)]
        top += 12 * len(texts) + 6
        rules.append(Rule(top - 4, 95, 500))
    return lines, rules[:-1]


def test_sentences_in_rows_that_rules_part_are_a_table() -> None:
    lines, rules = ruled_locks(200)
    rules = [Rule(197, 95, 500), *rules, Rule(290, 95, 500)]
    found = page(lines, *rules)
    (box,) = find_tables(found)
    assert box == Rect(95, 197, 500, 290)
    assert table_rows(found, box, found.lines).cells == tuple(
        (name, " ".join(texts)) for name, texts in LOCKS
    )
    assert find_tables(page(ruled_locks(200, indent=5)[0], *rules)) == []


def test_a_table_ends_where_the_rule_between_its_columns_does() -> None:
    first, upper = ruled_locks(200)
    second, lower = ruled_locks(330)
    down = (Rule(160, 197, 288), Rule(160, 327, 418))
    found = page([*first, line("Weirs", 95, 305), *second], *upper, *lower, vertical=down)
    assert find_tables(found) == [Rect(95, 197, 500, 288), Rect(95, 327, 500, 418)]
    framed = replace(found, vertical=(*down, Rule(95, 197, 418)))
    assert len(find_tables(framed)) == 1


SIGNS = (("Sign", "Meaning"), ("go", "open"), ("no", "shut"), ("up", "full"), ("dn", "dry"))


def signs(*more: tuple[str, str]) -> list[Line]:
    return [
        line(text, left, 100 + 14 * row + (6 if row else 0))
        for row, texts in enumerate((*SIGNS, *more))
        for text, left in zip(texts, (320.0, 400.0))
    ]


def test_rows_in_the_columns_of_a_head_with_one_rule_below_it_are_a_table_beside_prose() -> None:
    prose = [line(SENTENCE[:48], 60, 98 + 12 * row) for row in range(9)]
    rows, rule = signs(("of", "frozen over")), Rule(113, 320, 470)
    caption = line("Signs of the keepers", 322, 215)
    found = page([*prose, *rows, caption], rule)
    (box,) = find_tables(found)
    assert (box.left, box.top, box.bottom) == (320, 100, 186)
    assert table_rows(found, box, found.lines).cells == (*SIGNS, ("of", "frozen over"))
    assert find_tables(page([*prose, *rows], Rule(113, 320, 420))) == []
    assert find_tables(page([*prose, *signs()], rule)) == []
    prose_below = [line(SENTENCE[:28], 320, 120 + 12 * row) for row in range(9)]
    assert find_tables(page([*rows[:2], *prose_below], rule)) == []


def test_columns_of_prose_below_a_running_head_with_a_rule_are_no_table() -> None:
    texts = (SENTENCE[:44], SENTENCE[45:], "which the keepers of the weirs have measured")
    rows = [
        line(texts[(row + at) % 3], left, 120 + 12 * row, width=220)
        for row in range(12)
        for at, left in enumerate((60.0, 310.0))
    ]
    heads = [line("The River Review", 60, 98), line("Volume 12", 310, 98)]
    assert find_tables(page([*heads, *rows], Rule(113, 60, 545))) == []
