"""Tables of contents, whose entries end in leaders or in the number of a page alone."""

from __future__ import annotations

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.page import Line, PageContent
from tests.unit.citeloom_pdf.pages import SENTENCE, line, style

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
