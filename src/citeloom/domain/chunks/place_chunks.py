"""From drafts to chunks: filtering, numbers, ids and places."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from citeloom.domain.chunks.chunk import Chunk, ChunkKind, PageBox, SectionType, chunk_id
from citeloom.domain.chunks.drafts import Division, Draft
from citeloom.domain.chunks.pieces import Piece, TokenBudget
from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    ConversionResult,
    Doubt,
    Fragment,
    SourcePlace,
    SourceRun,
)
from citeloom.domain.documents.printed_pages import span_labels
from citeloom.domain.documents.quality import code_signal, signal_to_noise, visible_characters
from citeloom.domain.documents.sections import Paragraph, numbered_paragraphs
from citeloom.domain.policies import ChunkingPolicy

# From characters of the plain text back to those of the file it was read from.


class SourceMap:
    """Where the text of a document stands in its file; only for blocks with a `source`."""

    def __init__(self, blocks: Sequence[Block], runs: Sequence[SourceRun]) -> None:
        self._blocks = blocks
        self._starts = [block.start for block in blocks]
        self._runs = runs
        self._run_starts = [run.start for run in runs]

    def place(self, start: int, end: int) -> SourcePlace | None:
        """The smallest part of the file that holds characters `[start, end)` of the plain text.

        Marks at an end of a block, such as a bullet, belong to it; those within belong to the
        word they touch.
        """
        first, last = self._block_of(start), self._block_of(end - 1)
        if first.source is None or last.source is None:
            return None
        begins, ends = first.source.start_position, last.source.end_position
        if start > first.start:
            begins = self._end_of(start - 1)
        if end < last.end:
            ends = self._start_of(end)
        return SourcePlace(start_position=begins, end_position=ends)

    def _block_of(self, position: int) -> Block:
        return self._blocks[bisect_right(self._starts, position) - 1]

    def _run_of(self, position: int) -> SourceRun:
        return self._runs[bisect_right(self._run_starts, position) - 1]

    def _start_of(self, position: int) -> int:
        """Where the character begins in the file."""
        run = self._run_of(position)
        return run.source_start + (position - run.start if run.is_verbatim else 0)

    def _end_of(self, position: int) -> int:
        """Where the character ends in the file."""
        run = self._run_of(position)
        return run.source_start + position - run.start + 1 if run.is_verbatim else run.source_end


# On which pages, or in which paragraphs, the pieces of a chunk stand.

_SECTION_TYPES: Mapping[BlockKind, SectionType] = {
    BlockKind.TITLE: SectionType.HEADING,
    BlockKind.HEADING: SectionType.HEADING,
    BlockKind.LIST_ITEM: SectionType.LIST,
    BlockKind.TABLE: SectionType.TABLE,
    BlockKind.CODE: SectionType.CODE_BLOCK,
}


class FragmentIndex:
    """Finds the fragments of a document that hold given characters."""

    def __init__(self, result: ConversionResult) -> None:
        self._fragments = [f for block in result.blocks for f in block.fragments]
        self._starts = [f.start for f in self._fragments]
        self._labels = result.page_labels
        self._blocks_in_order = result.blocks
        self._source = SourceMap(result.blocks, result.source_runs)
        self._block_starts = [block.start for block in result.blocks]
        self._paragraphs = numbered_paragraphs(result)

    def _fragments_of(self, start: int, end: int) -> list[Fragment]:
        """The fragments that share a character with `[start, end)`, in order.

        `start` must lie in a fragment.
        """
        first = bisect_right(self._starts, start) - 1
        return self._fragments[first : bisect_left(self._starts, end)]

    def span(self, pieces: Iterable[Piece]) -> tuple[int, int] | None:
        """The first and the last page any of the pieces has a character on, if there are pages."""
        fragments = (f for p in pieces for f in self._fragments_of(p.start, p.end))
        pages = [f.page for f in fragments if f.page is not None]
        return (min(pages), max(pages)) if pages else None

    def page_starts(self, pieces: Sequence[Piece], offsets: Sequence[int]) -> tuple[int, ...]:
        """The offset in a chunk's text at which each page but the first begins.

        `offsets` are those of the pieces in the text. Empty for a single page, and where the text
        goes back to an earlier page.
        """
        pages = [
            (offset + max(fragment.start - piece.start, 0), fragment.page)
            for piece, offset in zip(pieces, offsets)
            for fragment in self._fragments_of(piece.start, piece.end)
            if fragment.page is not None
        ]
        numbers = [page for _, page in pages]
        if not numbers or numbers != sorted(numbers):
            return ()
        later = range(numbers[0] + 1, numbers[-1] + 1)
        return tuple(
            next(start for start, page in pages if page >= later_page) for later_page in later
        )

    def paragraphs(self, pieces: Iterable[Piece]) -> tuple[Paragraph, Paragraph]:
        """The first and the last paragraph any of the pieces has a character of."""
        touched = [block for p in pieces for block in self._blocks(p.start, p.end)]
        counted = [block for block in touched if self._paragraphs[block][1]] or touched
        return self._paragraphs[min(counted)][0], self._paragraphs[max(counted)][0]

    def _blocks(self, start: int, end: int) -> range:
        first = bisect_right(self._block_starts, start) - 1
        return range(first, bisect_left(self._block_starts, end))

    def source(self, pieces: Sequence[Piece]) -> SourcePlace | None:
        """The smallest part of the file that holds the pieces, where that is known."""
        return self._source.place(
            min(piece.start for piece in pieces), max(piece.end for piece in pieces)
        )

    def section_type(self, pieces: Iterable[Piece]) -> SectionType:
        """What most of the pieces' characters are; headings only count where all are."""
        weights: Counter[SectionType] = Counter()
        for piece in pieces:
            for index in self._blocks(piece.start, piece.end):
                block = self._blocks_in_order[index]
                length = min(block.end, piece.end) - max(block.start, piece.start)
                weights[_SECTION_TYPES.get(block.kind, SectionType.PARAGRAPH)] += length
        if len(weights) > 1:
            del weights[SectionType.HEADING]
        return weights.most_common(1)[0][0]

    def doubts(self, pieces: Iterable[Piece]) -> tuple[Doubt, ...]:
        """What speaks against the words of any of the pieces."""
        doubts: set[Doubt] = set()
        for piece in pieces:
            for index in self._blocks(piece.start, piece.end):
                block = self._blocks_in_order[index]
                doubts.update(block.doubts)
                if block.kind is BlockKind.FORMULA and block.fragments[0].page is not None:
                    doubts.add(Doubt.FORMULA)
        return tuple(doubt for doubt in Doubt if doubt in doubts)

    def boxes(self, pieces: Iterable[Piece]) -> tuple[PageBox, ...]:
        """The boxes of all fragments the pieces touch, each once, in reading order."""
        touched = {f.start: f for p in pieces for f in self._fragments_of(p.start, p.end)}
        return tuple(
            PageBox(page=f.page, box=f.box)
            for _, f in sorted(touched.items())
            if f.page is not None and f.box is not None
        )

    def labels(self, span: tuple[int, int] | None) -> tuple[str, ...]:
        """The printed label of each page of the span, or none if any has none."""
        return span_labels(self._labels, span)


_MARKED = (BlockKind.CODE, BlockKind.TABLE)


class FilterReason(StrEnum):
    """Why a draft was filtered; entries of reference lists are counted separately."""

    TOO_SHORT = "too_short"
    LOW_SIGNAL = "low_signal_to_noise"
    REFERENCES = "reference_entries"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyPart:
    """Part of a section that was filtered for its low signal to noise, from `page` on where there
    are pages.
    """

    section_path: tuple[str, ...]
    """The headings above."""
    page: int | None
    """Where it begins; null without pages."""
    characters: int
    """How many."""
    signal_to_noise: float
    """The share of words that say something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedDocument:
    """A document's chunks, and how much of its body they hold (both in characters).

    `split` is the number of sections divided because they were too long for one chunk; the `noisy`
    parts are those filtered for low signal to noise, without reference lists.
    """

    chunks: tuple[Chunk, ...]
    filtered: Mapping[FilterReason, int] = field(default_factory=dict)
    body_characters: int = 0
    kept_characters: int = 0
    split: int = 0
    noisy: tuple[NoisyPart, ...] = ()

    @property
    def body_share(self) -> float:
        """The share of the body that is in chunks (1.0 where there is no body)."""
        return self.kept_characters / self.body_characters if self.body_characters else 1.0


@dataclass(frozen=True, slots=True)
class _Assessed:
    """A draft, its signal to noise, and why it is rejected, if it is."""

    draft: Draft
    ratio: float
    reason: FilterReason | None


def chunks_of(
    result: ConversionResult,
    division: Division,
    budget: TokenBudget,
    *,
    embedding_model: str,
) -> ChunkedDocument:
    """The chunks of the drafts that pass the filters, and their share of the body."""
    assessed = [_assessed(result, draft, budget.policy) for draft in division.drafts]
    remaining, filtered = _filtered(assessed)
    places = FragmentIndex(result)
    hidden = [_Assessed(draft, signal_to_noise(draft.text), None) for draft in division.hidden]
    chunks = [
        _chunk(result, places, assessment, index, budget, embedding_model)
        for index, assessment in enumerate([*remaining, *hidden])
    ]
    body = [piece for piece in division.pieces if piece.kind is not BlockKind.HEADING]
    return ChunkedDocument(
        chunks=tuple(chunks),
        filtered=filtered,
        body_characters=sum(piece.end - piece.start for piece in body),
        kept_characters=_covered(
            result.plain_text, body, [assessment.draft for assessment in remaining]
        ),
        split=division.split,
        noisy=tuple(_noisy_parts(result, assessed)),
    )


def _noisy_parts(result: ConversionResult, assessed: Sequence[_Assessed]) -> Iterator[NoisyPart]:
    for assessment in assessed:
        draft = assessment.draft
        if assessment.reason is FilterReason.LOW_SIGNAL and draft.kind is not ChunkKind.REFERENCE:
            yield NoisyPart(
                section_path=result.section_path(draft.section),
                page=next((piece.page for piece in draft.pieces), None),
                characters=len(draft.text),
                signal_to_noise=round(assessment.ratio, 4),
            )


def _covered(text: str, body: Sequence[Piece], drafts: Sequence[Draft]) -> int:
    """How many characters of the body are in the kept drafts, or white space between them."""
    spans = _stretches(
        text, ((piece.start, piece.end) for draft in drafts for piece in draft.pieces)
    )
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    covered = 0
    for piece in body:
        first, last = bisect_right(ends, piece.start), bisect_left(starts, piece.end)
        covered += sum(
            min(end, piece.end) - max(start, piece.start) for start, end in spans[first:last]
        )
    return covered


def _stretches(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, as one where they overlap or nothing but white space is between them."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _assessed(result: ConversionResult, draft: Draft, policy: ChunkingPolicy) -> _Assessed:
    ratio = _ratio(result, draft)
    if draft.tokens < policy.min_chunk_tokens and not policy.keeps_short:
        return _Assessed(draft, ratio, FilterReason.TOO_SHORT)
    low = ratio < policy.min_signal_to_noise
    return _Assessed(draft, ratio, FilterReason.LOW_SIGNAL if low else None)


def _ratio(result: ConversionResult, draft: Draft) -> float:
    """The draft's signal to noise; what its author marked as code or as a table is measured as
    code.

    On pages these are recognised by their layout, as a plot may be, and so are measured as text.
    """
    marked = [piece.kind in _MARKED and piece.page is None for piece in draft.pieces]
    if not any(marked):
        return signal_to_noise(draft.text)
    code, text = (
        "\n".join(
            result.plain_text[piece.start : piece.end]
            for piece, is_code in zip(draft.pieces, marked)
            if is_code is as_code
        )
        for as_code in (True, False)
    )
    weights = visible_characters(code), visible_characters(text)
    signal = code_signal(code) * weights[0] + signal_to_noise(text) * weights[1]
    return signal / sum(weights) if any(weights) else 0.0


def _filtered(assessed: Sequence[_Assessed]) -> tuple[list[_Assessed], dict[FilterReason, int]]:
    """The drafts to keep, and the number of filtered ones by reason.

    If all are too short, the body is kept, or without a body the references.
    """
    remaining = [assessment for assessment in assessed if assessment.reason is None]
    if all(assessment.reason is FilterReason.TOO_SHORT for assessment in assessed):
        body = [
            assessment
            for assessment in assessed
            if assessment.draft.kind is not ChunkKind.REFERENCE
        ]
        remaining = body or list(assessed)
    known = set(map(id, remaining))
    filtered = Counter(
        FilterReason.REFERENCES
        if assessment.draft.kind is ChunkKind.REFERENCE
        else assessment.reason
        for assessment in assessed
        if assessment.reason is not None and id(assessment) not in known
    )
    return remaining, dict(filtered)


def _chunk(
    result: ConversionResult,
    places: FragmentIndex,
    assessed: _Assessed,
    index: int,
    budget: TokenBudget,
    embedding_model: str,
) -> Chunk:
    draft = assessed.draft
    path = result.section_path(draft.section)
    span = places.span(draft.pieces)
    source = places.source(_own_pieces(result, draft))
    heading = None if draft.section is None else result.headings[draft.section]
    return Chunk(
        id=chunk_id(
            doc_id=result.doc_id,
            page_span=span,
            section_path=path,
            embedding_model=embedding_model,
            index=index,
        ),
        doc_id=result.doc_id,
        text=draft.text,
        page_span=span,
        paragraphs=None if span else places.paragraphs(draft.pieces),
        section_path=path,
        chunk_idx=index,
        token_count_estimated=budget.is_estimate,
        token_count=draft.tokens + draft.context_tokens + budget.special_tokens,
        signal_to_noise=round(assessed.ratio, 4),
        kind=draft.kind,
        page_labels=places.labels(span),
        page_starts=places.page_starts(draft.pieces, draft.offsets),
        boxes=places.boxes(draft.pieces),
        heading_context=draft.context,
        source=source,
        heading_level=heading.level if heading and source else None,
        section_type=places.section_type(draft.pieces) if source else None,
        lesson=draft.lesson,
        doubts=places.doubts(draft.pieces),
    )


def _own_pieces(result: ConversionResult, draft: Draft) -> Sequence[Piece]:
    """The pieces without the head of a table that is repeated from the chunk before."""
    pieces = draft.pieces
    if draft.kind is not ChunkKind.TABLE:
        return pieces
    for index in range(len(pieces) - 1, 0, -1):
        if result.plain_text[pieces[index - 1].end : pieces[index].start].strip():
            return pieces[index:]
    return pieces
