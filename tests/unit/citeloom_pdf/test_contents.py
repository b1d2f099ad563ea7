"""Tables of contents, whose entries end in leaders or in the number of a page alone."""

from __future__ import annotations

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.block import LayoutBlock, PageLayout
from citeloom_pdf.elements.page import Line, PageContent
from citeloom_pdf.structure.contents import mark_contents
from tests.unit.citeloom_pdf.pages import SENTENCE, block, line, page, style

SECTIONS = ("1.1 Beds", "1.2 Banks", "2.1 Floods", "2.2 Fords")


def entry(title: str, number: str, top: float, leaders: str = "") -> list[Line]:
    if leaders:
        return [line(f"{title} {leaders} {number}", 70, top, width=380)]
    return [line(title, 60, top), line(number, 445, top, width=5)]


def labels(*entries: list[Line]) -> dict[str, DocItemLabel]:
    lines = tuple(part for one in entries for part in one)
    blocks = lay_out(PageContent(1, 600, 800, lines)).blocks
    return {text: block.label for block in blocks for text in block.lines}


def test_chapters_without_leaders_are_part_of_the_contents() -> None:
    sections = [entry(name, "3", 130 + 12 * n, ". . . . . .") for n, name in enumerate(SECTIONS)]
    below = entry("3 Wind", "9", 195)
    found = labels(entry("1 Water", "2", 110), *sections, below)
    assert found["1 Water"] == found["3 Wind"] == found["9"] == DocItemLabel.DOCUMENT_INDEX


def test_leaders_in_a_font_of_formulas_make_no_formula() -> None:
    leaders, maths = " ." * 20, style(math=0.8)
    entries = [
        [line(f"{name}{leaders} 3", 70, 130 + 12 * n, 380, maths)]
        for n, name in enumerate(SECTIONS)
    ]
    assert {*labels(*entries).values()} == {DocItemLabel.DOCUMENT_INDEX}


def test_what_has_no_number_or_stands_far_from_the_contents_is_no_part_of_them() -> None:
    sections = [entry(name, "3", 130 + 12 * n, ". . . . . .") for n, name in enumerate(SECTIONS)]
    prose = [line(SENTENCE, 60, 195)]
    far = entry("Gravel", "17", 400)
    found = labels(*sections, prose, far)
    assert DocItemLabel.DOCUMENT_INDEX not in (found[SENTENCE], found["17"])


def test_two_entries_with_leaders_are_contents_below_their_heading() -> None:
    entries = [entry(name, "3", 130 + 12 * n, ". . . . . .") for n, name in enumerate(SECTIONS[:2])]
    found = labels([line("Contents", 60, 100)], *entries)
    assert found["1.2 Banks . . . . . . 3"] == DocItemLabel.DOCUMENT_INDEX
    assert DocItemLabel.DOCUMENT_INDEX not in labels([line("Results", 60, 100)], *entries).values()


def test_entries_without_leaders_below_their_heading_are_contents() -> None:
    entries = [entry(name, str(n), 130 + 14 * n) for n, name in enumerate(SECTIONS, 3)]
    heading = [line("Contents", 60, 100)]
    assert labels(heading, *entries)["2.2 Fords"] == DocItemLabel.DOCUMENT_INDEX
    other = labels([line("Results", 60, 100)], *entries)
    assert DocItemLabel.DOCUMENT_INDEX not in other.values()
    falling = [entry(name, str(9 - n), 130 + 14 * n) for n, name in enumerate(SECTIONS)]
    assert DocItemLabel.DOCUMENT_INDEX not in labels(heading, *falling).values()


TITLES = ("Beds", "2 Banks of gravel", "2.1 Floods", "Fords", "3 Wind", "Figure 1 A weir")


def sections() -> PageLayout:
    return page(9, *(block(title, (60, 100 + 40 * n, 200, 110)) for n, title in enumerate(TITLES)))


def listed(*lines: str) -> LayoutBlock:
    return block("\n".join(lines), (60, 100, 200, 100 + 12 * len(lines)))


def indexed(*blocks: LayoutBlock) -> list[str]:
    first = page(1, *blocks)
    mark_contents([first, sections()])
    return [each.text for each in first.blocks if each.label == DocItemLabel.DOCUMENT_INDEX]


def test_a_row_of_many_numbers_before_a_sign_takes_no_time() -> None:
    numbers = "   ".join(map(str, range(1, 40)))
    assert indexed(listed(f"{numbers} |"), listed("0" * 60 + "a")) == []


def test_titles_of_later_pages_with_their_numbers_behind_them_are_contents() -> None:
    ragged = listed(*(f"{title} {9 + n}" for n, title in enumerate(TITLES)))
    prose = block(SENTENCE, (60, 300, 500, 310))
    assert indexed(block("Contents", (60, 60, 200, 70)), ragged, prose) == [ragged.text]
    wrapped = listed("Beds ix", "Banks", "of gravel 9", *ragged.lines[2:])
    assert indexed(wrapped) == [wrapped.text]


def test_titles_with_a_column_of_numbers_beside_them_are_contents() -> None:
    numbers = block("\u20609\n\u20609\n\u206010\n\u206011\n\u206012", (400, 100, 410, 172))
    footer = block("7", (300, 700, 310, 710))
    assert len(indexed(listed(*TITLES), numbers, footer)) == 2


def test_titles_without_the_numbers_of_pages_are_no_contents() -> None:
    assert indexed(listed(*TITLES)) == []


def test_names_with_numbers_that_do_not_rise_are_no_contents() -> None:
    assert indexed(listed(*(f"{title} {n % 2}" for n, title in enumerate(TITLES)))) == []


def test_lines_with_numbers_that_no_later_page_has_are_no_contents() -> None:
    assert indexed(listed(*(f"Year {1990 + n}" for n in range(6)))) == []
