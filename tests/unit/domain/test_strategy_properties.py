"""What holds for the chunks of any document by any strategy."""

from __future__ import annotations

from bisect import bisect_right

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.chunks.by_characters import Sizes, recursive_split
from citeloom.domain.chunks.chunk import ChunkKind, Enrichment, LessonType
from citeloom.domain.chunks.place_chunks import FilterReason
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.policies import (
    CharacterParameters,
    ChunkingPolicy,
    LessonParameters,
    SectionParameters,
    StrategyName,
)
from tests.fakes.documents import without_pages
from tests.unit.domain.test_chunking_properties import (
    COUNTER,
    Cut,
    cut,
    documents,
    modest,
    pages_of_words,
    words_of,
)

OTHERS = [name for name in StrategyName if name is not StrategyName.HEADINGS]


@st.composite
def policies(draw: st.DrawFn) -> ChunkingPolicy:
    size = draw(st.integers(12, 40) | st.integers(40, 200))
    least = draw(st.integers(1, max(size // 4, 1)))
    low = draw(st.integers(least, size))
    high = draw(st.integers(max(low, 10), size))
    target = draw(st.none() | st.just((low, high)))
    characters = draw(st.integers(20, 600))
    return ChunkingPolicy(
        strategy=draw(st.sampled_from(OTHERS)),
        max_tokens=size,
        overlap_tokens=draw(st.integers(0, size - 1)),
        heading_context=draw(st.integers(0, 3)),
        min_chunk_tokens=least,
        min_signal_to_noise=0.0,
        sections=SectionParameters(target_tokens=target),
        lessons=LessonParameters(
            enrich_below=draw(st.integers(0, 60)),
            split_code_above=draw(st.integers(8, 200)),
            structural_titles=draw(st.sampled_from(((), ("a",), ("Aaaa", "Aaab")))),
        ),
        characters=CharacterParameters(
            chunk_characters=characters,
            overlap_characters=draw(st.integers(0, characters - 1)),
        ),
    )


cuts = st.builds(
    lambda result, paged, policy: _cut(result if paged else without_pages(result), policy),
    documents,
    st.booleans(),
    policies(),
)


def _cut(result: ConversionResult, policy: ChunkingPolicy) -> Cut:
    return Cut(result, policy, cut(result, policy))


@given(cuts)
@modest
def test_every_word_of_the_body_is_in_a_chunk(made: Cut) -> None:
    body = [b for b in made.result.blocks if b.kind is not BlockKind.HEADING]
    letters = "".join("".join(words_of(made.result.text_of(block))) for block in body)
    held = " ".join(chunk.text.lower() for chunk in made.chunks)
    for block in body:
        for word in words_of(made.result.text_of(block)):
            assert word in held or turns_within(word, made.result)
    assert made.chunked.filtered == {}
    if letters:
        assert made.chunked.kept_characters == made.chunked.body_characters


def turns_within(word: str, result: ConversionResult) -> bool:
    """Whether a page turns within a word, where `characters` divides it."""
    return len(pages_of_words(result)[word]) > 1


@given(cuts)
@modest
def test_no_chunk_is_larger_than_its_limit(made: Cut) -> None:
    for chunk in made.chunks:
        counted = COUNTER.count(chunk.embedding_text) + COUNTER.special_tokens
        assert chunk.token_count <= made.policy.size
        assert counted <= chunk.token_count + 2 * len(chunk.heading_context)
        if made.policy.strategy is StrategyName.CHARACTERS:
            assert len(chunk.text) <= made.policy.characters.chunk_characters
        if chunk.lesson and chunk.lesson.section_type is LessonType.CODE_HEAVY:
            assert chunk.token_count <= made.policy.lessons.split_code_above


@given(cuts)
@modest
def test_pages_are_exactly_those_of_the_text(made: Cut) -> None:
    fragments = [f for block in made.result.blocks for f in block.fragments]
    starts = [f.start for f in fragments]
    for chunk in made.chunks:
        if made.result.plain_text.count(chunk.text) != 1 or made.result.page_count == 0:
            continue
        start = made.result.plain_text.index(chunk.text)
        end = start + len(chunk.text) - 1
        first, last = (fragments[bisect_right(starts, at) - 1].page for at in (start, end))
        assert chunk.page_span == (first, last)
        if made.policy.strategy is StrategyName.CHARACTERS:
            assert first == last


@given(cuts)
@modest
def test_text_is_quoted_as_it_stands(made: Cut) -> None:
    for chunk in made.chunks:
        for paragraph in chunk.text.split("\n\n"):
            assert paragraph in made.result.plain_text


@given(cuts)
@modest
def test_the_same_document_gives_the_same_chunks_with_ids_of_their_own(made: Cut) -> None:
    assert cut(made.result, made.policy) == made.chunked
    assert [chunk.chunk_idx for chunk in made.chunks] == list(range(len(made.chunks)))
    assert len({chunk.id for chunk in made.chunks}) == len(made.chunks)


@given(cuts)
@modest
def test_chunks_are_in_reading_order(made: Cut) -> None:
    pages = [chunk.page_span[0] for chunk in made.chunks if chunk.page_span]
    assert pages == sorted(pages)


@given(cuts)
@modest
def test_the_parts_of_a_lesson_section_are_numbered_and_say_how_they_were_made(made: Cut) -> None:
    lessons = [chunk.lesson for chunk in made.chunks if chunk.lesson]
    assert bool(lessons) == (made.policy.strategy is StrategyName.LESSONS)
    split = 0
    for before, part in zip((None, *lessons), lessons):
        index = 0 if before is None or before.chunk_index + 1 == before.total_chunks else None
        assert part.chunk_index == (before.chunk_index + 1 if index is None and before else 0)
        if part.total_chunks > 1:
            assert part.enrichment_strategy is Enrichment.OVERLAPPING_WINDOWS
        elif part.enrichment_strategy is not None:
            assert part.section_type is LessonType.STRUCTURAL
        split += part.total_chunks > 1 and part.chunk_index == 0
    if lessons:
        assert made.chunked.split == split


@given(cuts)
@modest
def test_body_and_works_cited_do_not_mix(made: Cut) -> None:
    assert {chunk.kind for chunk in made.chunks} <= {ChunkKind.TEXT, ChunkKind.REFERENCE}
    assert FilterReason.TOO_SHORT not in made.chunked.filtered


@given(
    st.text("ab \n", max_size=300),
    st.integers(1, 60).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1))),
)
@modest
def test_a_recursive_split_leaves_out_white_space_alone(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    spans = recursive_split(text, (0, len(text)), Sizes(size=size, overlap=overlap))
    covered = {place for start, end in spans for place in range(start, end)}
    assert {place for place, letter in enumerate(text) if not letter.isspace()} <= covered
    assert all(0 < end - start <= size for start, end in spans)
    for (start, end), (next_start, next_end) in zip(spans, spans[1:]):
        assert start < next_start
        assert end < next_end
        assert end - next_start <= overlap
