"""Which block an entry of the outline names."""

from __future__ import annotations

import pytest
from docling.utils.pdf_outline import _PdfOutlineItem as Entry
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import LayoutBlock, PageLayout
from citeloom_pdf.elements.page import Style
from citeloom_pdf.structure.assembly import mark_declared, with_run_in
from tests.unit.citeloom_pdf.pages import SENTENCE, block, page, style


def line(text: str, top: float = 300, size: float = 10) -> LayoutBlock:
    return block(text, (100, top, 300, top + size), look=style(size))


def prose(top: float) -> LayoutBlock:
    return block("\n".join([SENTENCE] * 5), (100, top, 500, top + 60))


def declared(
    pages: list[PageLayout], *entries: tuple[str, int, int | None, float | None]
) -> list[tuple[int, str, float]]:
    outline = [
        Entry(title=title, level=level, page_no=number, y_top=top)
        for title, level, number, top in entries
    ]
    mark_declared(pages, outline, 10.0)
    return [
        (found.level, found.text, found.box.top)
        for one in pages
        for found in one.blocks
        if found.label == DocItemLabel.SECTION_HEADER
    ]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Of stones", "Of Stones"),
        ("3.2.1 if", "if"),
        ("if", "3.2.1 if"),
        ("A.2 Tables of old", "Tables of old"),
        ("IV. Banks", "Banks"),
        ("CHAPTER TWENTY-ONE OF STONES", "Of stones"),
        ("Kapitel 4 Vom Kies", "4 Vom Kies"),
        ("Anhang B: Tabellen", "Tabellen"),
        ("5.6.8 Gravel and Sand-Grains", "Gravel and sand grains"),
        ("The “Any” type", "The ``Any'' type"),
        ("Képességek és példák", "Kepessegek es peldak"),
    ],
)
def test_a_title_is_known_with_or_without_its_number(said: str, title: str) -> None:
    pages = [page(1, prose(100), line(said), prose(330))]
    assert declared(pages, (title, 0, 1, 290.0)) == [(1, said, 300)]


def test_what_says_something_else_is_none() -> None:
    pages = [page(1, prose(100), line("Of sand"), prose(330))]
    assert declared(pages, ("Of stones", 0, 1, 290.0)) == []


def test_of_two_that_say_the_title_it_is_the_one_at_the_entrys_place() -> None:
    pages = [page(1, line("error", 100), prose(120), line("error", 400), prose(420))]
    assert declared(pages, ("error", 3, 1, 390.0)) == [(1, "error", 400)]


def test_a_small_word_in_the_text_is_none_unless_the_entry_points_at_it() -> None:
    pages = [page(1, prose(100), line("error", 400), prose(420))]
    assert declared(pages, ("error", 0, 1, None)) == []
    assert declared(pages, ("error", 0, 1, 100.0)) == []
    assert declared(pages, ("error", 0, 1, 395.0)) == [(1, "error", 400)]


def test_a_running_head_is_not_taken_for_the_title_below_it() -> None:
    head, title = line("Gravel", 36), line("Gravel", 300)
    head.label = DocItemLabel.PAGE_HEADER
    assert declared([page(1, head, prose(100))], ("Gravel", 0, 1, 30.0)) == []
    assert declared([page(1, head, prose(100), title)], ("Gravel", 0, 1, None)) == [
        (1, "Gravel", 300)
    ]


def test_a_large_title_among_the_running_heads_is_found() -> None:
    title = line("Gravel", 60, size=18)
    title.label = DocItemLabel.PAGE_HEADER
    assert declared([page(1, title, prose(100))], ("Gravel", 0, 1, None)) == [(1, "Gravel", 60)]


def test_an_entry_that_points_to_the_page_before_finds_its_title() -> None:
    pages = [page(1, prose(100)), page(2, line("Gravel", 60), prose(100))]
    assert declared(pages, ("Gravel", 0, 1, 700.0)) == [(1, "Gravel", 60)]


def test_each_entry_has_a_block_of_its_own_and_its_level() -> None:
    pages = [page(1, line("Notes", 100), prose(120), line("Notes", 400), prose(420))]
    assert declared(pages, ("Notes", 1, 1, None), ("Notes", 2, 1, None)) == [
        (1, "Notes", 100),
        (2, "Notes", 400),
    ]


def test_an_entry_without_a_page_names_nothing() -> None:
    assert declared([page(1, line("Gravel"))], ("Gravel", 0, None, None)) == []


def run_in(paragraph: str, title: str, look: Style | None = None) -> list[tuple[str, int]]:
    """The blocks of a page on which an entry points at a paragraph, with their levels."""
    text = block(paragraph, (100, 300, 500, 300 + 12 * (1 + paragraph.count("\n"))), look=look)
    pages = [page(1, prose(100), text)]
    outline = [
        Entry(title="Rivers", level=1, page_no=1, y_top=90.0),
        Entry(title=title, level=2, page_no=1, y_top=298.0),
    ]
    unnamed = mark_declared(pages, outline, 10.0)
    parted, _ = with_run_in(pages, unnamed, outline, 10.0)
    return [(found.text, found.level) for found in parted[0].blocks[1:]]


@pytest.mark.parametrize(
    ("title", "opening", "rest"),
    [
        ("Of stones", "Of Stones", "Gravel moves\nin floods."),
        ("Of stones", "4.1.2 Of Stones.", "gravel moves\nin floods."),
        ("Of stones", "Of Stones:", "Gravel moves\nin floods."),
        ("Of the “Any” type", "Of the “Any” type", "Gravel moves\nin floods."),
        ("Камни", "3 Камни.", "Гравий движется\nв половодье."),
    ],
)
def test_a_title_that_opens_its_paragraph_is_a_heading(title: str, opening: str, rest: str) -> None:
    assert run_in(f"{opening} {rest}", title) == [(opening, 2), (rest.replace("\n", " "), 0)]


@pytest.mark.parametrize("dash", [" - ", " \u2013 ", ".\u2014"])
def test_no_dash_is_left_before_the_text_behind_a_title(dash: str) -> None:
    title = "Of stones" + dash.strip(" -\u2013\u2014")
    parted = run_in(f"Of stones{dash}Gravel moves\nin floods.", "Of stones")
    assert parted == [(title, 2), ("Gravel moves in floods.", 0)]


@pytest.mark.parametrize(
    "paragraph",
    [
        "Of stones that move in floods\nthere are many.",
        "Of stones ли песок\nв половодье.",
        "Of stones - Map Stage",
        "Of stonesGravel moves\nin floods.",
        "(Of stones Gravel moves\nin floods.)",
        "⟨Of stones 56⟩ Gravel moves\nin floods.",
    ],
)
def test_a_sentence_that_begins_like_a_title_is_parted_nowhere(paragraph: str) -> None:
    assert run_in(paragraph, "Of stones") == [(paragraph.replace("\n", " "), 0)]


def test_a_bold_line_with_more_words_than_its_entry_is_a_heading_as_a_whole() -> None:
    line = "Appendix A. Tables of Floods"
    assert run_in(line, "Appendix A", style(10, bold=1.0)) == [(line, 2)]


def test_titles_whose_entries_share_a_place_open_paragraphs_farther_down() -> None:
    texts = [
        block(f"{title} Gravel moves\nin floods.", (100, top, 500, top + 24))
        for title, top in (("Of stones", 300), ("Of sand", 500))
    ]
    outline = [
        Entry(title=text.text[:9].strip(" G"), level=1, page_no=1, y_top=90.0) for text in texts
    ]
    parted, found = with_run_in([page(1, prose(100), *texts)], outline, outline, 10.0)
    assert found == 2
    assert [each.text for each in parted[0].blocks if each.level] == ["Of stones", "Of sand"]
    assert with_run_in([page(1, prose(100), *texts)], outline[:1], outline[:1], 10.0)[1] == 0


def test_a_small_line_far_from_the_place_of_its_entry_is_a_running_head() -> None:
    pages = [page(1, line("OF STONES 12", 30, size=8), prose(100), prose(400))]
    assert declared(pages, ("Of stones", 1, 1, 390.0)) == []
    assert declared(pages, ("Of stones", 1, 1, 28.0)) == [(1, "OF STONES 12", 30)]
