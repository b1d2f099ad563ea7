"""What a converted document must be, whoever made it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    Box,
    Fragment,
    Heading,
)
from tests.fakes.documents import document, heading, paragraph

BOX = Box(left=0.0, top=0.0, right=10.0, bottom=10.0)
PAPER = document(
    heading("Methods", 1),
    heading("Sampling", 2),
    paragraph("We sampled \fwheat."),
)


def fragment(start: int, end: int, page: int = 1) -> Fragment:
    return Fragment(page=page, box=BOX, start=start, end=end)


def block(*fragments: Fragment, section: int | None = None) -> Block:
    return Block(kind=BlockKind.PARAGRAPH, fragments=fragments, section=section)


@pytest.mark.parametrize(
    ("right", "bottom"), [(-1.0, 10.0), (10.0, -1.0)], ids=["left of itself", "above itself"]
)
def test_a_box_is_not_inside_out(right: float, bottom: float) -> None:
    with pytest.raises(ValueError, match="sides swapped"):
        Box(left=0.0, top=0.0, right=right, bottom=bottom)


def test_a_box_may_be_a_line() -> None:
    assert Box(left=1.0, top=2.0, right=1.0, bottom=2.0).right == 1.0


def test_pages_are_counted_from_one() -> None:
    with pytest.raises(ValueError, match="counted from 1"):
        fragment(0, 5, page=0)


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (3, 3), (5, 3)])
def test_a_fragment_spans_characters(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="span characters"):
        fragment(start, end)


def test_a_block_has_fragments() -> None:
    with pytest.raises(ValueError, match="at least one"):
        block()


@pytest.mark.parametrize("second", [6, 4], ids=["gap", "overlap"])
def test_the_fragments_of_a_block_follow_one_another_without_a_gap(second: int) -> None:
    with pytest.raises(ValueError, match="contiguous"):
        block(fragment(0, 5), fragment(second, 9, page=2))


def test_a_block_reaches_from_its_first_fragment_to_its_last() -> None:
    whole = block(fragment(3, 5), fragment(5, 9, page=2))
    assert (whole.start, whole.end) == (3, 9)


def test_heading_levels_are_counted_from_one() -> None:
    with pytest.raises(ValueError, match="levels"):
        Heading(level=0, title="Methods", page=1, start=0)


def test_a_heading_has_a_title() -> None:
    with pytest.raises(ValueError, match="title"):
        Heading(level=1, title=" \n", page=1, start=0)


def test_the_text_of_a_block_is_what_stands_between_its_bounds() -> None:
    assert [PAPER.text_of(b) for b in PAPER.blocks] == ["Methods", "Sampling", "We sampled wheat."]


def test_a_section_path_leads_from_the_root_to_the_leaf() -> None:
    assert PAPER.section_path(1) == ("Methods", "Sampling")
    assert PAPER.section_path(0) == ("Methods",)
    assert PAPER.section_path(None) == ()


def test_a_conversion_names_its_document() -> None:
    with pytest.raises(ValueError, match="have a document id"):
        replace(PAPER, doc_id="")


@pytest.mark.parametrize("page", [0, 3])
def test_the_page_map_knows_no_page_outside_the_document(page: int) -> None:
    with pytest.raises(ValueError, match=f"page {page} is outside"):
        replace(PAPER, page_map={page: (0, 1)})


@pytest.mark.parametrize("span", [(-1, 2), (5, 3), (0, 10_000)])
def test_the_page_map_stays_inside_the_text(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="outside the text"):
        replace(PAPER, page_map={1: span})


def test_a_page_may_hold_no_text() -> None:
    assert replace(PAPER, page_map={1: (4, 4)}).page_map == {1: (4, 4)}


def test_blocks_stand_in_reading_order_and_do_not_overlap() -> None:
    with pytest.raises(ValueError, match="out of order"):
        replace(PAPER, blocks=PAPER.blocks[::-1])
    twice = (block(fragment(0, 5)), block(fragment(4, 8)))
    with pytest.raises(ValueError, match="overlap"):
        replace(PAPER, blocks=twice)


@pytest.mark.parametrize("section", [-1, 2])
def test_a_block_names_a_heading_there_is(section: int) -> None:
    stray = (block(fragment(0, 5), section=section),)
    with pytest.raises(ValueError, match=f"heading {section}"):
        replace(PAPER, blocks=stray)


def test_a_block_stands_on_a_page_of_the_document() -> None:
    with pytest.raises(ValueError, match="page 3"):
        replace(PAPER, blocks=(block(fragment(0, 5, page=3)),))


def test_a_block_ends_with_the_text_at_the_latest() -> None:
    beyond = (block(fragment(0, len(PAPER.plain_text) + 1)),)
    with pytest.raises(ValueError, match="past the end of the text"):
        replace(PAPER, blocks=beyond)


@pytest.mark.parametrize("parent", [1, 2, -1], ids=["itself", "a later one", "none"])
def test_a_heading_comes_after_its_parent(parent: int) -> None:
    stray = Heading(level=2, title="Sampling", page=1, start=9, parent=parent)
    with pytest.raises(ValueError, match="after its parent"):
        replace(PAPER, headings=(PAPER.headings[0], stray))


@pytest.mark.parametrize("level", [1, 2])
def test_a_heading_is_deeper_than_its_parent(level: int) -> None:
    parent = Heading(level=2, title="Methods", page=1, start=0)
    child = Heading(level=level, title="Sampling", page=1, start=9, parent=0)
    with pytest.raises(ValueError, match="deeper"):
        replace(PAPER, headings=(parent, child))


def test_levels_may_be_skipped_on_the_way_down() -> None:
    deep = Heading(level=4, title="Sampling", page=1, start=9, parent=0)
    assert replace(PAPER, headings=(PAPER.headings[0], deep)).section_path(1)[-1] == "Sampling"
