"""Kinds of pages with tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from benchmarks.page_statements.sheets import Fill, Look, Sheet, cells_of, quoted


def numbers(sheet: Sheet, rows: int, columns: int) -> list[list[str]]:
    """A head, and rows of a name and numbers."""
    head = ["Station", *(sheet.writer.word() for _ in range(columns - 1))]
    return [head, *([sheet.writer.word(), *_row(sheet.random, columns - 1)] for _ in range(rows))]


def _row(random: Random, count: int) -> list[str]:
    return [f"{random.uniform(1, 900):.{random.choice((1, 2))}f}" for _ in range(count)]


def set_table(sheet: Sheet, grid: list[list[str]], rules: str, extra: str = "") -> None:
    """Set a table with a caption above it."""
    caption = quoted(sheet.writer.sentence())
    cells = ", ".join(cells_of(row) for row in grid)
    align = ("left", "(x, y) => if x == 0 { left } else { right }", "center")[sheet.form % 3]
    if rules.endswith(", BOOK"):
        head, *rest = (cells_of(row) for row in grid)
        rule = "table.hline()"
        rules, cells = rules.removesuffix(", BOOK"), ", ".join((rule, head, rule, *rest, rule))
    table = f"table(columns: {len(grid[0])}, align: {align}, {rules}, {extra} {cells})"
    sheet.add(f"#figure(caption: figure.caption(position: top, {caption}), {table})")


def _around(
    sheet: Sheet, grid: list[list[str]], rules: str, extra: str = "", heads: int = 1
) -> None:
    before = sheet.paragraph(3, 4)
    set_table(sheet, grid, rules, extra)
    after = sheet.paragraph(3, 4)
    sheet.cells(grid, 6, heads)
    sheet.order(before[-1], after[0])


def _table_ruled(sheet: Sheet) -> None:
    stroke = ("stroke: 0.5pt", "stroke: 0.3pt + gray", "stroke: 1pt", "stroke: 0.5pt, inset: 3pt")
    _around(sheet, numbers(sheet, 5 + sheet.form, 3 + sheet.form // 3), stroke[sheet.form // 2])


def _table_open(sheet: Sheet) -> None:
    gap = ("column-gutter: 8pt", "column-gutter: 1.5em", "inset: 4pt", "row-gutter: 2pt")
    grid = numbers(sheet, 5 + sheet.form, 3 + sheet.form // 3)
    _around(sheet, grid, f"stroke: none, {gap[sheet.form // 2]}")


def _table_book(sheet: Sheet) -> None:
    _around(sheet, numbers(sheet, 4 + sheet.form, 4 + sheet.form // 4), "stroke: none, BOOK")


def _table_striped(sheet: Sheet) -> None:
    fill = "fill: (_, y) => if calc.odd(y) { luma(225) }"
    _around(sheet, numbers(sheet, 6 + sheet.form // 2, 4), f"stroke: none, {fill}")


def _table_sparse(sheet: Sheet) -> None:
    grid = numbers(sheet, 7, 5)
    for row in grid[1:]:
        for column in sheet.random.sample(range(1, 5), 1 + sheet.form // 2 % 2):
            row[column] = ""
    _around(sheet, grid, ("stroke: none, BOOK", "stroke: 0.5pt", "stroke: none")[sheet.form % 3])


def _table_long_heads(sheet: Sheet) -> None:
    grid = numbers(sheet, 6, 4)
    units = ("in hundreds of cubic metres", "mean of ten years", "per thousand of the people")
    grid[0][1:] = [f"{name} {unit}" for name, unit in zip(grid[0][1:], units)]
    before = sheet.paragraph(3, 4)
    set_table(sheet, grid, ("stroke: none, BOOK", "stroke: 0.5pt")[sheet.form // 2 % 2])
    sheet.parts[-1] = sheet.parts[-1].replace("columns: 4", "columns: (auto, 2.6cm, 2.3cm, 2.6cm)")
    sheet.cells(grid, 6)
    sheet.order(before[-1], sheet.paragraph(3, 4)[0])


def _table_of_a_page(sheet: Sheet) -> None:
    sheet.look = replace(sheet.look, size=8, margin="1.8cm")
    rules = ("stroke: none, BOOK", "stroke: 0.4pt", "stroke: none", "stroke: (x: none, y: 0.3pt)")
    grid = numbers(sheet, 28 + sheet.form, 6)
    set_table(sheet, grid, f"inset: 3pt, {rules[sheet.form // 2]}")
    sheet.cells(grid, 8)


def _table_in_columns(sheet: Sheet) -> None:
    sheet.look = Look.of(sheet.form, sheet.random, 2)
    grid = numbers(sheet, 5 + sheet.form // 2, 3)
    sheet.text((0.15, 0.25)[sheet.form // 2 % 2])
    rules = ("stroke: none, BOOK", "stroke: 0.5pt", "stroke: none")
    _around(sheet, grid, rules[sheet.form // 2 % 3])
    sheet.text(0.2)


def _table_spanning(sheet: Sheet) -> None:
    over = [sheet.writer.word() for _ in "ab"]
    low, *rows = numbers(sheet, 6, 5)
    wide = ", ".join(f"table.cell(colspan: 2)[{name}]" for name in over)
    head = f"table.cell(rowspan: 2)[Station], {wide},"
    grid = [["Station", over[0], over[0], over[1], over[1]], low, *rows]
    rules = ("stroke: 0.5pt", "stroke: none, BOOK")[sheet.form // 2 % 2]
    before = sheet.paragraph(3, 4)
    caption = quoted(sheet.writer.sentence())
    rule = "table.hline(), " if "BOOK" in rules else ""
    body = f"{rule}{head} {cells_of(low[1:])}, {rule}" + ", ".join(map(cells_of, rows))
    stroke = rules.removesuffix(", BOOK")
    sheet.add(
        f"#figure(caption: {caption}, table(columns: 5, {stroke}, {body}, {rule.strip(', ')}))"
    )
    after = sheet.paragraph(3, 4)
    sheet.cells(grid, 4, heads=2)
    sheet.cells([grid[0], *rows], 4)
    sheet.order(before[-1], after[0])


def _table_stubs(sheet: Sheet) -> None:
    grid, shown_rows = [["Region", "Place", "Depth", "Flow"]], []
    for _ in range(3):
        region = sheet.writer.word()
        for number in range(2 + sheet.form // 3):
            row = [sheet.writer.word(), *_row(sheet.random, 2)]
            grid.append([region, *row])
            first = f"table.cell(rowspan: {2 + sheet.form // 3})[{region}], " if number == 0 else ""
            shown_rows.append(first + cells_of(row))
    rules = ("stroke: 0.5pt", "stroke: (x: none, y: 0.4pt)")[sheet.form // 2 % 2]
    before = sheet.paragraph(3, 4)
    sheet.add(f"#figure(table(columns: 4, {rules}, {cells_of(grid[0])}, {', '.join(shown_rows)}))")
    after = sheet.paragraph(3, 4)
    sheet.cells(grid, 6)
    sheet.order(before[-1], after[0])


def _table_turned(sheet: Sheet) -> None:
    grid = numbers(sheet, 6, 5)
    rules = ("stroke: 0.5pt", "stroke: none, BOOK")[sheet.form // 2 % 2]
    before = sheet.paragraph(2, 3)
    set_table(sheet, grid, rules)
    angle = ("-90deg", "90deg")[sheet.form // 4]
    sheet.parts[-1] = (
        f"#align(center, rotate({angle}, reflow: true, box(width: 14cm)[{sheet.parts[-1]}]))"
    )
    sheet.cells(grid, 6)
    sheet.present(before[0])


def _table_worded(sheet: Sheet) -> None:
    name, said = sheet.writer.word, sheet.writer.sentence
    rows = [[name(), said(), f"{name()} archive"] for _ in range(4)]
    grid = [["Place", "What is told", "Source"], *rows]
    rules = ("stroke: 0.5pt", "stroke: none, BOOK", "stroke: (x: none, y: 0.4pt)", "stroke: none")
    before = sheet.paragraph(3, 4)
    set_table(sheet, grid, rules[sheet.form // 2])
    sheet.parts[-1] = (
        sheet.parts[-1]
        .replace("columns: 3", "columns: (auto, 6cm, auto)")
        .replace("center", "left")
    )
    after = sheet.paragraph(3, 4)
    sheet.cells(grid, 6)
    sheet.present(*(row[1] for row in grid[1:3]))
    sheet.order(before[-1], after[0])


def _tables_two(sheet: Sheet) -> None:
    rules = ("stroke: 0.5pt", "stroke: none, BOOK", "stroke: none", "stroke: none, BOOK")
    for _ in range(2):
        grid = numbers(sheet, 4 + sheet.form // 2, 4)
        set_table(sheet, grid, rules[sheet.form // 2])
        sheet.cells(grid, 4)
        if sheet.form % 4 < 2:
            sheet.paragraph(1, 2)
    sheet.present(*sheet.paragraph(2, 3))


def _accounts(sheet: Sheet) -> None:
    years = ["", "Note", "1996", "1995"]
    grid, random = [years], sheet.random
    for number in range(9):
        values = [
            f"{random.randint(1, 80)},{random.randint(100, 999)}",
            f"({random.randint(101, 999)})",
        ]
        note = str(number + 3) if number % 3 == 0 else ""
        grid.append(
            [
                f"{sheet.writer.word()} {sheet.writer.word().lower()}",
                note,
                *random.sample(values, 2),
            ]
        )
    cells = ", ".join(map(cells_of, grid))
    rules = ("none", "(x, y) => if y in (0, 5) { (bottom: 0.5pt) }")[sheet.form // 2 % 2]
    wide = ("1fr, auto, 2.5cm, 2.5cm", "7cm, 1.5cm, auto, auto")[sheet.form // 4]
    before = sheet.paragraph(2, 3)
    sheet.add(
        f"#table(columns: ({wide}), stroke: {rules}, align: (left, center, right, right), {cells})"
    )
    places = [row for row in grid[1:] if row[1] == ""]
    for row in random.sample(places, 4):
        column = random.choice((2, 3))
        sheet.cell(row[column], ("left_heading", row[0]), ("top_heading", years[column]))
    sheet.present(before[0])


TABLE_KINDS: Mapping[str, Fill] = {
    "table ruled": _table_ruled,
    "table open": _table_open,
    "table book": _table_book,
    "table striped": _table_striped,
    "table sparse": _table_sparse,
    "table long heads": _table_long_heads,
    "table of a page": _table_of_a_page,
    "table in columns": _table_in_columns,
    "table spanning": _table_spanning,
    "table stubs": _table_stubs,
    "table turned": _table_turned,
    "table worded": _table_worded,
    "tables two": _tables_two,
    "accounts": _accounts,
}
