"""Plots drawn on the page itself, with their axes and markers."""

from __future__ import annotations

from dataclasses import replace

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.figures import find_marks
from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import Line, PageContent
from tests.unit.citeloom_pdf.pages import SENTENCE, line, style

FRAME = Rect(100, 300, 400, 500)
PROSE = tuple(line(SENTENCE, 72, 100 + 12 * n, width=440) for n in range(6))
CAPTION = line("Figure 1: Slope against grain size.", 72, 560)
SMALL = style(7.0)


def axes() -> list[Line]:
    across = [line(str(20 * n), 110 + 50 * n, 506, width=8, look=SMALL) for n in range(6)]
    up = [line(f"{n / 10:.1f}", 84, 310 + 36 * n, width=9, look=SMALL) for n in range(6)]
    name = line("grain size (mm)", 220, 522, width=60, look=SMALL)
    turned = replace(line("slope", 66, 380, look=SMALL), box=Rect(66, 380, 74, 410), rotated=True)
    return [*across, *up, name, turned]


def markers(count: int, *, text: str = "l") -> list[Line]:
    return [
        line(text, 105 + 7919 * n % 290, 305 + 104_729 * n % 190, width=3, look=style(4.0))
        for n in range(count)
    ]


def laid_out(
    *lines: Line,
    drawings: tuple[Rect, ...] = (),
    horizontal: tuple[Rule, ...] = (),
    vertical: tuple[Rule, ...] = (),
) -> list[str]:
    page = PageContent(1, 600, 800, (*PROSE, *lines, CAPTION), horizontal, vertical, (), drawings)
    return [block.text for block in lay_out(page).blocks if block.label != DocItemLabel.PICTURE]


def test_numbers_and_names_along_the_axes_belong_to_the_plot() -> None:
    texts = laid_out(*axes(), drawings=(FRAME,))
    assert texts == [" ".join([SENTENCE] * 6), CAPTION.text]


def test_scattered_markers_are_a_plot_without_any_frame() -> None:
    (area,) = find_marks(markers(60))
    assert area.lies_in(FRAME, 0.99)
    assert laid_out(*markers(60), *axes()) == [" ".join([SENTENCE] * 6), CAPTION.text]


def test_marks_in_columns_are_no_plot() -> None:
    ticks = [line("x", 100 + 60 * n, 300 + 14 * m, width=5) for n in range(5) for m in range(9)]
    assert find_marks(ticks) == []


def test_an_empty_grid_with_numbers_around_is_a_panel_of_plots() -> None:
    horizontal = tuple(Rule(at, 100, 400) for at in (300, 400, 500))
    vertical = tuple(Rule(at, 300, 500) for at in (100, 200, 300, 400))
    names = [line(f"3{n}5", 120 + 100 * n, 305 + 100 * m, 15) for n in range(3) for m in range(2)]
    texts = laid_out(*names, *axes(), horizontal=horizontal, vertical=vertical)
    assert texts == [" ".join([SENTENCE] * 6), CAPTION.text]


def test_a_short_line_of_the_text_below_a_plot_stays() -> None:
    last = line("as was seen.", 100, 512)
    assert laid_out(last, drawings=(FRAME,))[1] == last.text


def test_the_rows_of_a_table_right_above_a_plot_stay_its_own() -> None:
    rules = tuple(Rule(at, 100, 300) for at in (220, 236, 284))
    cells = [
        line(text, 110 + 90 * column, 224 + 16 * row, look=SMALL)
        for row, texts in enumerate((("river", "load"), ("Aare", "1.25"), ("Inn", "3.75")))
        for column, text in enumerate(texts)
    ]
    page = PageContent(1, 600, 800, (*PROSE, *cells, CAPTION), rules, (), (), (FRAME,))
    (table,) = [block for block in lay_out(page).blocks if block.label == DocItemLabel.TABLE]
    assert table.rows == (("river", "load"), ("Aare", "1.25"), ("Inn", "3.75"))


def test_a_figure_whose_only_words_are_on_their_side_leaves_them_out() -> None:
    axis = replace(line("Depth of the bed", 110, 120), rotated=True, angle=90)
    drawn = PageContent(1, 600, 800, (axis,), drawings=(Rect(100, 100, 400, 300),))
    layout = lay_out(drawn)
    assert [block.is_empty_picture for block in layout.blocks] == [True]
    assert layout.left_out == ("Depth of the bed",)
