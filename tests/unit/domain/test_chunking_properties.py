"""What holds for the chunks of any document under any policy."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import product
from random import Random
from string import ascii_lowercase

from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.domain.chunks.chunk import Chunk, ChunkKind
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.chunks.place_chunks import ChunkedDocument, FilterReason
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.text.tokens import line_spans, sentence_spans
from tests.fakes.documents import PAGE_BREAK, Part, document
from tests.fakes.embedders import PieceCounter

COUNTER = PieceCounter()
modest = settings(max_examples=40, deadline=None, derandomize=True)
KINDS = (
    *(BlockKind.PARAGRAPH,) * 4,
    *(BlockKind.HEADING,) * 3,
    *(BlockKind.TABLE,) * 2,
    BlockKind.CAPTION,
    BlockKind.LIST_ITEM,
    BlockKind.FOOTNOTE,
    BlockKind.FORMULA,
)
NOT_PROSE = (BlockKind.HEADING, BlockKind.TABLE, BlockKind.CAPTION)


@dataclass(frozen=True)
class Cut:
    """A document, the policy it was cut with, and what came out."""

    result: ConversionResult
    policy: ChunkingPolicy
    chunked: ChunkedDocument

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        return self.chunked.chunks


def cut(result: ConversionResult, policy: ChunkingPolicy) -> ChunkedDocument:
    return chunk_document(
        result,
        policy=policy,
        embedding_model="model",
        special_tokens=COUNTER.special_tokens,
        count_all=COUNTER.count_all,
    )


class _Author:
    """Writes by chance, and never the same word twice."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._words = ("".join(letters) for letters in product(ascii_lowercase, repeat=4))
        self._turns = self._random.choice((0.0, 0.0, 0.03))
        self._longest = self._random.choice((3, 12, 60))

    def part(self) -> Part:
        """A block of any kind."""
        kind = self._random.choice(KINDS)
        if kind is BlockKind.HEADING:
            return Part(kind, self._sentence(6), self._random.randint(1, 3))
        sentences = [self._sentence(self._longest) for _ in range(self._random.randint(1, 6))]
        return Part(kind, ("\n" if kind is BlockKind.TABLE else " ").join(sentences))

    def _sentence(self, longest: int) -> str:
        words = [self._word() for _ in range(self._random.randint(1, longest))]
        return " ".join((words[0].capitalize(), *words[1:])) + "."

    def _word(self) -> str:
        word = next(self._words)
        if self._random.random() < self._turns:
            return self._random.choice((f"{word[:2]}{PAGE_BREAK}{word[2:]}", PAGE_BREAK + word))
        return word


documents = st.builds(
    lambda seed, length: document(*(author.part() for author in [_Author(seed)] * length)),
    st.integers(0, 10**6),
    st.integers(1, 14),
)


@st.composite
def policies(draw: st.DrawFn) -> ChunkingPolicy:
    size = draw(st.integers(8, 40) | st.integers(40, 200))
    return ChunkingPolicy(
        max_tokens=size,
        overlap_tokens=draw(st.integers(0, size - 1)),
        heading_context=draw(st.integers(0, 3)),
        min_chunk_tokens=draw(st.integers(1, max(size // 4, 1))),
        min_signal_to_noise=0.0,
    )


cuts = st.builds(
    lambda result, policy: Cut(result, policy, cut(result, policy)), documents, policies()
)


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def pages_of_words(result: ConversionResult) -> dict[str, set[int]]:
    """The pages each word has a letter on."""
    fragments = [f for block in result.blocks for f in block.fragments]
    return {
        match.group().lower(): {
            f.page
            for f in fragments
            if f.page is not None and f.start < match.end() and f.end > match.start()
        }
        for match in re.finditer(r"[A-Za-z]+", result.plain_text)
    }


def roots_of_words(result: ConversionResult) -> dict[str, str]:
    """The top-level heading each word of the body stands under."""
    return {
        word: (result.section_path(block.section) or ("",))[0]
        for block in result.blocks
        for word in words_of(result.text_of(block))
        if block.kind is not BlockKind.HEADING
    }


def words_above_no_text(result: ConversionResult) -> list[str]:
    """The words of headings whose section has no text, which are text themselves."""
    filled = {block.section for block in result.blocks if block.kind is not BlockKind.HEADING}
    above = {heading for section in filled for heading in result.headings_above(section)}
    return [
        word
        for block in result.blocks
        if block.kind is BlockKind.HEADING and block.section not in above
        for word in words_of(result.text_of(block))
    ]


@given(cuts)
@modest
def test_no_chunk_is_longer_than_the_model_reads(made: Cut) -> None:
    for chunk in made.chunks:
        read = COUNTER.count(chunk.embedding_text.replace(" > ", " ")) + COUNTER.special_tokens
        assert read <= chunk.token_count <= made.policy.size

    counts = [COUNTER.count(chunk.text) for chunk in made.chunks]
    least = made.policy.min_chunk_tokens
    assert all(count >= least for count in counts) or all(count < least for count in counts)


@given(cuts)
@modest
def test_chunks_are_numbered_in_reading_order_with_ids_of_their_own(made: Cut) -> None:
    assert [chunk.chunk_idx for chunk in made.chunks] == list(range(len(made.chunks)))
    places = [made.result.plain_text.lower().index(words_of(c.text)[0]) for c in made.chunks]
    assert places == sorted(places)
    assert len({chunk.id for chunk in made.chunks}) == len(made.chunks)


@given(documents, policies())
@modest
def test_the_same_document_is_always_cut_the_same(
    result: ConversionResult, policy: ChunkingPolicy
) -> None:
    assert cut(result, policy) == cut(result, policy)


@given(cuts)
@modest
def test_a_page_span_is_that_of_the_very_words(made: Cut) -> None:
    pages = pages_of_words(made.result)
    for chunk in made.chunks:
        held = set().union(*(pages[word] for word in words_of(chunk.text)))
        assert chunk.page_span == (min(held), max(held))
        assert {box.page for box in chunk.boxes} == held


@given(cuts)
@modest
def test_body_text_is_kept_or_counted_as_filtered(made: Cut) -> None:
    body = set(roots_of_words(made.result))
    body |= set(words_above_no_text(made.result)) if body else set()
    kept = body & {word for chunk in made.chunks for word in words_of(chunk.text)}
    letters = sum(map(len, kept))
    assert letters <= made.chunked.kept_characters <= letters + 2 * len(kept)
    assert sum(map(len, body)) <= made.chunked.body_characters
    assert (kept == body) == (made.chunked.kept_characters == made.chunked.body_characters)
    assert kept == body or sum(made.chunked.filtered.values()) > 0


@given(cuts)
@modest
def test_nothing_is_too_short_where_there_is_enough_text(made: Cut) -> None:
    prose = [b for b in made.result.blocks if b.kind not in NOT_PROSE]
    text = map(made.result.text_of, prose)
    if COUNTER.count(" ".join(text)) >= made.policy.min_chunk_tokens:
        assert FilterReason.TOO_SHORT not in made.chunked.filtered


def sentences_of(result: ConversionResult) -> list[str]:
    """Every sentence, line of a table and heading."""
    found = []
    for block in result.blocks:
        text = result.text_of(block)
        spans = line_spans if block.kind is BlockKind.TABLE else sentence_spans
        found += [text[start:end] for start, end in spans(text)]
    return found


@given(cuts)
@modest
def test_sentences_that_fit_are_never_torn(made: Cut) -> None:
    fitting = made.policy.size // 2 - COUNTER.special_tokens
    whole = [one for one in sentences_of(made.result) if COUNTER.count(one) <= fitting]
    for sentence, chunk in product(whole, made.chunks):
        assert sentence in chunk.text or not set(words_of(sentence)) & set(words_of(chunk.text))


@given(cuts)
@modest
def test_chunks_overlap_by_no_more_than_is_allowed(made: Cut) -> None:
    text = [chunk for chunk in made.chunks if chunk.kind is ChunkKind.TEXT]
    for before, chunk in zip(text, text[1:]):
        shared = set(words_of(before.text))
        own = [word for word in words_of(chunk.text) if word not in shared]
        repeated = chunk.text.lower()[: chunk.text.lower().index(own[0])] if own else chunk.text
        if len(own) >= made.policy.min_chunk_tokens:
            assert COUNTER.count(repeated) <= made.policy.overlap_tokens
            assert " ".join(words_of(before.text)).endswith(" ".join(words_of(repeated)))


@given(cuts)
@modest
def test_no_chunk_joins_two_top_level_sections_that_can_stand_alone(made: Cut) -> None:
    roots = roots_of_words(made.result)
    weights: Counter[str] = Counter()
    for block in made.result.blocks:
        if block.kind not in NOT_PROSE:
            words = made.result.text_of(block)
            weights[roots[words_of(words)[0]]] += COUNTER.count(words)
    for chunk in made.chunks:
        held = {roots[word] for word in words_of(chunk.text) if word in roots}
        assert sum(weights[root] >= made.policy.min_chunk_tokens for root in held) <= 1


@given(cuts)
@modest
def test_the_heading_context_is_the_end_of_the_section_path(made: Cut) -> None:
    for chunk in made.chunks:
        path, context = chunk.section_path, chunk.heading_context
        ends = {path[len(path) - depth :] for depth in range(made.policy.heading_context + 1)}
        has_head = chunk.kind is ChunkKind.TABLE and context[:-1] in ends
        assert context in ends or has_head


@given(cuts)
@modest
def test_a_table_that_can_stand_alone_is_a_chunk_of_its_own(made: Cut) -> None:
    standing, tabular = set[str](), set[str]()
    for block in made.result.blocks:
        text = made.result.text_of(block)
        if block.kind in (BlockKind.TABLE, BlockKind.CAPTION):
            tabular.update(words_of(text))
        if block.kind is BlockKind.TABLE and COUNTER.count(text) >= made.policy.min_chunk_tokens:
            standing.update(words_of(text))
    for chunk in made.chunks:
        held = set(words_of(chunk.text))
        if chunk.kind is ChunkKind.TABLE:
            assert held <= tabular
        else:
            assert not held & standing


@given(cuts)
@modest
def test_each_word_of_a_chunk_is_on_the_page_it_is_said_to_be_on(made: Cut) -> None:
    pages = pages_of_words(made.result)
    for chunk in made.chunks:
        assert chunk.page_span is not None
        assert len(chunk.page_starts) == chunk.page_span[1] - chunk.page_span[0]
        for match in re.finditer(r"[A-Za-z]+", chunk.text):
            on = pages[match.group().lower()]
            assert chunk.pages_between(*match.span()) == (min(on), max(on))
