"""From pre-chunks to chunks: filtering, numbers, ids and places."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from citeloom.domain.chunks.chunk import Chunk, ChunkKind, PageBox, SectionType, chunk_id
from citeloom.domain.chunks.coverage import ChunkCoverage
from citeloom.domain.chunks.pieces import Piece, TokenBudget
from citeloom.domain.chunks.pre_chunks import Division, PreChunk, text_of
from citeloom.domain.documents.conversion import (
    BlockKind,
    ConversionResult,
    Doubt,
    Fragment,
    LostWords,
    SourcePlace,
    SourceRun,
)
from citeloom.domain.documents.printed_pages import span_labels
from citeloom.domain.documents.quality import (
    code_signal,
    listing_signal,
    passage_signal,
    signal_to_noise,
    visible_characters,
)
from citeloom.domain.documents.sections import Paragraph, numbered_paragraphs
from citeloom.domain.policies import ChunkingPolicy

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
        self._blocks = result.blocks
        self._has_layout = result.has_layout
        self._block_starts = [block.start for block in result.blocks]
        self._runs = result.source_runs
        self._run_starts = [run.start for run in result.source_runs]
        self._paragraphs = numbered_paragraphs(result)

    def _fragments_of(self, start: int, end: int) -> list[Fragment]:
        """The fragments that share a character with `[start, end)`, in order.

        `start` must lie in a fragment.
        """
        first = bisect_right(self._starts, start) - 1
        return self._fragments[first : bisect_left(self._starts, end)]

    def span(self, pieces: Iterable[Piece]) -> tuple[int, int] | None:
        """The first and the last page any of the pieces has a character on; None where that of any
        character is not known.
        """
        pages = [f.page for p in pieces for f in self._fragments_of(p.start, p.end)]
        known = [page for page in pages if page is not None]
        return (min(known), max(known)) if known and len(known) == len(pages) else None

    def page_starts(self, pieces: Sequence[Piece], offsets: Sequence[int]) -> tuple[int, ...]:
        """The offset in a chunk's text at which each page but the first begins.

        `offsets` are those of the pieces in the text. Empty for a single page, and where the text
        goes back to an earlier page.
        """
        if self.span(pieces) is None:
            return ()
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
        touched = [block for p in pieces for block in self._blocks_of(p.start, p.end)]
        counted = [block for block in touched if self._paragraphs[block][1]] or touched
        return self._paragraphs[min(counted)][0], self._paragraphs[max(counted)][0]

    def _blocks_of(self, start: int, end: int) -> range:
        first = bisect_right(self._block_starts, start) - 1
        return range(first, bisect_left(self._block_starts, end))

    def source(self, start: int, end: int) -> SourcePlace | None:
        """The smallest part of the file that holds characters `[start, end)` of the plain text,
        where that is known.

        Marks at an end of a block, such as a bullet, belong to it; those within belong to the
        word they touch.
        """
        blocks = self._blocks_of(start, end)
        first, last = self._blocks[blocks[0]], self._blocks[blocks[-1]]
        if first.source is None or last.source is None:
            return None
        begins, ends = first.source.start_position, last.source.end_position
        if start > first.start:
            run = self._run_of(start - 1)
            begins = run.source_start + start - run.start if run.is_verbatim else run.source_end
        if end < last.end:
            run = self._run_of(end)
            ends = run.source_start + (end - run.start if run.is_verbatim else 0)
        return SourcePlace(start_position=begins, end_position=ends)

    def _run_of(self, position: int) -> SourceRun:
        return self._runs[bisect_right(self._run_starts, position) - 1]

    def section_type(self, pieces: Iterable[Piece]) -> SectionType:
        """What most of the pieces' characters are; headings only count where all are."""
        weights: Counter[SectionType] = Counter()
        for piece in pieces:
            for index in self._blocks_of(piece.start, piece.end):
                block = self._blocks[index]
                length = min(block.end, piece.end) - max(block.start, piece.start)
                weights[_SECTION_TYPES.get(block.kind, SectionType.PARAGRAPH)] += length
        if len(weights) > 1:
            del weights[SectionType.HEADING]
        return weights.most_common(1)[0][0]

    def doubts(self, pieces: Iterable[Piece]) -> tuple[Doubt, ...]:
        """What speaks against the words of any of the pieces."""
        doubts: set[Doubt] = set()
        for piece in pieces:
            for index in self._blocks_of(piece.start, piece.end):
                doubts.update(self._blocks[index].doubts)
        return tuple(doubt for doubt in Doubt if doubt in doubts)

    def code(self, pieces: Sequence[Piece], offsets: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """The spans in a chunk's text that its author marked as code; `offsets` are those of the
        pieces. On pages code is recognised by its layout, as a plot may be, and not marked.
        """
        spans: dict[int, tuple[int, int]] = {}
        for piece, offset in zip(pieces, offsets):
            for index in self._blocks_of(piece.start, piece.end):
                block = self._blocks[index]
                if block.kind is BlockKind.CODE and not self._has_layout:
                    start = offset + max(block.start, piece.start) - piece.start
                    end = offset + min(block.end, piece.end) - piece.start
                    spans[index] = (spans.get(index, (start, end))[0], end)
        return tuple(spans.values())

    def boxes(self, pieces: Iterable[Piece]) -> tuple[PageBox, ...]:
        """The boxes of all fragments the pieces touch, each once, in reading order."""
        touched = {f.start: f for p in pieces for f in self._fragments_of(p.start, p.end)}
        return tuple(
            PageBox(page=f.page, box=f.box)
            for _, f in sorted(touched.items())
            if f.page is not None and f.box is not None
        )


_MARKED = (BlockKind.CODE, BlockKind.TABLE)


class FilterReason(StrEnum):
    """Why a pre-chunk was filtered; entries of reference lists are counted separately."""

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
    parts are those filtered for low signal to noise, without reference lists. `lost_words` are by
    page those in no chunk, whether the conversion lost them or they were filtered.
    """

    chunks: tuple[Chunk, ...]
    filtered: Mapping[FilterReason, int] = field(default_factory=dict)
    body_characters: int = 0
    kept_characters: int = 0
    split: int = 0
    noisy: tuple[NoisyPart, ...] = ()
    lost_words: Mapping[int, LostWords] = field(default_factory=dict)

    @property
    def body_share(self) -> float:
        """The share of the body that is in chunks (1.0 where there is no body)."""
        return self.kept_characters / self.body_characters if self.body_characters else 1.0


@dataclass(frozen=True, slots=True)
class _Assessed:
    """A pre-chunk, its signal to noise, and why it is rejected, if it is."""

    pre_chunk: PreChunk
    ratio: float
    reason: FilterReason | None


def chunks_of(
    result: ConversionResult,
    division: Division,
    budget: TokenBudget,
    *,
    embedding_model: str,
) -> ChunkedDocument:
    """The chunks of the pre-chunks that pass the filters, and their share of the body."""
    assessed = _assessed(result, division.pre_chunks, budget.policy)
    remaining, filtered = _filtered(assessed)
    hidden = [_Assessed(each, signal_to_noise(each.text), None) for each in division.hidden]
    places = FragmentIndex(result)
    coverage = ChunkCoverage(result, [each.pre_chunk for each in remaining])
    losses = coverage.losses()
    chunks = [
        _chunk(result, places, assessment, index, budget, embedding_model)
        for index, assessment in enumerate([*remaining, *hidden])
    ]
    for index in losses.beside:
        chunks[index] = _with_doubt(chunks[index], Doubt.LOSS)
    body = [piece for piece in division.pieces if piece.kind is not BlockKind.HEADING]
    noisy = [
        NoisyPart(
            section_path=result.section_path(assessment.pre_chunk.section),
            page=assessment.pre_chunk.pieces[0].page,
            characters=len(assessment.pre_chunk.text),
            signal_to_noise=round(assessment.ratio, 4),
        )
        for assessment in assessed
        if assessment.reason is FilterReason.LOW_SIGNAL
        and assessment.pre_chunk.kind is not ChunkKind.REFERENCE
    ]
    return ChunkedDocument(
        chunks=tuple(chunks),
        filtered=filtered,
        body_characters=sum(piece.end - piece.start for piece in body),
        kept_characters=coverage.covered(body),
        split=division.split,
        noisy=tuple(noisy),
        lost_words=losses.words,
    )


def _with_doubt(chunk: Chunk, doubt: Doubt) -> Chunk:
    return replace(chunk, doubts=tuple(d for d in Doubt if d in (*chunk.doubts, doubt)))


def _assessed(
    result: ConversionResult, pre_chunks: Sequence[PreChunk], policy: ChunkingPolicy
) -> list[_Assessed]:
    """Each pre-chunk, with its own signal to noise or that of the table it is a part of."""
    assessed = []
    for table in _tables(pre_chunks):
        whole = signal_to_noise("\n".join(part.text for part in table)) if len(table) > 1 else 0.0
        for part in table:
            ratio = max(_signal_to_noise(result, part), whole)
            reason = FilterReason.LOW_SIGNAL if ratio < policy.min_signal_to_noise else None
            is_section = part.section is not None and part.kind is ChunkKind.TEXT
            least = policy.least_tokens(is_section=is_section)
            if part.tokens < least and not policy.keeps_short:
                reason = FilterReason.TOO_SHORT
            assessed.append(_Assessed(part, ratio, reason))
    return assessed


def _tables(pre_chunks: Sequence[PreChunk]) -> list[list[PreChunk]]:
    """The pre-chunks, the parts of one table together and any other alone."""
    tables: list[list[PreChunk]] = []
    for pre_chunk in pre_chunks:
        first, before = pre_chunk.pieces[0], tables[-1][0] if tables else pre_chunk
        goes_on = not first.opens or first.start == before.pieces[0].start
        if tables and goes_on and before.kind is pre_chunk.kind is ChunkKind.TABLE:
            tables[-1].append(pre_chunk)
        else:
            tables.append([pre_chunk])
    return tables


def _signal_to_noise(result: ConversionResult, pre_chunk: PreChunk) -> float:
    """The signal to noise of a pre-chunk, in which what its author marked as code or as a table is
    measured as code, and so is a formula.

    On pages these are recognised by their layout, as a plot may be, and so are measured as a
    listing, or as text.
    """
    by_measure: dict[Callable[[str], float], list[Piece]] = defaultdict(list)
    for piece in pre_chunk.pieces:
        measure: Callable[[str], float] = passage_signal
        if piece.kind is BlockKind.FORMULA or (not result.has_layout and piece.kind in _MARKED):
            measure = code_signal
        elif piece.kind is BlockKind.CODE:
            measure = listing_signal
        by_measure[measure].append(piece)
    signal = visible = 0.0
    for measure, pieces in by_measure.items():
        text, _ = text_of(result, pieces)
        weight = visible_characters(text)
        signal += measure(text) * weight
        visible += weight
    return signal / visible if visible else 0.0


def _filtered(assessed: Sequence[_Assessed]) -> tuple[list[_Assessed], dict[FilterReason, int]]:
    """The pre-chunks to keep, and the number of filtered ones by reason.

    If all are too short, the body is kept, or without a body the references.
    """
    remaining = [assessment for assessment in assessed if assessment.reason is None]
    if all(assessment.reason is FilterReason.TOO_SHORT for assessment in assessed):
        body = [each for each in assessed if each.pre_chunk.kind is not ChunkKind.REFERENCE]
        remaining = body or list(assessed)
    kept = set(map(id, remaining))
    filtered = Counter(
        FilterReason.REFERENCES if each.pre_chunk.kind is ChunkKind.REFERENCE else each.reason
        for each in assessed
        if each.reason is not None and id(each) not in kept
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
    pre_chunk = assessed.pre_chunk
    path = result.section_path(pre_chunk.section)
    paths = dict.fromkeys(result.section_path(piece.section) for piece in pre_chunk.pieces)
    paths.pop((), None)
    span = places.span(pre_chunk.pieces)
    pieces = pre_chunk.pieces
    if pre_chunk.kind is ChunkKind.TABLE:  # without a head that is repeated from the chunk before
        for at in range(len(pieces) - 1, 0, -1):
            if result.plain_text[pieces[at - 1].end : pieces[at].start].strip():
                pieces = pieces[at:]
                break
    source = places.source(min(p.start for p in pieces), max(p.end for p in pieces))
    heading = None if pre_chunk.section is None else result.headings[pre_chunk.section]
    return Chunk(
        id=chunk_id(
            doc_id=result.doc_id,
            page_span=span,
            section_path=path,
            embedding_model=embedding_model,
            index=index,
        ),
        doc_id=result.doc_id,
        text=pre_chunk.text,
        page_span=span,
        paragraphs=None if span else places.paragraphs(pre_chunk.pieces),
        section_path=path,
        sections=() if path in paths and len(paths) == 1 else tuple(paths),
        code=places.code(pre_chunk.pieces, pre_chunk.offsets),
        chunk_idx=index,
        token_count_estimated=budget.is_estimate,
        token_count=pre_chunk.tokens + pre_chunk.context_tokens + budget.special_tokens,
        signal_to_noise=round(assessed.ratio, 4),
        kind=pre_chunk.kind,
        page_labels=span_labels(result.page_labels, span),
        page_starts=places.page_starts(pre_chunk.pieces, pre_chunk.offsets),
        boxes=places.boxes(pre_chunk.pieces),
        heading_context=pre_chunk.context,
        source=source,
        heading_level=heading.level if heading and source else None,
        section_type=places.section_type(pre_chunk.pieces) if source else None,
        lesson=pre_chunk.lesson,
        doubts=places.doubts(pre_chunk.pieces),
    )
