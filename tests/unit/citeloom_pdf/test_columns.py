from __future__ import annotations

from citeloom_pdf.elements.block import LayoutBlock
from citeloom_pdf.structure.reading_order import in_reading_order
from tests.unit.citeloom_pdf.pages import block


def order(*blocks: LayoutBlock) -> list[str]:
    return [found.text for found in in_reading_order(blocks)]


def test_columns_are_read_down_and_then_across() -> None:
    assert order(
        block("right top", (310, 100, 550, 300)),
        block("left top", (50, 100, 290, 250)),
        block("right end", (310, 310, 550, 700)),
        block("left end", (50, 260, 290, 700)),
    ) == ["left top", "left end", "right top", "right end"]


def test_what_spans_the_columns_parts_the_page() -> None:
    assert order(
        block("title", (60, 40, 540, 60)),
        block("left", (50, 100, 290, 300)),
        block("right", (310, 100, 550, 300)),
        block("table", (50, 320, 550, 400)),
        block("left below", (50, 420, 290, 700)),
        block("right below", (310, 420, 550, 700)),
    ) == ["title", "left", "right", "table", "left below", "right below"]


def test_a_figure_at_the_head_of_the_second_column_is_read_there() -> None:
    assert order(
        block("authors", (200, 60, 400, 90)),
        block("figure", (310, 120, 550, 300)),
        block("abstract", (50, 120, 290, 400)),
        block("after the figure", (310, 310, 550, 700)),
    ) == ["authors", "abstract", "figure", "after the figure"]


def test_an_equation_and_its_number_are_one_row() -> None:
    assert order(
        block("before", (50, 100, 550, 200)),
        block("(3)", (530, 211, 550, 221)),
        block("a = b", (200, 210, 300, 225)),
        block("after", (50, 240, 550, 300)),
    ) == ["before", "a = b", "(3)", "after"]


def test_an_overfull_line_does_not_span_the_columns() -> None:
    assert order(
        block("left", (50, 100, 290, 300)),
        block("overfull", (50, 310, 325, 330)),
        block("left end", (50, 340, 290, 700)),
        block("right", (330, 100, 550, 700)),
    ) == ["left", "overfull", "left end", "right"]
