"""The strategy `characters`: text divided at blank lines, lines and words, page by page."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.chunks.pieces import Piece, TokenBudget
from citeloom.domain.chunks.pre_chunks import Division, Metadata, PreChunk, sections_above
from citeloom.domain.chunks.runs import HeadingContext, contexts_of, fitted_context
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.sections import reference_blocks

# Division of a text at the coarsest separators that give short enough parts, with overlap.

Span = tuple[int, int]
"""Characters `[start, end)` of a text."""

SEPARATORS = ("\n\n", "\n", " ", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The longest part and the longest overlap, in characters."""

    size: int
    overlap: int


def recursive_split(text: str, span: Span, sizes: Sizes) -> list[Span]:
    """The parts of `text[span]` in order, none longer than `size`, without white space around.

    Each begins with whole pieces of up to `overlap` characters from the end of the one before, and
    none lies within another; no character but white space is left out.
    """
    parts: list[Span] = []
    for raw in _split(text, span, SEPARATORS, sizes):
        bare = text[raw[0] : raw[1]]
        start, end = raw[1] - len(bare.lstrip()), raw[0] + len(bare.rstrip())
        if start >= end or (parts and end <= parts[-1][1]):
            continue
        if parts and start <= parts[-1][0]:
            parts.pop()
        parts.append((start, end))
    return parts


def _split(text: str, span: Span, separators: Sequence[str], sizes: Sizes) -> Iterator[Span]:
    at = next(
        i
        for i, separator in enumerate(separators)
        if not separator or text.find(separator, *span) >= 0
    )
    short: list[Span] = []
    for piece in _pieces(text, span, separators[at]):
        if piece[1] - piece[0] < sizes.size or not separators[at]:
            short.append(piece)
            continue
        yield from _joined(short, sizes)
        short = []
        yield from _split(text, piece, separators[at + 1 :], sizes)
    yield from _joined(short, sizes)


def _pieces(text: str, span: Span, separator: str) -> Iterator[Span]:
    """The stretches between separators, each with the separator before it; else characters."""
    start, end = span
    if not separator:
        yield from ((place, place + 1) for place in range(start, end))
        return
    position = text.find(separator, start, end)
    while position >= 0:
        if position > start:
            yield start, position
        start = position
        position = text.find(separator, start + len(separator), end)
    yield start, end


def _joined(pieces: Sequence[Span], sizes: Sizes) -> Iterator[Span]:
    """Neighbouring pieces joined as long as they fit, the last ones repeated as overlap."""
    window: deque[Span] = deque()
    for piece in pieces:
        if window and piece[1] - window[0][0] > sizes.size:
            yield window[0][0], window[-1][1]
            while window and (
                window[-1][1] - window[0][0] > sizes.overlap or piece[1] - window[0][0] > sizes.size
            ):
                window.popleft()
        window.append(piece)
    if window:
        yield window[0][0], window[-1][1]


def by_characters(result: ConversionResult, _metadata: Metadata, budget: TokenBudget) -> Division:
    """Divide each page, or a document without pages, into chunks of so many characters.

    No chunk has text of two pages, and none mixes body text and entries of a reference list. A
    chunk with too many tokens for the model is divided again, into smaller ones. The heading
    context takes only the room that the text leaves.
    """
    contexts = contexts_of(result, budget)
    listed, text = reference_blocks(result), result.plain_text
    pieces = [
        Piece(
            start=fragment.start,
            end=fragment.end,
            tokens=fragment.end - fragment.start,  # characters
            kind=block.kind,
            page=fragment.page,
            section=block.section,
            opens=fragment is block.fragments[0],
            reference=index in listed,
        )
        for index, block in enumerate(result.blocks)
        for fragment in block.fragments
    ]
    stretches: list[list[Piece]] = []  # with nothing but white space between
    for piece in pieces:
        before = stretches[-1][-1] if stretches else None
        if (
            before is None
            or (before.page, before.reference) != (piece.page, piece.reference)
            or text[before.end : piece.start].strip()
        ):
            stretches.append([])
        stretches[-1].append(piece)
    pre_chunks: list[PreChunk] = []
    split = 0
    for stretch in stretches:
        for spans in _spans(text, stretch, budget):
            split += len(spans) > 1
            pre_chunks += (_pre_chunk(result, stretch, span, contexts, budget) for span in spans)
    return Division(pieces=pieces, pre_chunks=pre_chunks, split=split)


def _spans(text: str, stretch: Sequence[Piece], budget: TokenBudget) -> Iterator[list[Span]]:
    """The spans of chunks, together those that one too long for the model is divided into."""
    parameters, room = budget.policy.characters, budget.room(0)
    sizes = Sizes(size=parameters.chunk_characters, overlap=parameters.overlap_characters)
    whole = recursive_split(text, (stretch[0].start, stretch[-1].end), sizes)
    counts = budget.count_all([text[start:end] for start, end in whole])
    for span, count in zip(whole, counts):
        spans, length, tokens = [span], span[1] - span[0], count
        while tokens > room and length > 1:
            length = min(max(length * room // tokens, 1), length - 1)
            overlap = min(sizes.overlap * length // sizes.size, length - 1)
            spans = recursive_split(text, span, Sizes(size=length, overlap=overlap))
            tokens = max(budget.count_all([text[start:end] for start, end in spans]))
        yield spans


def _pre_chunk(
    result: ConversionResult,
    stretch: Sequence[Piece],
    span: Span,
    contexts: Mapping[int | None, HeadingContext],
    budget: TokenBudget,
) -> PreChunk:
    start, end = span
    text = result.plain_text[start:end]
    pieces = []
    for piece in stretch:
        first, last = max(piece.start, start), min(piece.end, end)
        if first < last:
            pieces.append(replace(piece, start=first, end=last, tokens=last - first))
    section, main = sections_above(result, pieces)
    tokens, context = budget.count_all([text])[0], contexts[main]
    if context.tokens > budget.room(tokens):
        context = fitted_context(context.titles, budget.room(tokens), budget.count_all)
    return PreChunk(
        pieces=tuple(pieces),
        offsets=tuple(piece.start - start for piece in pieces),
        kind=ChunkKind.REFERENCE if stretch[0].reference else ChunkKind.TEXT,
        section=section,
        text=text,
        tokens=tokens,
        context=context.titles,
        context_tokens=context.tokens,
    )
