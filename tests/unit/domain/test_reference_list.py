"""Which blocks are entries of a reference list, and what their chunks are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.chunks.place_chunks import FilterReason
from citeloom.domain.documents.conversion import BlockKind
from citeloom.domain.documents.sections import reference_blocks
from tests.fakes.documents import Part, document, heading, paragraph, table, told
from tests.unit.domain.test_chunking import POLICY, cut

SHORT = "Rye, A. (2001). On rye. Field Journal, 3(2), 1-9."
MARKED = "[4] A. Rye. On rye. Proceedings of Fields, pages 3-9, 2001."
ENTRIES = tuple(paragraph(f"Rye, {letter}. (2001). On rye. In: Fields, p. 3.") for letter in "ABCD")
PROSE = paragraph(told("Barley", 8))


def listed(*parts: Part) -> list[int]:
    return sorted(reference_blocks(document(*parts)))


@pytest.mark.parametrize(
    "title",
    [
        "References",
        "8. References",
        "VII. Bibliography",
        "WORKS CITED",
        "Literatur",
        "Literaturverzeichnis",
        "Quellenverzeichnis",
        "Bibliographie",
        "R\u00e9f\u00e9rences bibliographiques",
        "Bibliograf\u00eda",
    ],
)
def test_a_section_is_known_by_its_name(title: str) -> None:
    assert listed(heading("Results"), paragraph("Seen."), heading(title), paragraph(SHORT)) == [
        2,
        3,
    ]


@pytest.mark.parametrize("title", ["Referencing", "Literature review", "References to rye"])
def test_a_section_that_merely_speaks_of_works_is_none(title: str) -> None:
    assert listed(heading(title), paragraph(SHORT), paragraph(MARKED)) == []


def test_sections_within_the_list_belong_to_it_and_those_behind_it_do_not() -> None:
    parts = (
        heading("References"),
        heading("Sources in print", 2),
        paragraph(SHORT),
        heading("Appendix", 2),
        PROSE,
        heading("A.1 Soils", 3),
        PROSE,
    )
    assert listed(*parts) == [0, 1, 2]


def test_tables_and_prose_behind_the_entries_are_body_again() -> None:
    parts = (heading("References"), paragraph(SHORT), table("a | b"), PROSE, PROSE)
    assert listed(*parts) == [0, 1]


def test_an_entry_without_a_year_stays_one_where_entries_follow() -> None:
    assert listed(heading("References"), PROSE, paragraph(MARKED)) == [0, 1, 2]


def test_entries_at_the_end_are_a_list_without_a_heading() -> None:
    assert listed(heading("Results"), PROSE, *ENTRIES) == [2, 3, 4, 5]


def test_a_few_entries_or_entries_in_the_middle_are_no_list() -> None:
    assert listed(heading("Results"), PROSE, *ENTRIES[:3]) == []
    assert listed(heading("Results"), *ENTRIES, PROSE) == []


def test_a_list_has_chunks_of_its_own_however_short_its_neighbours() -> None:
    chunked = cut(
        heading("Results"),
        paragraph(told("Rye")),
        heading("References"),
        paragraph(SHORT),
        paragraph(MARKED),
        heading("Appendix"),
        paragraph(told("Barley")),
        policy=replace(POLICY, max_tokens=80),
    )
    assert [chunk.kind for chunk in chunked.chunks] == [
        ChunkKind.TEXT,
        ChunkKind.REFERENCE,
        ChunkKind.TEXT,
    ]
    assert chunked.chunks[1].text == f"References\n\n{SHORT}\n\n{MARKED}"
    assert chunked.body_share == 1.0


def test_prose_behind_the_list_is_not_in_its_chunks() -> None:
    chunked = cut(heading("References"), paragraph(SHORT), PROSE)
    kinds = {chunk.kind: chunk.text for chunk in chunked.chunks}
    assert kinds[ChunkKind.REFERENCE] == f"References\n\n{SHORT}"
    assert "Rye, A." not in kinds[ChunkKind.TEXT]


def test_entries_that_are_too_short_for_a_chunk_are_counted_apart() -> None:
    chunked = cut(
        heading("Results"), paragraph(told("Rye")), heading("References"), paragraph("A.")
    )
    assert chunked.filtered == {FilterReason.REFERENCES: 1}


def test_a_title_or_caption_is_no_entry() -> None:
    caption = Part(BlockKind.CAPTION, "Figure 1. Rye, 2001.")
    assert listed(heading("References"), paragraph(SHORT), caption, paragraph(MARKED)) == [0, 1, 3]


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 60)), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_no_chunk_mixes_body_and_entries(sections: list[tuple[bool, int]]) -> None:
    parts = []
    for number, (cited, length) in enumerate(sections):
        words = " ".join(f"{'cited' if cited else 'told'} {n}." for n in range(length))
        parts += [heading("References" if cited else f"Part {number}"), paragraph(f"2001 {words}")]
    for chunk in cut(*parts).chunks:
        is_reference = chunk.kind is ChunkKind.REFERENCE
        assert ("cited" in chunk.text, "told" in chunk.text) == (is_reference, not is_reference)
