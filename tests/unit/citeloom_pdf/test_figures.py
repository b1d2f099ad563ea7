from __future__ import annotations

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.figures import find_figures
from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.block import PageLayout
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import Line, PageContent, Style
from tests.unit.citeloom_pdf.pages import SENTENCE, line, style

FRAME = Rect(90, 90, 300, 260)
LABELS = tuple(line(f"stage {n}", 120, 100 + 40 * n, look=style(mono=1.0)) for n in range(4))


def figures(*vertical: Rule, frame: Rect = FRAME) -> list[Rect]:
    page = PageContent(1, 600, 800, LABELS, vertical=vertical, drawings=(frame,))
    return find_figures(page, [], 10.0)


def test_the_frame_of_a_listing_is_no_figure() -> None:
    assert figures(Rule(90, 90, 260), Rule(300, 90, 260)) == []


def test_a_frame_that_one_line_of_code_fills_is_no_figure() -> None:
    assert figures(frame=Rect(90, 93, 300, 117)) == []


def test_an_area_with_one_label_in_a_typewriter_font_is_one() -> None:
    area = Rect(90, 60, 300, 130)
    assert figures(frame=area) == [area]


def test_boxes_with_labels_in_a_typewriter_font_are_one() -> None:
    sides = [Rule(at, 98 + 40 * n, 114 + 40 * n) for n in range(4) for at in (115, 165)]
    assert figures(*sides) == [FRAME]


def test_two_lines_of_prose_that_a_padded_box_is_filled_behind_are_no_figure() -> None:
    box = Rect(60, 90, 520, 140)
    prose = tuple(line(SENTENCE, 70, 102 + 13 * n) for n in range(2))
    page = PageContent(1, 600, 800, prose, drawings=(box,))
    assert find_figures(page, [], 10.0) == []
    label = line("stage one", 70, 130)
    far = Rect(60, 90, 520, 300)
    drawn = PageContent(1, 600, 800, (*prose, label), drawings=(far,))
    assert find_figures(drawn, [], 10.0) == [far]


DIAGRAM = Rect(60, 90, 540, 400)


def layout(*lines: Line) -> PageLayout:
    return lay_out(PageContent(1, 600, 800, lines, drawings=(DIAGRAM,)))


def test_text_that_is_set_in_a_figure_is_kept_and_its_numbers_are_not() -> None:
    prose = [line(SENTENCE, 90, 110 + 13 * n) for n in range(2)]
    ticks = [line(str(10 * n), 100 + 60 * n, 380) for n in range(4)]
    page = layout(*prose, *ticks)
    (picture,) = page.blocks
    assert (picture.label, picture.rows) == (DocItemLabel.PICTURE, ((SENTENCE, SENTENCE),))
    assert page.left_out == ("0", "10", "20", "30")


def test_cells_in_a_figure_are_a_table() -> None:
    names = (
        "barley field",
        "wheat field",
        "rye field",
        "oats field",
        "spelt field",
        "millet field",
    )
    cells = [
        cell
        for n, name in enumerate(names)
        for cell in (line(name, 90, 110 + 30 * n), line("sown in spring", 300, 110 + 30 * n))
    ]
    (table,) = layout(*cells).blocks
    assert table.label == DocItemLabel.TABLE
    assert table.rows == tuple((name, "sown in spring") for name in names)
    assert table.doubtful


def test_rows_of_a_name_and_numbers_on_a_tint_are_a_table() -> None:
    names = ("Revenue", "Cost of sales", "Gross profit", "Income tax")
    rows = [(name, f"{n}23 456", f"({n}98)") for n, name in enumerate(names, start=1)]
    cells = [
        line(text, left, 110 + 20 * n)
        for n, row in enumerate(rows)
        for text, left in zip(row, (90, 300, 400))
    ]
    page = layout(*cells)
    (table,) = page.blocks
    assert (table.rows, page.left_out) == (tuple(rows), ())


def test_the_words_in_a_diagram_are_kept_with_the_numbers_among_them() -> None:
    boxes = [line("patients enrolled (n = 120)", 90, 110), line("excluded (9)", 300, 110)]
    (picture,) = layout(*boxes).blocks
    assert picture.rows == (("patients enrolled (n = 120)",), ("excluded (9)",))


def test_two_words_in_a_figure_count_as_lost() -> None:
    page = layout(line("observed", 90, 110), line("predicted", 300, 300), line("x", 200, 200))
    assert [block.rows for block in page.blocks] == [()]
    assert page.left_out == ("x",)


def test_of_what_is_along_the_axes_of_a_plot_the_numbers_alone_are_left_out() -> None:
    ticks = [line(str(10 * n), 100 + 40 * n, 380) for n in range(6)]
    page = layout(line("rainfall in spring", 200, 390), *ticks)
    assert [block.rows for block in page.blocks] == [()]
    assert page.left_out == ("0", "10", "20", "30", "40", "50")


def test_numbers_of_lines_are_left_out() -> None:
    lines = [
        part
        for n in range(8)
        for part in (line(str(n + 1), 60, 100 + 14 * n), line("gravel " * 9, 90, 100 + 14 * n))
    ]
    page = lay_out(PageContent(1, 600, 800, tuple(lines)))
    assert page.left_out == tuple("12345678")


STAVES = Rect(100, 300, 380, 380)


def staves(*lines: Line) -> list[Rect]:
    prose = tuple(line(SENTENCE, 70, 100 + 12 * n) for n in range(8))
    return find_figures(PageContent(1, 600, 800, (*prose, *lines), drawings=(STAVES,)), [], 10.0)


def test_a_listing_above_a_figure_is_no_label_of_it() -> None:
    mono = style(mono=1.0)
    listing = [line(text, 100, 280 + 12 * n, look=mono) for n, text in enumerate(("{ c d", "e }"))]
    assert staves(*listing) == [STAVES]
    assert staves(listing[1]) == [STAVES.union(listing[1].box)]


def test_a_heading_below_a_figure_is_no_label_of_it() -> None:
    text = "The stress at the bed"
    assert staves(line(text, 110, 383, look=Style(12.0, "Sans-Bold", bold=1.0))) == [STAVES]
    small = line(text, 110, 383, look=Style(9.0, "Sans-Bold", bold=1.0))
    assert staves(small) == [STAVES.union(small.box)]


def test_the_last_line_of_a_paragraph_above_a_figure_is_no_label_of_it() -> None:
    last = line("of grains.", 100, 293)
    assert staves(last) == [STAVES.union(last.box)]
    assert staves(line(SENTENCE, 100, 281), last) == [STAVES]


def test_a_word_below_the_indented_or_ideographic_line_above_a_figure_is_no_label_of_it() -> None:
    korean = "이러한 방법으로 강의 바닥에 있는 자갈이 움직이기 시작하는 때를 구별하기 위해"
    for above, indent in ((SENTENCE, 20), (korean, 0)):
        prose = line(above, 60 + indent, 68, width=400)
        last = line("of its size.", 60, 82)
        page = lay_out(PageContent(1, 600, 800, (prose, last), drawings=(DIAGRAM,)))
        paragraph, picture = page.blocks
        assert paragraph.lines[-1] == "of its size."
        assert picture.is_empty_picture


def test_what_stands_in_two_figures_is_in_one_of_them() -> None:
    tops = (110, 140, 170, 201, 211.5, 250, 280, 310)  # two of them between the figures
    words = [line(SENTENCE[:38], 90, top) for top in tops]
    above, below = Rect(60, 90, 540, 200), Rect(60, 222, 540, 400)
    page = lay_out(PageContent(1, 600, 800, tuple(words), drawings=(above, below)))
    rows = [row for block in page.blocks for row in block.rows]
    assert sum(map(len, rows)) == len(tops)


def test_the_name_of_a_part_of_a_figure_is_a_caption_and_a_list_is_not() -> None:
    part, item = line("(b) The model of a river", 90, 404), line("(c) A list far below", 90, 500)
    labels = {block.text: block.label for block in layout(part, item).blocks if block.lines}
    assert labels == {part.text: DocItemLabel.CAPTION, item.text: DocItemLabel.LIST_ITEM}


def test_cells_on_tints_of_columns_are_a_table_without_doubt() -> None:
    cells = tuple(
        line(text, left, 110 + 14 * n)
        for n, name in enumerate(("barley", "wheat", "rye", "oats", "spelt", "millet"))
        for text, left in ((f"{name} field", 90), ("sown in spring", 300))
    )
    tints = (Rect(80, 105, 250, 195), Rect(250, 105, 500, 195))
    (table,) = lay_out(PageContent(1, 600, 800, cells, drawings=tints)).blocks
    assert (table.label, len(table.rows), table.doubtful) == (DocItemLabel.TABLE, 6, False)


def test_short_lines_that_go_down_a_wide_frame_are_no_figure() -> None:
    box = Rect(60, 90, 520, 150)
    grades = tuple(line(text, 70, 94 + 13 * n) for n, text in enumerate(("0 - 1 : oak", "1 : ash")))
    command = line("% make", 75, 130, look=style(mono=1.0, bold=1.0))
    found = lay_out(PageContent(1, 600, 800, (*grades, command), drawings=(box,))).blocks
    assert [(block.label, block.text) for block in found] == [
        (DocItemLabel.TEXT, "0 - 1 : oak 1 : ash"),
        (DocItemLabel.CODE, "% make"),
    ]


def test_a_frame_with_a_drawing_or_numbers_side_by_side_is_one() -> None:
    box, rows = Rect(60, 90, 520, 130), tuple(line("oak", 70, 94 + 13 * n) for n in range(3))
    bar = Rect(100, 95, 300, 105)
    beside = line("12", 200, 94)
    assert find_figures(PageContent(1, 600, 800, rows, drawings=(box,)), [], 10.0) == []
    assert find_figures(PageContent(1, 600, 800, rows, drawings=(box, bar)), [], 10.0) == [box]
    page = PageContent(1, 600, 800, (*rows, beside), drawings=(box,))
    assert find_figures(page, [], 10.0) == [box]


def ruled(box: Rect, *across: float) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """The rules of a box and those across it."""
    horizontal = tuple(Rule(at, box.left, box.right) for at in (box.top, *across, box.bottom))
    return horizontal, tuple(Rule(at, box.top, box.bottom) for at in (box.left, box.right))


def test_the_lines_of_a_narrow_box_of_rules_are_no_labels_though_one_part_is_empty() -> None:
    box = Rect(90, 90, 160, 130)
    across, down = ruled(box, 108)
    for rows in (("X", "feeds(X)"), ("", "feeds(X)")):
        lines = tuple(line(row, 95, 94 + 18 * n) for n, row in enumerate(rows) if row)
        page = PageContent(1, 600, 800, lines, across, down, drawings=(box,))
        assert find_figures(page, [], 10.0) == []
        assert "feeds(X)" in " ".join(block.text for block in lay_out(page).blocks)


def test_one_line_in_a_narrow_box_is_a_label() -> None:
    box = Rect(90, 90, 190, 120)
    across, down = ruled(box)
    page = PageContent(1, 600, 800, (line("OAK", 95, 100),), across, down, drawings=(box,))
    assert find_figures(page, [], 10.0) == [box]


def test_a_narrow_box_with_an_axis_or_without_a_side_is_a_figure() -> None:
    box = Rect(90, 90, 160, 150)
    across, down = ruled(box)
    lines = tuple(line(f"oak {n}", 95, 94 + 18 * n) for n in range(3))
    axis = Rule(140, 100, 150)
    for horizontal, vertical in (((*across, axis), down), (across, down[:1]), (across[:1], down)):
        page = PageContent(1, 600, 800, lines, horizontal, vertical, drawings=(box,))
        assert find_figures(page, [], 10.0) == [box]
