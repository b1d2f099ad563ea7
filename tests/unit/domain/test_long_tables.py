"""Tables that go on over pages."""

from __future__ import annotations

import pytest

from citeloom.domain.chunks.chunk import Chunk, ChunkKind
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.chunks.long_tables import continued_tables, head_rows
from citeloom.domain.documents.conversion import BlockKind
from citeloom.domain.policies import ChunkingPolicy
from tests.fakes.documents import (
    PAGE_BREAK,
    Part,
    caption,
    document,
    paragraph,
    table,
    without_pages,
)
from tests.fakes.embedders import PieceCounter

HEAD = "Site | Soil | Yield"


def sites(first: int, last: int) -> list[str]:
    return [f"Site {n} | clay | {n}.5" for n in range(first, last)]


def turned(*rows: str) -> Part:
    """A table at the head of the next page."""
    return table(f"{PAGE_BREAK}{rows[0]}", *rows[1:])


FIRST = table(HEAD, *sites(0, 4))
REPEATED = turned(HEAD, *sites(4, 8))
HEADLESS = turned(*sites(4, 8))
NOTE = Part(BlockKind.FOOTNOTE, "1 Of rye.")
PROSE = paragraph("Farmers of the valley plant rye in September, and storms break the bridges.")

ONE: dict[str, list[Part]] = {
    "with its head repeated": [FIRST, REPEATED],
    "without a head": [FIRST, HEADLESS],
    "with a caption above": [caption("Table 1: Sites"), FIRST, HEADLESS],
    "with a caption below": [FIRST, caption(f"{PAGE_BREAK}Table 1: Sites"), table(*sites(4, 8))],
    "with its caption again": [
        caption("Table 1: Sites"),
        FIRST,
        caption(f"{PAGE_BREAK}Table 1 (continued)"),
        table(*sites(4, 8)),
    ],
    "with a remark between": [FIRST, paragraph("Continued on the next page"), REPEATED],
    "with a footnote between": [FIRST, NOTE, HEADLESS],
}
TWO: dict[str, list[Part]] = {
    "on one page": [FIRST, table(HEAD, *sites(4, 8))],
    "two pages apart": [FIRST, turned(f"{PAGE_BREAK}{HEAD}", *sites(4, 8))],
    "with prose between": [FIRST, PROSE, REPEATED],
    "with remarks between": [FIRST, paragraph("So far."), paragraph("And further."), REPEATED],
    "with a remark between, and no head": [FIRST, paragraph("And further."), HEADLESS],
    "with captions of their own": [
        caption("Table 1: Sites"),
        FIRST,
        caption(f"{PAGE_BREAK}Table 2: Sites"),
        table(HEAD, *sites(4, 8)),
    ],
    "with another head": [FIRST, turned("Field | Crop | Rain", *sites(4, 8))],
    "with other columns": [FIRST, turned("Site 9 | 3.5", "Site 10 | 4.5")],
    "with numbers elsewhere": [FIRST, turned("Site 9 | 3.5 | clay", "Site 10 | 4.5 | loam")],
    "of words": [table("a | b", "clay | loam"), turned("sand | peat", "silt | rock")],
}


@pytest.mark.parametrize("name", ONE)
def test_a_table_goes_on(name: str) -> None:
    made = document(*ONE[name])
    *_, last = (block for block in made.blocks if block.kind is BlockKind.TABLE)
    assert continued_tables(made) == {last.start}
    assert continued_tables(without_pages(made)) == set()


@pytest.mark.parametrize("name", TWO)
def test_two_tables_stay_two(name: str) -> None:
    assert continued_tables(document(*TWO[name])) == set()


def test_a_table_over_three_pages_is_one() -> None:
    parts = (FIRST, HEADLESS, turned(*sites(8, 12)))
    assert len(continued_tables(document(*parts))) == 2


def tables_of(*parts: Part, most: int) -> list[Chunk]:
    counter = PieceCounter()
    chunked = chunk_document(
        document(*parts),
        policy=ChunkingPolicy(max_tokens=most, overlap_tokens=0, min_chunk_tokens=8),
        embedding_model="model",
        special_tokens=counter.special_tokens,
        count_all=counter.count_all,
    )
    return [chunk for chunk in chunked.chunks if chunk.kind is ChunkKind.TABLE]


def test_each_chunk_of_a_long_table_has_its_head_and_caption() -> None:
    below = caption(f"{PAGE_BREAK}Table 1: Sites")
    parts = (FIRST, turned(*sites(4, 16)), below, table(*sites(16, 18)), PROSE)
    first, *others, last = tables_of(*parts, most=90)
    assert first.text.startswith(f"{HEAD}\nSite 0 | clay | 0.5")
    assert first.heading_context == ("Table 1: Sites",)
    assert {chunk.heading_context for chunk in others} == {(f"Table 1: Sites {HEAD}",)}
    assert last.heading_context == (HEAD,)
    assert "Table 1: Sites\n\nSite 16 | clay | 16.5" in last.text
    rows = [row for chunk in (first, *others, last) for row in chunk.text.splitlines()]
    assert sum(row.startswith("Site ") for row in rows) == 18 + 1  # the head, once


def test_a_chunk_that_begins_with_the_head_of_its_page_needs_no_other() -> None:
    first, last = tables_of(FIRST, turned(HEAD, *sites(4, 7)), PROSE, most=50)
    assert last.text.startswith(f"{HEAD}\nSite 4")
    assert (first.heading_context, last.heading_context) == ((), ())


HEADS: dict[str, list[str]] = {
    "names": ["Site | Rye | Oats"],
    "names without that of the sites": ["| Rye | Oats"],
    "names over several columns": ["| Rye |  | Oats |", "Site | Sown | Cut | Sown | Cut"],
    "years below names": ["| Rye |  | Oats |", "Site | 1901 | 1902 | 1901 | 1902"],
    "a title above": ["Yields of the valley", "Site | Rye | Oats"],
    "units below": ["Site | Rye | Oats", "| (kg) | (%)"],
    "names in two lines": ["| Rye in | Oats in", "Site | spring | autumn"],
    "all of these": [
        "Yields",
        "| Rye |  | Oats |",
        "Site | Sown | Cut | Sown | Cut",
        "| kg | % | g | t",
    ],
}


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("below", ["numbers", "a part with a title", "a number that is missing"])
def test_the_rows_that_name_columns_are_the_head(name: str, below: str) -> None:
    head = HEADS[name]
    count = head[-1].count("|")
    rows = [f"Site {n}{f' | {n}.5' * count}" for n in range(9)]
    if below == "a part with a title":
        rows.insert(0, "In the hills")
    elif below == "a number that is missing":
        rows[0] = f"Site 0 | -{' | 0.5' * (count - 1)}"
    assert head_rows([*head, *rows]) == len(head)


@pytest.mark.parametrize(
    ("head", "count"),
    [
        ("Site | Soil", 1),
        ("| Soil | Crop", 1),
        ("Of the valley\nSite | Soil", 2),
        ("| Soil |\nSite | Top | Low", 2),
    ],
)
def test_above_words_only_a_row_with_empty_cells_has_others_below(head: str, count: int) -> None:
    rows = [*head.split("\n"), *("Hill | clay | loam" for _ in range(9))]
    assert head_rows(rows) == count


def test_a_table_of_no_rows_has_no_head() -> None:
    assert head_rows([]) == 0


TWO_LINES = ["| Rye |  | Oats |", "Site | Sown | Cut | Sown | Cut"]


def yields(first: int, last: int) -> list[str]:
    return [f"Site {n} | {n}.5 | 2 | 3 | 4" for n in range(first, last)]


def test_each_chunk_of_a_long_table_has_both_lines_of_its_head() -> None:
    chunks = tables_of(table(*TWO_LINES, *yields(0, 20)), PROSE, most=120)
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.text.splitlines()[:2] == TWO_LINES


def test_a_chunk_has_the_head_of_its_own_page() -> None:
    parts = (table(*TWO_LINES, *yields(0, 4)), turned(*TWO_LINES, *yields(4, 24)), PROSE)
    _, *others = tables_of(*parts, most=120)
    assert len(others) > 2
    for chunk in others:
        assert chunk.page_span == (2, 2)
        assert chunk.text.splitlines()[:2] == TWO_LINES
        assert chunk.heading_context == ()
