"""How documents are divided by section, as lessons and after characters, by example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from citeloom.domain.chunks.chunk import Chunk, ChunkKind, Enrichment, LessonType
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.chunks.place_chunks import ChunkedDocument, FilterReason
from citeloom.domain.documents.conversion import BlockKind
from citeloom.domain.documents.metadata import MetadataValue
from citeloom.domain.policies import (
    CharacterParameters,
    ChunkingPolicy,
    LessonParameters,
    SectionParameters,
    StrategyName,
)
from tests.fakes.documents import (
    PAGE_BREAK,
    Part,
    document,
    heading,
    paragraph,
    table,
    told,
    without_pages,
)
from tests.fakes.embedders import PieceCounter

COUNTER = PieceCounter()
SECTIONS = ChunkingPolicy(strategy=StrategyName.SECTIONS, max_tokens=100, overlap_tokens=0)
LESSONS = ChunkingPolicy(
    strategy=StrategyName.LESSONS,
    max_tokens=200,
    overlap_tokens=12,
    lessons=LessonParameters(enrich_below=40, split_code_above=60),
)
CHARACTERS = ChunkingPolicy(
    strategy=StrategyName.CHARACTERS,
    max_tokens=200,
    heading_context=0,
    characters=CharacterParameters(chunk_characters=100, overlap_characters=20),
)
COURSE: dict[str, MetadataValue] = {
    "module": "Module 1",
    "chapter": "Chapter 2",
    "title": "Lesson 3",
}


def code(lines: int) -> Part:
    """Lines of five tokens each."""
    return Part(BlockKind.CODE, "\n".join(f"plot{n} = rye + {n}" for n in range(10, 10 + lines)))


def cut(
    *parts: Part, policy: ChunkingPolicy, metadata: Mapping[str, MetadataValue] | None = None
) -> ChunkedDocument:
    return chunk_document(
        document(*parts),
        policy=policy,
        embedding_model="model",
        special_tokens=COUNTER.special_tokens,
        count_all=COUNTER.count_all,
        metadata=metadata or {},
    )


def told_of(chunks: tuple[Chunk, ...]) -> list[tuple[str | None, LessonType, int, int]]:
    return [
        (
            chunk.section_heading,
            chunk.lesson.section_type,
            chunk.lesson.chunk_index,
            chunk.lesson.total_chunks,
        )
        for chunk in chunks
        if chunk.lesson
    ]


class TestSections:
    def test_each_section_is_a_chunk_however_short(self) -> None:
        chunked = cut(
            heading("Methods"),
            heading("Sampling", 2),
            paragraph(told("Wheat", 3)),
            table("plot | yield", "1 | 7"),
            heading("Aim", 2),
            paragraph("To see."),
            policy=SECTIONS,
        )
        first, second = chunked.chunks
        assert first.text == f"Methods\n\nSampling\n\n{told('Wheat', 3)}\n\nplot | yield\n1 | 7"
        assert (first.section_path, first.kind) == (("Methods", "Sampling"), ChunkKind.TEXT)
        assert (second.text, second.section_heading) == ("Aim\n\nTo see.", "Aim")
        assert (chunked.filtered, chunked.split) == ({}, 0)

    def test_a_section_above_the_limit_is_divided(self) -> None:
        chunked = cut(heading("Methods"), paragraph(told("Wheat", 20)), policy=SECTIONS)
        assert len(chunked.chunks) == 2
        assert {chunk.section_path for chunk in chunked.chunks} == {("Methods",)}
        assert all(chunk.token_count <= 100 for chunk in chunked.chunks)
        assert (chunked.split, chunked.kept_characters) == (1, chunked.body_characters)

    def test_a_title_stands_before_the_first_section(self) -> None:
        (chunk,) = cut(
            Part(BlockKind.TITLE, "On wheat"),
            heading("Methods"),
            paragraph(told("Wheat")),
            policy=SECTIONS,
        ).chunks
        assert chunk.text == f"On wheat\n\nMethods\n\n{told('Wheat')}"
        assert chunk.heading_context == ("On wheat", "Methods")

    def test_headings_alone_are_kept(self) -> None:
        (chunk,) = cut(heading("Methods"), heading("Sampling", 2), policy=SECTIONS).chunks
        assert chunk.text == "Methods\n\nSampling"

    def test_works_cited_stay_apart(self) -> None:
        chunks = cut(
            heading("Methods"),
            paragraph(told("Wheat", 3)),
            heading("References"),
            *(paragraph(f"Fenn, A. (200{n}). On rye. Journal of Rye {n}, 1-9.") for n in range(4)),
            policy=SECTIONS,
        ).chunks
        assert [chunk.kind for chunk in chunks] == [ChunkKind.TEXT, ChunkKind.REFERENCE]

    def test_short_neighbours_are_joined_towards_the_target(self) -> None:
        policy = replace(
            SECTIONS,
            max_tokens=None,
            min_chunk_tokens=10,
            sections=SectionParameters(target_tokens=(30, 60)),
        )
        chunked = cut(
            heading("Methods"),
            paragraph(told("Wheat", 3)),
            heading("Sampling", 2),
            paragraph(told("Rye", 3)),
            heading("Drying", 2),
            paragraph(told("Oat", 5)),
            heading("Results"),
            paragraph(told("Barley", 30)),
            policy=policy,
        )
        *sizes, last = [COUNTER.count(chunk.text) for chunk in chunked.chunks]
        assert chunked.chunks[0].text.endswith(f"Sampling\n\n{told('Rye', 3)}")
        assert chunked.chunks[1].section_heading == "Drying"
        assert all(30 <= size <= 60 for size in sizes)
        assert 10 <= last <= 60
        assert chunked.split == 1

    def test_what_is_below_the_minimum_joins_a_full_neighbour(self) -> None:
        policy = replace(
            SECTIONS,
            max_tokens=None,
            min_chunk_tokens=20,
            sections=SectionParameters(target_tokens=(30, 60)),
        )
        (chunk,) = cut(
            heading("Methods"),
            paragraph(told("Wheat", 7)),
            heading("Aim", 2),
            paragraph("To see."),
            policy=policy,
        ).chunks
        assert chunk.text.endswith("Aim\n\nTo see.")
        assert 60 < chunk.token_count <= policy.size == 72

    def test_short_chapters_are_joined_up_to_what_fits(self) -> None:
        policy = replace(
            SECTIONS,
            max_tokens=None,
            min_chunk_tokens=10,
            sections=SectionParameters(target_tokens=(30, 60)),
        )
        chapters = (
            part
            for n in range(1, 9)
            for part in (heading(f"Part {n}", 2), paragraph(told("Wheat", 1 + n % 2)))
        )
        chunks = cut(heading("Handbook"), *chapters, policy=policy).chunks
        sizes = [COUNTER.count(chunk.text) for chunk in chunks]
        assert all(30 <= size <= 60 for size in sizes)
        assert "".join(chunk.text for chunk in chunks).count("seen") == 12

    def test_code_is_marked_where_its_author_did_so(self) -> None:
        parts = (heading("Backups"), code(2), paragraph(told("Rye")), code(1))
        (chunk,) = chunk_document(
            without_pages(document(*parts)),
            policy=SECTIONS,
            embedding_model="model",
            special_tokens=COUNTER.special_tokens,
            count_all=COUNTER.count_all,
        ).chunks
        assert [chunk.text[start:end] for start, end in chunk.code] == [code(2).text, code(1).text]
        assert chunk.is_code(*chunk.code[0])
        assert not chunk.is_code(0, 5)
        start, end = chunk.code[1]
        assert chunk.between(start - 3, end).code == ((3, end - start + 3),)
        assert cut(*parts, policy=SECTIONS).chunks[0].code == ()

    def test_joined_sections_are_cited_by_what_holds_them_all(self) -> None:
        policy = replace(
            SECTIONS,
            max_tokens=None,
            min_chunk_tokens=10,
            sections=SectionParameters(target_tokens=(30, 60)),
        )
        oats = (heading("Oats", 2), paragraph(told("Oat", 2)))
        chapters = (heading("Rye", 2), paragraph(told("Rye", 1)), *oats)
        (below,) = cut(heading("Handbook"), *chapters, policy=policy).chunks
        assert below.section_path == ("Handbook",)
        assert below.sections == (("Handbook", "Rye"), ("Handbook", "Oats"))
        (alone,) = cut(*chapters, policy=policy).chunks
        assert alone.section_path == ()

    def test_what_is_joined_fits_a_small_window(self) -> None:
        policy = replace(
            SECTIONS,
            max_tokens=None,
            min_chunk_tokens=10,
            sections=SectionParameters(target_tokens=(30, 60)),
        ).fitted(40)
        parts = (p for n in range(6) for p in (heading(f"Part {n}"), paragraph(told("Wheat", 2))))
        chunked = cut(*parts, policy=policy)
        assert chunked.split == 0
        assert all(chunk.token_count <= 40 for chunk in chunked.chunks)

    def test_a_section_with_a_table_of_its_own_chunk_size_keeps_it(self) -> None:
        rows = tuple(f"plot {n} | {told('Rye')}" for n in range(6))
        chunks = cut(heading("Yield"), table(*rows), policy=SECTIONS).chunks
        assert [chunk.kind for chunk in chunks] == [ChunkKind.TEXT]
        assert chunks[0].text == "Yield\n\n" + "\n".join(rows)


class TestLessons:
    def test_sections_are_typed_by_title_then_by_code(self) -> None:
        chunks = cut(
            heading("Lesson 3"),
            paragraph(told("Intro")),
            heading("📝 Learning objectives:", 2),
            code(1),
            code(1),
            heading("Sampling", 2),
            heading("By hand", 3),
            paragraph(told("Wheat", 3)),
            heading("Code", 2),
            code(2),
            heading("More code", 3),
            code(2),
            heading("Summaryless", 2),
            code(2),
            policy=LESSONS,
        ).chunks
        assert told_of(chunks) == [
            ("Lesson 3", LessonType.INSTRUCTIONAL, 0, 1),
            ("📝 Learning objectives:", LessonType.STRUCTURAL, 0, 1),
            ("Sampling", LessonType.INSTRUCTIONAL, 0, 1),
            ("Code", LessonType.CODE_HEAVY, 0, 1),
            ("Summaryless", LessonType.INSTRUCTIONAL, 0, 1),
        ]
        assert chunks[2].text == f"Sampling\n\nBy hand\n\n{told('Wheat', 3)}"

    def test_a_short_structural_section_is_embedded_after_its_place_in_the_course(self) -> None:
        parts = heading("Lesson 3"), heading("Summary", 2), paragraph(told("Wheat"))
        (chunk,) = cut(*parts, policy=LESSONS, metadata=COURSE).chunks
        assert chunk.text == f"Summary\n\n{told('Wheat')}"
        assert chunk.heading_context == ("Module 1", "Chapter 2", "Lesson 3", "Summary")
        assert chunk.embedding_text.startswith("Module 1 > Chapter 2 > Lesson 3 > Summary\n")
        assert chunk.token_count == COUNTER.count(chunk.embedding_text) + COUNTER.special_tokens
        assert chunk.lesson is not None
        assert chunk.lesson.enrichment_strategy is Enrichment.CONTEXT_INJECTION

    def test_a_title_is_context_and_no_section(self) -> None:
        title = Part(BlockKind.TITLE, "On wheat")
        parts = title, heading("Summary", 2), paragraph(told("Wheat"))
        (chunk,) = cut(*parts, policy=LESSONS).chunks
        assert chunk.text == f"Summary\n\n{told('Wheat')}"
        assert chunk.heading_context == ("On wheat", "Summary")

    def test_no_other_section_is_enriched(self) -> None:
        chunks = cut(
            heading("Lesson 3"),
            heading("Summary", 2),
            paragraph(told("Wheat", 6)),
            heading("Sampling", 2),
            paragraph(told("Rye")),
            policy=LESSONS,
            metadata=COURSE,
        ).chunks
        assert [chunk.lesson and chunk.lesson.enrichment_strategy for chunk in chunks] == [
            None,
            None,
        ]
        assert all("Module 1" not in chunk.embedding_text for chunk in chunks)

    def test_lists_in_the_metadata_are_one_line(self) -> None:
        policy = replace(LESSONS, lessons=replace(LESSONS.lessons, context_fields=("topics", "x")))
        parts = heading("Summary", 2), paragraph(told("Wheat"))
        (chunk,) = cut(*parts, policy=policy, metadata={"topics": ("rye", "oat")}).chunks
        assert chunk.heading_context == ("rye, oat", "Summary")

    def test_long_code_becomes_overlapping_windows(self) -> None:
        chunked = cut(heading("Code", 2), code(15), code(15), policy=LESSONS)
        chunks = chunked.chunks
        assert told_of(chunks) == [
            ("Code", LessonType.CODE_HEAVY, index, len(chunks)) for index in range(len(chunks))
        ]
        assert len(chunks) > 2
        for before, chunk in zip(chunks, chunks[1:]):
            repeated = chunk.text.splitlines()[0]
            assert repeated in before.text.splitlines()
            assert chunk.lesson is not None
            assert chunk.lesson.enrichment_strategy is Enrichment.OVERLAPPING_WINDOWS
        assert all(chunk.token_count <= 60 for chunk in chunks)
        assert (chunked.split, chunked.kept_characters) == (1, chunked.body_characters)

    def test_code_up_to_its_limit_stays_whole(self) -> None:
        chunked = cut(heading("Code", 2), code(5), code(5), policy=LESSONS)
        assert told_of(chunked.chunks) == [("Code", LessonType.CODE_HEAVY, 0, 1)]

    def test_instruction_is_divided_only_above_the_largest_chunk(self) -> None:
        short = cut(heading("Sampling", 2), paragraph(told("Wheat", 20)), policy=LESSONS)
        long = cut(heading("Sampling", 2), paragraph(told("Wheat", 40)), policy=LESSONS)
        assert (len(short.chunks), short.split) == (1, 0)
        assert (len(long.chunks), long.split) == (2, 1)

    def test_headings_alone_are_kept(self) -> None:
        chunks = cut(heading("Lesson 3"), heading("Summary", 2), policy=LESSONS).chunks
        assert [chunk.text for chunk in chunks] == ["Lesson 3", "Summary"]

    def test_a_section_of_works_cited_is_no_body(self) -> None:
        chunks = cut(
            heading("References", 2),
            *(paragraph(f"Fenn, A. (200{n}). On rye. Journal of Rye {n}, 1-9.") for n in range(4)),
            policy=LESSONS,
        ).chunks
        assert [chunk.kind for chunk in chunks] == [ChunkKind.REFERENCE]


class TestCharacters:
    def test_text_is_divided_at_blank_lines_first(self) -> None:
        parts = [paragraph(told(name)) for name in ("Wheat", "Rye", "Oat", "Barley")]
        chunks = cut(*parts, policy=CHARACTERS).chunks
        assert [chunk.text for chunk in chunks] == [
            "\n\n".join((told("Wheat"), told("Rye"), told("Oat"))),
            told("Barley"),
        ]

    def test_chunks_overlap_by_whole_words(self) -> None:
        chunks = cut(paragraph(told("Wheat", 9)), policy=CHARACTERS).chunks
        for before, chunk in zip(chunks, chunks[1:]):
            shared = max(n for n in range(21) if before.text.endswith(chunk.text[:n]))
            assert 0 < shared <= 20
            assert before.text[-shared - 1] == " "
        assert all(len(chunk.text) <= 100 for chunk in chunks)

    def test_no_chunk_has_text_of_two_pages(self) -> None:
        text = f"{told('Wheat', 2)} {PAGE_BREAK}{told('Rye', 2)}"
        chunks = cut(paragraph(text), policy=CHARACTERS).chunks
        assert [(chunk.page_span, chunk.text) for chunk in chunks] == [
            ((1, 1), told("Wheat", 2)),
            ((2, 2), told("Rye", 2)),
        ]

    def test_what_is_too_long_for_the_model_is_divided_again(self) -> None:
        policy = replace(CHARACTERS, max_tokens=12, overlap_tokens=0, min_chunk_tokens=1)
        chunked = cut(paragraph(told("Wheat", 6)), policy=policy)
        assert all(chunk.token_count <= 12 for chunk in chunked.chunks)
        assert chunked.split == 2
        assert chunked.kept_characters == chunked.body_characters

    def test_the_heading_context_gives_way_to_the_text(self) -> None:
        parts = heading("Methods"), heading("Sampling", 2), paragraph(told("Wheat", 2))
        (wide,) = cut(*parts, policy=replace(CHARACTERS, heading_context=2)).chunks
        tight = replace(
            CHARACTERS, heading_context=2, max_tokens=22, overlap_tokens=0, min_chunk_tokens=1
        )
        (narrow,) = cut(*parts, policy=tight).chunks
        assert wide.heading_context == ("Methods", "Sampling")
        assert narrow.heading_context == ()
        assert narrow.text == wide.text

    def test_works_cited_stay_apart(self) -> None:
        chunks = cut(
            paragraph(told("Wheat")),
            heading("References"),
            *(paragraph(f"Fenn, A. (200{n}). On rye. Journal of Rye {n}, 1-9.") for n in range(4)),
            policy=CHARACTERS,
        ).chunks
        assert {chunk.kind for chunk in chunks} == {ChunkKind.TEXT, ChunkKind.REFERENCE}
        assert all("Fenn" not in c.text for c in chunks if c.kind is ChunkKind.TEXT)

    def test_noise_is_counted_as_left_out(self) -> None:
        chunked = cut(paragraph("=" * 60), paragraph(told("Wheat", 3)), policy=CHARACTERS)
        assert chunked.filtered == {FilterReason.LOW_SIGNAL: 1}


@pytest.mark.parametrize("strategy", StrategyName)
def test_an_estimate_is_called_one(strategy: StrategyName) -> None:
    result = document(heading("Methods"), paragraph(told("Wheat", 9)))
    for is_estimate in (False, True):
        chunked = chunk_document(
            result,
            policy=ChunkingPolicy(strategy=strategy),
            embedding_model="model",
            special_tokens=2,
            count_all=COUNTER.count_all,
            is_estimate=is_estimate,
        )
        assert [chunk.token_count_estimated for chunk in chunked.chunks] == [is_estimate]
