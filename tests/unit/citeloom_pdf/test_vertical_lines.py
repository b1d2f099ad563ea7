"""Lines that go down the page."""

from __future__ import annotations

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.turned_parts import turned_parts
from citeloom_pdf.elements.block import LayoutBlock
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import DOWNWARDS, PageContent, Style
from citeloom_pdf.parsing.lines import Cell, lines_of_cells
from citeloom_pdf.parsing.vertical_lines import with_lines_downwards
from citeloom_pdf.structure.reading_order import in_reading_order

COLUMNS = ("강은 오래된 머나먼", "농부는 호밀을 기른다", "봄에 다리를 놓았다")


def stacked(text: str, left: float, pitch: float = 12.5) -> list[Cell]:
    """Each letter of a line as a part of its own, with gaps for its spaces."""
    places = ((letter, 50 + pitch * at) for at, letter in enumerate(text))
    return [
        Cell(Rect(left, top, left + 12, top + 12), letter, "F", 0.0)
        for letter, top in places
        if letter != " "
    ]


def page(pitch: float = 12.5, step: float = 24) -> list[Cell]:
    return [
        cell
        for at, column in enumerate(COLUMNS)
        for cell in stacked(column, 300 - step * at, pitch)
    ]


def test_letters_under_each_other_are_lines_that_go_down() -> None:
    lines = with_lines_downwards(page())
    assert {line.text for line in lines} == {*COLUMNS}
    assert {line.angle for line in lines} == {DOWNWARDS}


def test_letters_closer_to_those_beside_them_are_left_as_they_are() -> None:
    cells = page(pitch=20, step=13)
    assert with_lines_downwards(cells) == cells


ACROSS = [
    Cell(Rect(50, 500 + 20 * row, 410, 512 + 20 * row), "横" * 30, "F", 0.0) for row in range(3)
]


def test_letters_set_solid_go_down_on_a_page_that_is_read_across() -> None:
    lines = [*with_lines_downwards([*ACROSS, *page()])]
    assert lines[:3] == ACROSS
    assert {line.text for line in lines[3:]} == {*COLUMNS}


def test_columns_of_single_letters_with_leading_stay_in_their_rows() -> None:
    cells = [*ACROSS, *page(pitch=16, step=40)]
    assert with_lines_downwards(cells) == cells


def test_readings_beside_their_letters_do_not_hide_that_lines_go_down() -> None:
    readings = [
        Cell(Rect(left + 12.2, 50 + 5 * at, left + 17, 54.8 + 5 * at), "か", "F", 0.0)
        for left in (300, 276, 252)
        for at in range(6)
    ]
    lines = with_lines_downwards([*page(), *readings])
    assert {*COLUMNS} <= {line.text for line in lines}


def test_a_mark_at_the_side_of_its_line_stands_behind_the_letter_above_it() -> None:
    cells = page()
    narrow = Cell(Rect(304, 50 + 12.5 * 10, 308, 62 + 12.5 * 10), "り", "F", 0.0)
    mark = Cell(Rect(309, 50 + 12.5 * 11, 312, 53 + 12.5 * 11), "、", "F", 0.0)
    lines = with_lines_downwards([*cells, narrow, mark])
    assert COLUMNS[0] + "り、" in {line.text for line in lines}


def test_lines_that_go_down_are_read_from_the_right() -> None:
    lines = lines_of_cells(with_lines_downwards(page()), [], lambda _: 12.0)
    (part,) = turned_parts(PageContent(number=1, width=600, height=800, lines=tuple(lines)))
    upright = sorted(part.content.lines, key=lambda line: line.box.top)
    assert [line.text for line in upright] == [*COLUMNS]
    blocks = [
        part.placed(LayoutBlock(DocItemLabel.TEXT, line.box, Style(12), (line.text,)))
        for line in upright
    ]
    assert [block.text for block in in_reading_order(blocks[::-1])] == [*COLUMNS]


def test_a_tall_part_of_such_letters_goes_down() -> None:
    cell = Cell(Rect(100, 50, 112, 150), "农民在山谷里种黑", "F", 0.0)
    assert lines_of_cells([cell], [], lambda _: 12.0)[0].angle == DOWNWARDS
