from __future__ import annotations

from dataclasses import replace

import pytest
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import LayoutBlock, PageLayout
from citeloom_pdf.elements.page import Style
from citeloom_pdf.structure.headings import (
    body_style,
    mark_headings,
    mark_title,
)
from tests.unit.citeloom_pdf.pages import SENTENCE, block, page, style

LABEL = DocItemLabel.SECTION_HEADER


def body(top: float) -> LayoutBlock:
    text = "\n".join([SENTENCE] * 5)
    return block(text, (100, top, 500, top + 60))


def candidate(text: str, look: Style, top: float = 300) -> LayoutBlock:
    return block(text, (100, top, 250, top + look.size), look=look)


def marked(pages: list[PageLayout], found_share: float = 0.0) -> list[str]:
    mark_headings(pages, body_style(pages), found_share=found_share)
    return [found.text for one in pages for found in one.blocks if found.label == LABEL]


@pytest.mark.parametrize(
    ("text", "look"),
    [
        ("Field sites and their rivers", style(14)),
        ("2.1 Flume", style(10, bold=1.0)),
        ("2 flume のファイル", style(14)),
        ("3 RESULTS", style(10, bold=1.0)),
        ("References", style(10)),
        ("概要", style(14)),
        ("参考文献", style(10)),
        ("Заключение", style(10)),
        ("第2章 川の流れ", style(10, bold=1.0)),
        ("2.1.1 Runs", Style(10, "Serif-Italic", italic=1.0)),
        ("A.2 AAA", style(10, bold=1.0)),
        ("1.2.3.4.5.6 Weirs", Style(11, "Serif-Italic", italic=1.0)),
    ],
)
def test_what_stands_out_is_a_heading(text: str, look: Style) -> None:
    assert marked([page(1, body(100), candidate(text, look), body(320))]) == [text]


@pytest.mark.parametrize(
    ("text", "look"),
    [
        ("The flume was ten metres long.", style(10)),
        ("where x is the depth, and", style(10, bold=1.0)),
        ("1.7", style(14)),
        ("河流可以通航。", style(10, bold=1.0)),
        ("a = b + c", style(14, math=0.9)),
        ("Keywords: gravel, rivers", style(10, bold=1.0)),
        ("Introduction . . . . . . . . 12", style(10, bold=1.0)),
        ("15 end while", style(10, bold=1.0)),
        ("Gravel Watch. (2020). https://example.org", style(14)),
        ("• Flumes", style(10, bold=1.0)),
        ("“The river, he said, rose again ….”", style(10, bold=1.0)),
        ("29 September 2019", style(14)),
        ("October 14, 1998", style(14)),
        ("٢٩ سبتمبر ٢٠١٩", style(14)),
    ],
)
def test_what_does_not_read_like_one_is_none(text: str, look: Style) -> None:
    assert marked([page(1, body(100), candidate(text, look), body(320))]) == []


def test_a_year_in_a_heading_that_counts_on_makes_no_date_of_it() -> None:
    look = style(14)
    blocks = [
        each
        for at, text in enumerate(("3 Weirs", "4 Floods 2019", "29 September 2019", "5 Gates 2020"))
        for each in (candidate(text, look, 60 + 150 * at), body(90 + 150 * at))
    ]
    assert marked([page(1, *blocks)]) == ["3 Weirs", "4 Floods 2019", "5 Gates 2020"]


def test_a_heading_that_the_outline_declares_stays_one_whatever_stands_on_later_pages() -> None:
    bold = style(10, bold=1.0)
    versions = [candidate(f"Version {n}", bold, 100 + 100 * n) for n in range(4)]
    for version in versions:
        version.label, version.level = LABEL, 1
    later = page(2, candidate("Version 9", bold, 60), body(100))
    assert len(marked([page(1, *versions, body(550)), later])) == 5


@pytest.mark.parametrize(
    ("text", "look", "is_heading"),
    [
        ("4.1  Rivers.jl", Style(11, "Typewriter", mono=0.8), True),
        ("4.1  Rivers.jl", Style(10, "Typewriter-Bold", mono=0.8, bold=1.0), True),
        ("4.1  Rivers.jl", Style(10, "Typewriter", mono=0.8), False),
        ("4 rivers = flow()", Style(11, "Typewriter", mono=0.8), False),
    ],
)
def test_a_heading_may_name_what_is_set_like_a_listing(
    text: str, look: Style, is_heading: bool
) -> None:
    code = block(text, (100, 300, 250, 311), DocItemLabel.CODE, look)
    assert marked([page(1, body(100), code, body(320))]) == [text] * is_heading


def test_names_and_addresses_under_a_title_are_no_headings_without_an_abstract_too() -> None:
    title = block("Of Rivers", (100, 40, 400, 60), look=style(20))
    title.label = DocItemLabel.TITLE
    large = style(12)
    names = candidate("Ann Rye 1 , Ben Oat 1 , and Cy Barley 2", large, 80)
    address = candidate("1 Institute of Fields, Plain Road 6, Wheaton", large, 110)
    first = candidate("Of flumes", style(12, bold=1.0), 140)
    assert marked([page(1, title, names, address, first, body(160))]) == ["Of flumes"]


def test_the_head_of_a_table_is_no_row_of_headings() -> None:
    bold = style(10, bold=1.0)
    cells = [block(f"Name {n}", (100 * n, 300, 100 * n + 80, 310), look=bold) for n in (1, 2, 3)]
    columns = [block("\n".join([SENTENCE] * 5), (at, 320, at + 90, 380)) for at in (100, 200)]
    assert marked([page(1, body(100), *cells, body(320))]) == []
    assert marked([page(1, body(100), *cells[:2], *columns)]) == ["Name 1", "Name 2"]
    assert marked([page(1, body(100), *cells[:2], body(320))]) == []


@pytest.mark.parametrize(
    ("number", "item", "is_heading"),
    [
        ("", "4. Keep it", False),
        ("2 ", "4. Keep it", False),
        ("", "2.1 Keep it", False),
        ("2 ", "2.1 Keep it", True),
        ("2.1 ", "2.1 KEEP IT", False),
    ],
)
def test_beside_an_outline_numbered_lines_are_headings_if_they_go_on_with_its_numbers(
    number: str, item: str, is_heading: bool
) -> None:
    pages = []
    for at, word in enumerate("flumes floods fords falls banks beds lakes seas".split(), 1):
        title = candidate(f"{number}Of {word}", style(14), 60)
        title.label, title.level = LABEL, 1
        pages.append(page(at, title, body(100)))
    last = page(9, candidate(item, style(10, bold=1.0), 60), body(100))
    assert len(marked([*pages, last], found_share=1.0)) == 8 + is_heading


def test_entries_of_a_table_of_contents_are_no_headings() -> None:
    names = ("1 Water", "2 Stone", "3 Wind")
    bold = style(10, bold=1.0)
    contents = [candidate(f"{name} {n}", bold, 100 + 40 * n) for n, name in enumerate(names, 3)]
    chapters = [page(n, candidate(name, bold, 60), body(100)) for n, name in enumerate(names, 3)]
    assert marked([page(1, *contents), *chapters]) == list(names)


@pytest.mark.parametrize(
    ("found_share", "last", "left"), [(1.0, 11, 10), (0.5, 11, 25), (1.0, 4, 3), (1.0, 3, 5)]
)
def test_an_outline_whose_entries_are_found_leaves_terms_in_bold_out(
    found_share: float, last: int, left: int
) -> None:
    bold = style(10, bold=1.0)
    pages = [page(1, body(100))]
    for number in range(2, last + 1):
        title = candidate(f"Chapter about {'abcdefghijkl'[number]}ravel", style(14), 60)
        title.label, title.level = LABEL, 1
        term = [candidate("Shear stress", bold), candidate("Slope", bold, 400)]
        term = term if number % 2 else term[:1]
        pages.append(page(number, title, body(100), *term, body(330), body(420)))
    assert len(marked(pages, found_share)) == left


def test_the_title_is_the_one_the_file_names_else_the_largest() -> None:
    title = candidate("Of Rivers and Stones", style(12), 60)
    larger = candidate("JOURNAL", style(20), 30)
    first = page(1, larger, title, body(200))
    mark_title(first, "Of rivers and stones")
    assert (title.label, larger.label) == (DocItemLabel.TITLE, DocItemLabel.TEXT)
    mark_title(first, "")
    assert larger.label == DocItemLabel.TITLE


def test_what_looks_like_the_heading_of_another_section_of_its_page_is_no_title() -> None:
    look = style(20, bold=1.0)
    first, second = candidate("Of Rivers", look, 60), candidate("Of Stones", look, 560)
    labels = []
    for others in ([second], []):
        mark_title(page(1, first, body(100), *others, body(600)), "")
        labels.append(first.label)
    assert labels == [DocItemLabel.TEXT, DocItemLabel.TITLE]


@pytest.mark.parametrize(("left", "is_heading"), [(100, True), (180, False)])
def test_the_first_page_has_headings_without_entry_only_where_the_others_stand(
    left: float, is_heading: bool
) -> None:
    preamble = block("Of all rivers", (left, 180, left + 90, 194), look=style(14))
    pages = [page(1, body(100), preamble, body(200))]
    for number in (2, 3, 4):
        title = candidate(f"Chapter about {'abcde'[number]}ravel", style(14), 60)
        title.label, title.level = LABEL, 1
        pages.append(page(number, title, body(100)))
    assert len(marked(pages, 1.0)) == 3 + is_heading


@pytest.mark.parametrize(("text", "level"), [("Of Rivers and Stones", 2), ("Глава 17 Реки", 1)])
def test_a_section_of_the_outline_is_no_title_for_its_size(text: str, level: int) -> None:
    heading = candidate(text, style(14), 60)
    heading.label, heading.level = LABEL, level
    mark_title(page(1, body(100), heading), "")
    assert heading.label == LABEL


def test_sentences_that_are_the_only_text_of_a_page_are_no_title() -> None:
    title = candidate("Of Rivers and Stones", style(12), 60)
    alone = candidate(f"{SENTENCE} {SENTENCE}", style(12), 60)
    mark_title(page(1, title), "")
    mark_title(page(1, alone), "")
    assert (title.label, alone.label) == (DocItemLabel.TITLE, DocItemLabel.TEXT)


SCANNED = (
    ("Field sites and their rivers", True),
    ("2.1 Flume", True),
    ("without even the warranty of a merchant", False),
    ("The river is easily seen. We check each line and", False),
    ("The river that is seen from here is larger than those of all", False),
    (": the river", False),
    ("You", False),
    ("27 \\else", False),
    ("Note that the river is:", False),
)


@pytest.mark.parametrize(("text", "is_heading"), SCANNED)
def test_the_words_of_a_scan_say_whether_a_larger_line_is_a_heading(
    text: str, is_heading: bool
) -> None:
    first = page(1, body(100), candidate(text, style(14)), body(320))
    assert marked([replace(first, is_layer=True)]) == [text] * is_heading


@pytest.mark.parametrize(
    ("text", "is_heading"),
    [
        ("2.1 Sources and methods", True),
        ("4.1.1. Querverweise", True),
        ("2.1 Sources were read, and ended.", False),
        ("2.1 sources", False),
    ],
)
def test_a_numbered_line_of_a_scan_is_a_heading_by_its_words(text: str, is_heading: bool) -> None:
    first = page(1, candidate(text, style(10)), body(330), body(400))
    assert marked([replace(first, is_layer=True)]) == [text] * is_heading


def test_a_larger_line_of_a_scan_that_runs_on_is_no_title() -> None:
    line = candidate("without even the warranty of a merchant", style(14), 60)
    mark_title(replace(page(1, line, body(100)), confidence=0.9), "")
    assert line.label == DocItemLabel.TEXT


def test_words_in_a_plot_of_a_scan_are_no_headings() -> None:
    labels = [
        candidate("Growth of algae", style(14), 200),
        candidate("Control group", style(14), 240),
    ]
    caption = block(f"Figure 1. {SENTENCE}", (100, 280, 500, 290), DocItemLabel.CAPTION)
    plot = page(1, body(100), *labels, caption, candidate("The last line", style(14), 400))
    assert marked([replace(plot, confidence=0.9)]) == []
