from __future__ import annotations

import pytest
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import LayoutBlock, PageLayout
from citeloom_pdf.elements.page import Style
from citeloom_pdf.structure.headings import body_style, mark_headings
from tests.unit.citeloom_pdf.pages import SENTENCE, block, page, style

HEADING = DocItemLabel.SECTION_HEADER
BOLD, LARGE = style(10, bold=1.0), style(14)


def prose(top: float, left: float = 100) -> LayoutBlock:
    return block("\n".join([SENTENCE] * 5), (left, top, 500, top + 60))


def line(text: str, top: float, left: float = 100, look: Style = BOLD) -> LayoutBlock:
    return block(text, (left, top, left + 80, top + look.size), look=look)


def headings(*pages: PageLayout) -> list[str]:
    mark_headings(pages, body_style(pages))
    return [each.text for each_page in pages for each in each_page.blocks if each.label == HEADING]


def test_the_label_of_a_note_is_no_heading_where_the_text_goes_on_left_of_it() -> None:
    within = page(1, prose(60), line("Beware", 140, left=118, look=LARGE), prose(160, left=118))
    last = page(2, prose(60), line("Beware", 140, left=118, look=LARGE), prose(160, left=118))
    goes_on = page(1, *within.blocks, prose(240))
    assert headings(goes_on, last) == []
    # at the end of a page it may as well be a section that is indented
    assert headings(page(1, prose(60), *within.blocks[1:]), page(2, prose(60))) == ["Beware"]


def test_a_heading_above_a_quotation_is_one_but_a_label_of_notes_is_not() -> None:
    quoted = [line("Rivers", 140), prose(170, left=130), prose(250)]
    assert headings(page(1, prose(60), *quoted)) == ["Rivers"]
    notes = [page(n, prose(60), line("Beware", 140), prose(170, 130), prose(250)) for n in (1, 2)]
    assert headings(*notes) == []


def test_a_line_with_only_notes_below_it_is_no_heading() -> None:
    note = block("1 See it.", (100, 700, 300, 708), DocItemLabel.FOOTNOTE, style(8))
    assert headings(page(1, prose(60), line("Rivers", 140), note)) == []
    assert headings(page(1, prose(60), line("Rivers", 140), prose(170), note)) == ["Rivers"]


@pytest.mark.parametrize("number", ["4.", "4.2"])
def test_a_heading_with_its_number_in_a_column_of_its_own_is_one(number: str) -> None:
    heading = [line(number, 140, left=100), line("The weirs of a river", 140, left=190)]
    assert headings(page(1, prose(60), *heading, prose(170))) == ["The weirs of a river"]
    heads = [line("Weir", 140, left=100), line("River", 140, left=190)]
    assert headings(page(1, prose(60), *heads, prose(170))) == []


def test_a_term_above_what_explains_it_is_no_heading() -> None:
    term = [line("Flume", 140), prose(153, left=125)]
    assert headings(page(1, prose(60), *term)) == []
    assert headings(page(1, *term), page(2, prose(60, left=125))) == ["Flume"]
    short = block(SENTENCE, (125, 153, 500, 163))
    others = [line("Weir", 180), block(SENTENCE, (125, 193, 500, 203))]
    assert headings(page(1, prose(60), line("Flume", 140), short)) == ["Flume"]
    assert headings(page(1, prose(60), line("Flume", 140), short, *others)) == []


def test_a_term_a_little_farther_right_than_the_margin_is_no_heading() -> None:
    terms = [line("Flume", 140, left=102.5), prose(153, left=125)]
    assert headings(page(1, prose(60), *terms)) == []


def test_headings_that_differ_by_their_numbers_alone_are_no_contents() -> None:
    pages = [
        page(
            n,
            *(b for at in (100, 300, 500) for b in (line(f"Release {n}.{at}", at), prose(at + 30))),
        )
        for n in (2, 3)
    ]
    assert len(headings(*pages)) == 6


def test_a_large_heading_may_have_more_figures_than_letters() -> None:
    look = style(14, bold=1.0)
    dated = line("Weir 2.65 [16 June 2016]", 140, look=look)
    assert headings(page(1, prose(60), dated, prose(170))) == [dated.text]
    assert headings(page(1, prose(60), line(dated.text, 140), prose(170))) == []


@pytest.mark.parametrize(("right", "is_heading"), [(500, False), (200, True)])
def test_a_line_with_larger_letters_that_a_sentence_runs_over_is_no_heading(
    right: float, is_heading: bool
) -> None:
    first = block("The macro RIVER prints", (100, 140, right, 154), look=style(14))
    rest = block("all rivers of a land,\nand of the next", (100, 158, 500, 180))
    assert headings(page(1, prose(60), first, rest)) == [first.text] * is_heading


@pytest.mark.parametrize(("right", "is_heading"), [(500, False), (200, True)])
def test_a_line_in_the_font_of_code_that_fills_its_line_is_no_heading(
    right: float, is_heading: bool
) -> None:
    code = Style(10, "Mono")
    first = block(
        "The function flume_depth() returns OK and sets", (100, 140, right, 150), look=code
    )
    rest = block("*depth to what was measured.\n" + SENTENCE, (100, 153, 500, 175))
    assert headings(page(1, prose(60), first, rest)) == [first.text] * is_heading


@pytest.mark.parametrize(("end", "is_heading"), [("measured.]", False), ("measured depths", True)])
def test_a_sentence_in_bold_over_two_lines_is_no_heading(end: str, is_heading: bool) -> None:
    first = block("[Flumes are no longer used, since weirs became", (100, 140, 480, 150), look=BOLD)
    rest = block(end, (100, 154, 200, 164), look=BOLD)
    assert headings(page(1, prose(60), first, rest, prose(180))) == [first.text] * is_heading


def test_a_step_whose_neighbour_is_no_heading_is_none() -> None:
    italic = Style(10, "Serif-Italic", italic=1.0)
    steps = [line("1. Draw a river:", 140, look=style(10)), line("2. Ask for flumes", 160)]
    steps[1] = line("2. Ask for flumes", 160, look=italic)
    last = line("3. Weirs are built", 180, look=italic)
    assert headings(page(1, prose(60), *steps, last, prose(200))) == []
    first = line("4. Sum the depths", 140, look=italic)
    behind = line("5. compute x", 160, look=style(10))
    assert headings(page(1, prose(60), first, behind)) == []


def test_headings_whose_neighbours_are_headings_or_other_lists_are_some() -> None:
    italic = Style(10, "Serif-Italic", italic=1.0)
    items = [line(f"{n}. a weir", 140 + 20 * n, look=style(10)) for n in (1, 2, 3)]
    sections = [line("1. Rivers", 140, look=italic), line("2. Flumes", 260, look=italic)]
    blocks = [prose(60), sections[0], *items, sections[1], prose(280)]
    assert headings(page(1, *blocks)) == ["1. Rivers", "2. Flumes"]


def test_names_and_dates_on_a_title_page_are_no_headings() -> None:
    title = block("Of Rivers", (100, 100, 400, 124), look=style(24))
    title.label = DocItemLabel.TITLE
    names = [line("Ann Rye", 200, look=LARGE), line("May 1999", 300, look=LARGE)]
    assert headings(page(1, title, *names), page(2, prose(60))) == []


def test_names_and_dates_above_the_text_are_no_headings() -> None:
    title = block("Of Rivers", (100, 40, 400, 64), look=style(24))
    title.label = DocItemLabel.TITLE
    names = [line("Ann Rye", 80, look=LARGE), line("May 1999", 110, look=LARGE)]
    first = line("Flumes", 140, look=LARGE)
    assert headings(page(1, title, *names, first, prose(160)), page(2, prose(60))) == ["Flumes"]
    known = line("Contents", 140, look=LARGE)
    assert headings(page(1, title, *names, known, prose(160)), page(2, prose(60))) == ["Contents"]


def test_a_subtitle_above_a_name_or_a_date_is_no_heading() -> None:
    for below in ("Ann Rye", "29 September 2019"):
        title = block("Of Rivers", (100, 40, 400, 64), look=style(24))
        title.label = DocItemLabel.TITLE
        subtitle = line("How they are measured", 70, look=LARGE)
        first = page(1, title, subtitle, line(below, 100, look=style()), prose(160))
        assert headings(first, page(2, prose(60))) == []


def test_entries_of_contents_with_numbers_beside_them_are_no_headings() -> None:
    entries = [line(f"{n} Rivers", 100 * n, look=LARGE) for n in (1, 2)]
    numbers = [line(f"{n}{n}", 100 * n, left=480, look=LARGE) for n in (1, 2)]
    assert headings(page(1, prose(40), *entries, *numbers), page(2, prose(60))) == []
    assert headings(page(1, prose(40), *entries), page(2, prose(60))) == ["1 Rivers", "2 Rivers"]
