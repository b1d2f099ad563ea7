"""Accounts without rules: parts with titles, long names, and leaders from names to amounts."""

from __future__ import annotations

from dataclasses import replace

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.blocks.rows import rows_of
from citeloom_pdf.blocks.table_structure import table_rows
from citeloom_pdf.blocks.tables import find_tables
from citeloom_pdf.elements.block import LayoutBlock
from citeloom_pdf.elements.page import Line, PageContent
from tests.unit.citeloom_pdf.pages import SENTENCE, line, style

PARTS = (
    ("Assets", (("Gravel", "12,000", "9,500"), ("Sand", "870", "1,020"), ("Total", "9", "8"))),
    ("Debts", (("Loans", "7,100", "6,400"), ("Taxes", "305", "290"), ("Total", "7", "6"))),
)


def rows_from(top: float, rows: tuple[tuple[str, ...], ...]) -> list[Line]:
    """Rows with names at the left and amounts flush at the right."""
    return [
        line(text, 60 if at == 0 else 380 + 80 * at - 5 * len(text), top + 14 * row)
        for row, texts in enumerate(rows)
        for at, text in enumerate(texts)
        if text
    ]


def page(*lines: Line) -> PageContent:
    return PageContent(1, 600, 800, lines)


def tables_in(content: PageContent) -> list[tuple[tuple[str, ...], ...]]:
    return [table_rows(content, box, content.lines).cells for box in find_tables(content)]


def test_parts_of_an_account_are_one_table_with_their_titles() -> None:
    rows = [("", "2023", "2022")]
    for title, entries in PARTS:
        rows += [(title, "", ""), *entries]
    (cells,) = tables_in(page(*rows_from(100, tuple(rows))))
    assert list(cells) == rows


def test_the_name_of_an_account_may_be_long() -> None:
    name = "Property, plant and equipment, net of what is written off"
    rows = tuple((name, f"1{at},000", f"9{9 - at}0") for at in range(6))
    (cells,) = tables_in(page(*rows_from(100, rows)))
    assert cells == rows


def test_short_lines_above_prose_are_no_title_of_an_account() -> None:
    rows = tuple(entry for _, entries in PARTS for entry in entries)
    below = [line("An ending", 60, 186), line(SENTENCE, 60, 200)]
    (cells,) = tables_in(page(*rows_from(100, rows), *below))
    assert cells == rows


def test_a_line_of_prose_below_whose_spaces_are_wide_is_no_row() -> None:
    rows = tuple(entry for _, entries in PARTS for entry in entries)
    said = "The sums of gravel, the sand of the year and all other things"
    spread = line(said, 60, 186, 400)
    words = [
        word._replace(box=word.box._replace(left=word.box.left + move, right=word.box.right + move))
        for at, word in enumerate(spread.words)
        for move in (9 * (at // 3),)
    ]
    wide = replace(spread, box=spread.box._replace(right=words[-1].box.right), words=tuple(words))
    (cells,) = tables_in(page(*rows_from(100, rows), wide))
    assert cells == rows


def test_a_table_below_another_and_a_heading_has_its_own_rows() -> None:
    upper = rows_from(100, tuple((f"Bed {n}", f"{9 - n},000", f"{n}.5") for n in range(5)))
    heads = [line(text, left, 184) for text, left in (("Site", 60), ("Depth", 220), ("Flow", 300))]
    lower = [
        line(text, left, 198 + 14 * n)
        for n in range(5)
        for text, left in ((f"Site {n}", 60), (f"{n}.25", 220), (f"{9 - n}", 300), ("x", 380))
    ]
    content = page(*upper, line("Second", 60, 170), *heads, line("Kind", 380, 184), *lower)
    assert [len(cells) for cells in tables_in(content)] == [5, 6]


DOTS = " ." * 30
AMOUNTS = ("256.89", "349.54", "18.99", "588.76", "46.03", "766.58")


def led(number: str, at: int, leader: str = DOTS) -> list[Line]:
    return [line(f"Bed{at}{leader}", 60, 100 + 14 * at, 380), line(number, 450, 100 + 14 * at)]


def blocks_of(*lines: Line) -> list[LayoutBlock]:
    return [*lay_out(page(*lines)).blocks]


def test_leaders_lead_to_amounts_in_a_table() -> None:
    for leader in (DOTS, "." * 60):
        lines = [part for at, text in enumerate(AMOUNTS) for part in led(text, at, leader)]
        (block,) = blocks_of(*lines)
        assert block.label == DocItemLabel.TABLE
        assert block.rows == tuple((f"Bed{at}", text) for at, text in enumerate(AMOUNTS))
        assert not block.doubtful


def test_a_leader_within_a_word_parts_the_amount_from_the_name() -> None:
    lines = [
        line(f"Bed{'.' * 60}{text}", 60, 100 + 14 * at, 420, style(9))
        for at, text in enumerate(AMOUNTS)
    ]
    (block,) = blocks_of(*lines)
    assert block.rows == tuple(("Bed", text) for text in AMOUNTS)


def test_few_amounts_behind_leaders_are_in_no_contents() -> None:
    lines = [part for at, text in enumerate(AMOUNTS[:4]) for part in led(text, at)]
    assert {block.label for block in blocks_of(*lines)} == {DocItemLabel.TEXT}


def test_leaders_to_pages_by_chapter_are_contents() -> None:
    numbers = ("1.2", "1.7", "2.1", "2.9", "3.1", "3.4")
    lines = [part for at, text in enumerate(numbers) for part in led(text, at)]
    assert next(block.label for block in blocks_of(*lines)) == DocItemLabel.DOCUMENT_INDEX


ENTRIES = ("absorption", "blocking", "carried", "delay", "Engset", "holding", "loss", "queue")
PAGES = ("12, 45", "9", "116", "7, 83, 101", "16", "61, 93", "31, 214", "8, 150")


def index_of(pages: tuple[str, ...], left: int = 60) -> list[Line]:
    return [
        line(f"{entry}{DOTS[:30]} {text}", left, 100 + 14 * at, 200)
        for at, (entry, text) in enumerate(zip(ENTRIES, pages))
    ]


def test_an_index_with_leaders_is_no_table() -> None:
    tight = tuple(text.replace(", ", ",") for text in PAGES)
    for pages in (PAGES, tight):
        for lines in (index_of(pages), [*index_of(pages), *index_of(pages[::-1], 320)]):
            assert DocItemLabel.TABLE not in {block.label for block in blocks_of(*lines)}


def test_leaders_side_by_side_whose_pages_stand_apart_are_no_table() -> None:
    lines = [
        part
        for left, pages in ((60, PAGES), (320, PAGES[::-1]))
        for at, text in enumerate(pages)
        for part in (
            line(f"{ENTRIES[at]}{DOTS}", left, 100 + 14 * at, 160),
            line(text.split(",")[0], left + 180, 100 + 14 * at),
        )
    ]
    labels = {block.label for block in blocks_of(*lines)}
    assert DocItemLabel.DOCUMENT_INDEX in labels
    assert DocItemLabel.TABLE not in labels


def test_dots_of_empty_cells_and_the_points_of_numbers_beside_them_stay() -> None:
    dotted = (("-.4211", ".....", "8.1"), ("39.1", ".....786", "-......"), (". . . . .", ".3", "4"))
    rows = tuple(dotted[at % 3] for at in range(9))
    (block,) = blocks_of(*rows_from(100, rows))
    assert block.rows == rows


def test_dots_between_the_numbers_of_a_line_are_no_leader() -> None:
    for text in (
        "8.189 ..... .4211 ..... .874",
        "Iron 8.189 ..... .874",
        "Iron .874 .... 3 .... 4",
    ):
        (row,) = rows_of([line(text, 60, 100)])
        assert " ".join(run.text for run in row.runs) == text
