"""Sections and paragraphs as the places of a document that has no pages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.documents.conversion import BlockKind, Box, ConversionResult, Fragment, Heading
from citeloom.domain.documents.sections import Paragraph, numbered_paragraphs, section_names
from citeloom.domain.policies import ChunkingPolicy
from tests.fakes.documents import (
    Part,
    document,
    heading,
    paragraph,
    table,
    without_pages,
)
from tests.fakes.embedders import PieceCounter

COUNTER = PieceCounter()


def headings(*titles: str) -> list[Heading]:
    """Headings of the levels their marks have: `#` for the first, `##` for the second."""
    marked = [title.partition(" ") for title in titles]
    parts = [heading(title, len(marks)) for marks, _, title in marked]
    return list(document(*parts).headings)


def chunks_of(result: ConversionResult, *, least: int = 1) -> tuple[Chunk, ...]:
    return chunk_document(
        result,
        policy=ChunkingPolicy(max_tokens=40, overlap_tokens=6, min_chunk_tokens=least),
        embedding_model="model",
        special_tokens=COUNTER.special_tokens,
        count_all=COUNTER.count_all,
    ).chunks


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (["# Goals", "## Ours", "## Theirs", "# Ends"], ["1", "1.1", "1.2", "2"]),
        (
            ["# Abstract", "# 1 Aims", "# 2. Methods", "## 2.1 Wheat", "## Rye", "### Why"],
            ['"Abstract"', "1", "2", "2.1", '2 "Rye"', '2 "Why"'],
        ),
        (["# I. Aims", "# II. Ends", "# Appendix A: Data"], ["I", "II", "A"]),
        (["# Chapter 1", "# Chapter 2"], ["1", "2"]),
        (["# 3 ways to sow", "# Harvest"], ["1", "2"]),
        (["# 1998", "# 1999"], ["1", "2"]),
        (["# 1 Sow", "# 2 Reap", "# 2 Rest"], ["1", '"2 Reap"', '"2 Rest"']),
        (["# A method", "# A result"], ["1", "2"]),
        ([], []),
    ],
)
def test_a_section_goes_by_its_number_else_by_its_title_or_its_place(
    titles: list[str], names: list[str]
) -> None:
    assert section_names(headings(*titles)) == tuple(names)


def test_paragraphs_are_counted_in_the_innermost_section_without_headings() -> None:
    result = without_pages(
        document(
            Part(BlockKind.TITLE, "On wheat"),
            paragraph("Barley."),
            heading("Aims"),
            paragraph("Wheat."),
            table("a | b"),
            heading("Ends", 2),
            Part(BlockKind.LIST_ITEM, "Rye."),
        )
    )
    found = [(one.section, one.number, counted) for one, counted in numbered_paragraphs(result)]
    assert found == [
        ("", 1, False),
        ("", 1, True),
        ("1", 1, False),
        ("1", 1, True),
        ("1", 2, True),
        ("1.1", 1, False),
        ("1.1", 1, True),
    ]


def test_a_chunk_over_two_sections_says_where_it_begins_and_ends() -> None:
    result = without_pages(
        document(
            heading("Aims"),
            paragraph("Wheat was sown."),
            paragraph("Rye was sown."),
            heading("Ends"),
            paragraph("Both were reaped."),
        )
    )
    (chunk,) = chunks_of(result, least=8)
    assert chunk.page_span is None
    assert chunk.boxes == ()
    assert chunk.paragraphs == (
        Paragraph(section="1", number=1),
        Paragraph(section="2", number=1),
    )


def test_a_title_alone_stands_over_the_first_paragraph() -> None:
    (chunk,) = chunks_of(without_pages(document(Part(BlockKind.TITLE, "On wheat"))))
    assert chunk.paragraphs == (Paragraph(section="", number=1),) * 2


words = st.lists(st.from_regex(r"[a-z]{2,7}", fullmatch=True), min_size=1, max_size=30)
parts = st.one_of(
    words.map(lambda some: paragraph(" ".join(some) + ".")),
    words.map(lambda some: Part(BlockKind.LIST_ITEM, " ".join(some))),
    words.map(lambda some: table(*(f"{word} | {word}" for word in some))),
    st.builds(heading, st.from_regex(r"[A-Z][a-z]{2,7}", fullmatch=True), st.integers(1, 3)),
)


@given(st.lists(parts, min_size=1, max_size=12))
def test_each_chunk_begins_and_ends_in_the_paragraphs_it_names(some: list[Part]) -> None:
    result = without_pages(document(*some))
    by_place = {
        one: result.text_of(block)
        for block, (one, counted) in zip(result.blocks, numbered_paragraphs(result))
        if counted
    }
    titles = {result.text_of(b) for b in result.blocks if b.kind is BlockKind.HEADING}
    for chunk in chunks_of(result):
        assert chunk.paragraphs is not None
        body = [line for line in re.split(r"\n+", chunk.text) if line not in titles]
        if body:
            assert body[0] in by_place[chunk.paragraphs[0]]
            assert body[-1] in by_place[chunk.paragraphs[1]]


def test_a_chunk_stands_on_pages_or_in_paragraphs() -> None:
    (chunk,) = chunks_of(document(paragraph("Wheat was sown.")))
    with pytest.raises(ValueError, match="either pages or paragraphs"):
        replace(chunk, page_span=None)
    with pytest.raises(ValueError, match="either pages or paragraphs"):
        replace(chunk, paragraphs=(Paragraph(section="", number=1),) * 2)


def test_paragraphs_are_counted_from_one() -> None:
    with pytest.raises(ValueError, match="counted from 1"):
        Paragraph(section="1", number=0)


def test_a_box_is_on_a_page() -> None:
    with pytest.raises(ValueError, match="must be on a page"):
        Fragment(box=Box(left=0, top=0, right=1, bottom=1), start=0, end=1)


def test_a_document_has_pages_throughout_or_not_at_all() -> None:
    with_pages = document(paragraph("Wheat."), paragraph("Rye."))
    without = without_pages(with_pages)
    with pytest.raises(ValueError, match="either every block"):
        replace(with_pages, blocks=without.blocks)
    with pytest.raises(ValueError, match="either every block"):
        replace(without, blocks=with_pages.blocks)
    listed = replace(with_pages, has_page_list=True, blocks=without.blocks)
    assert not listed.has_layout
    with pytest.raises(ValueError, match="and only there"):
        replace(listed, blocks=with_pages.blocks)
