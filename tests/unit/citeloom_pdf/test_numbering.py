"""What the numbers of headings say of sections."""

from __future__ import annotations

import pytest
from docling_core.types.doc.items.text import SectionHeaderItem

from citeloom_pdf.elements.block import LayoutBlock
from citeloom_pdf.elements.page import Style
from citeloom_pdf.structure.assembly import assemble
from citeloom_pdf.structure.numbering import nested, number_of, numbered_alike
from tests.unit.citeloom_pdf.pages import SENTENCE, block, page, style

BOLD = style(10, bold=1.0)
PLAIN = style(10)


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("5.7 Soils", (5, 7)),
        ("3. Soils", (3,)),
        ("Kapitel 4: Vom Kies", (4,)),
        ("A.2 Tables", (1065, 2)),
        ("Appendix A", (1065,)),
        ("Part 2 Soils", None),
        ("Soils of 5.7", None),
        ("2024 Soils", None),
    ],
)
def test_a_number_is_at_the_head_of_a_title(title: str, number: tuple[int, ...] | None) -> None:
    assert number_of(title) == number


def test_parts_chapters_and_appendices_are_numbered_in_one_language() -> None:
    titles = ["TEIL EINS Wasser", "Kapitel 3 Kies", "3.1 Ufer", "Anhang A Tafeln", "A.1 Alte"]
    assert numbered_alike(titles) == [
        "Part 1 Wasser",
        "Chapter 1 Kies",
        "3.1 Ufer",
        "Chapter 1 Tafeln",
        "1.1 Alte",
    ]


def test_without_chapters_an_appendix_ranks_with_the_sections() -> None:
    assert numbered_alike(["1 Methods", "Appendix A Tables"]) == ["1 Methods", "1. Tables"]


def test_chapters_count_although_one_before_them_is_missing_and_steps_do_not() -> None:
    titles = ["2 Sand", "2.1 Dunes", "1. Dig", "2. Sift", "2.2 Beaches", "4 Clay", "4.1 Pits"]
    assert numbered_alike(titles) == [
        "1. Sand",
        "2.1 Dunes",
        "Dig",
        "Sift",
        "2.2 Beaches",
        "1. Clay",
        "4.1 Pits",
    ]


def placed(*headings: tuple[int, str]) -> list[int]:
    return nested([level for level, _ in headings], [title for _, title in headings])


def test_a_section_is_below_none_whose_number_does_not_begin_its_own() -> None:
    assert placed(
        (1, "5 Soils"), (2, "5.6 Clay"), (3, "5.6.1 Pits"), (3, "5.7.15 Loess"), (3, "5.7.16 Marl")
    ) == [1, 2, 3, 2, 2]
    assert placed((1, "1 Sand"), (2, "1.1 Dunes"), (2, "4.3 Clay"), (2, "4.4 Pits")) == [1, 2, 1, 1]


def test_a_section_is_below_that_whose_number_begins_its_own() -> None:
    assert placed((1, "1 Sand"), (1, "1.1 Dunes"), (1, "1.2 Beaches"), (1, "2 Clay")) == [
        1,
        2,
        2,
        1,
    ]


def test_no_other_heading_between_two_sections_ends_their_chapter() -> None:
    assert placed(
        (1, "1 Sand"), (2, "1.1 Dunes"), (1, "An example"), (2, "1.2 Beaches"), (1, "References")
    ) == [1, 2, 2, 2, 1]
    assert placed(
        (1, "1 Sand"), (2, "1.1 Dunes"), (1, "1. Dig"), (1, "2. Sift"), (2, "1.2 Beaches")
    ) == [1, 2, 3, 3, 2]


def test_where_each_part_counts_anew_the_levels_stay() -> None:
    part = [(1, "1 Sand"), (2, "1.1 Dunes"), (1, "2 Clay"), (2, "2.1 Pits")]
    assert placed(*part, *part, *part) == [1, 2, 1, 2] * 3


def test_numbers_whose_parts_are_read_from_the_right_count_so() -> None:
    titles = ["1 שלום עולם", "1.1 שלום", "2.1 עולם", "2 שלום"]
    assert placed(*zip([1, 2, 1, 1], titles)) == [1, 2, 2, 1]


def read(*lines: tuple[str, Style]) -> list[tuple[int, str]]:
    blocks: list[LayoutBlock] = []
    for number, (text, look) in enumerate(lines):
        top = 60 + 80 * number
        blocks.append(block(text, (100, top, 300, top + 10), look=look))
        blocks.append(block("\n".join([SENTENCE] * 4), (100, top + 12, 500, top + 60)))
    document = assemble("soils", [page(1, *blocks)], [], "")
    return [
        (item.level, item.text) for item in document.texts if isinstance(item, SectionHeaderItem)
    ]


def test_a_line_with_the_number_that_the_sequence_lacks_is_a_heading() -> None:
    plain = ("2.2 Beaches", PLAIN)
    assert read(
        ("2 Sand", BOLD), ("2.1 Dunes", BOLD), plain, ("2.3 Banks", BOLD), ("2.4 Bars", BOLD)
    ) == [(1, "2 Sand"), (2, "2.1 Dunes"), (2, "2.2 Beaches"), (2, "2.3 Banks"), (2, "2.4 Bars")]


@pytest.mark.parametrize("text", ["2.7 Beaches", "2.2 litres of beaches.", "1.2 Beaches"])
def test_a_line_with_any_other_number_is_text(text: str) -> None:
    found = read(("2 Sand", BOLD), ("2.1 Dunes", BOLD), (text, PLAIN), ("2.3 Banks", BOLD))
    assert found == [(1, "2 Sand"), (2, "2.1 Dunes"), (2, "2.3 Banks")]


def test_nothing_stands_below_the_heading_of_contents() -> None:
    looks = {"Contents": 18, "Weirs": 14, "Fords": 14}
    blocks = []
    for at, (title, size) in enumerate(looks.items()):
        blocks.append(block(title, (100, 100 + 200 * at, 300, 118 + 200 * at), look=style(size)))
        blocks.append(block(SENTENCE, (100, 130 + 200 * at, 500, 190 + 200 * at)))
    document = assemble("doc", [page(1, *blocks)], [], "")
    levels = [item.level for item in document.texts if isinstance(item, SectionHeaderItem)]
    assert len(set(levels)) == 1
    assert len(levels) == len(looks)
