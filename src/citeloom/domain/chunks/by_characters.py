"""The strategy `characters`: text divided at blank lines, lines and words, page by page."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.chunks.drafts import Division, Draft, Metadata, section_of
from citeloom.domain.chunks.pieces import Piece, TokenBudget
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
        part = _stripped(text, raw)
        if part is None or (parts and part[1] <= parts[-1][1]):
            continue
        if parts and part[0] <= parts[-1][0]:
            parts.pop()
        parts.append(part)
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


def _stripped(text: str, span: Span) -> Span | None:
    """The span without white space at its ends; None where there is nothing else."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def by_characters(result: ConversionResult, _metadata: Metadata, budget: TokenBudget) -> Division:
    """Divide each page, or a document without pages, into chunks of so many characters.

    No chunk has text of two pages, and none mixes body text and entries of a reference list. A
    chunk with too many tokens for the model is divided again, into smaller ones. The heading
    context takes only the room that the text leaves.
    """
    contexts = contexts_of(result, budget)
    pieces = _fragments(result)
    drafts: list[Draft] = []
    split = 0
    for stretch in _stretches(result.plain_text, pieces):
        spans = _spans(result.plain_text, stretch, budget)
        for within in spans:
            split += len(within) > 1
            drafts.extend(_draft(result, stretch, span, contexts, budget) for span in within)
    return Division(pieces=pieces, drafts=drafts, split=split)


def _fragments(result: ConversionResult) -> list[Piece]:
    """Each block's part on a page; what counts as its tokens are characters."""
    listed = reference_blocks(result)
    return [
        Piece(
            start=fragment.start,
            end=fragment.end,
            tokens=fragment.end - fragment.start,
            kind=block.kind,
            page=fragment.page,
            section=block.section,
            opens=fragment is block.fragments[0],
            reference=index in listed,
        )
        for index, block in enumerate(result.blocks)
        for fragment in block.fragments
    ]


def _stretches(text: str, pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Neighbours on the same page with nothing but white space between, works cited apart."""
    stretch: list[Piece] = []
    for piece in pieces:
        if stretch and not _continues(text, stretch[-1], piece):
            yield stretch
            stretch = []
        stretch.append(piece)
    if stretch:
        yield stretch


def _continues(text: str, before: Piece, piece: Piece) -> bool:
    alike = (before.page, before.reference) == (piece.page, piece.reference)
    return alike and not text[before.end : piece.start].strip()


def _spans(text: str, stretch: Sequence[Piece], budget: TokenBudget) -> list[list[Span]]:
    """The spans of the chunks; those that one span too long for the model became are together."""
    parameters = budget.policy.characters
    sizes = Sizes(size=parameters.chunk_characters, overlap=parameters.overlap_characters)
    spans = recursive_split(text, (stretch[0].start, stretch[-1].end), sizes)
    counts = budget.count_all([text[start:end] for start, end in spans])
    return [_fitting(text, span, n, sizes, budget) for span, n in zip(spans, counts)]


def _fitting(text: str, span: Span, tokens: int, sizes: Sizes, budget: TokenBudget) -> list[Span]:
    """The span, or its parts, as small as the model needs them."""
    room, spans = budget.room(0), [span]
    length = span[1] - span[0]
    while tokens > room and length > 1:
        length = min(max(length * room // tokens, 1), length - 1)
        smaller = Sizes(size=length, overlap=min(sizes.overlap * length // sizes.size, length - 1))
        spans = recursive_split(text, span, smaller)
        tokens = max(budget.count_all([text[start:end] for start, end in spans]))
    return spans


def _draft(
    result: ConversionResult,
    stretch: Sequence[Piece],
    span: Span,
    contexts: Mapping[int | None, HeadingContext],
    budget: TokenBudget,
) -> Draft:
    start, end = span
    text = result.plain_text[start:end]
    tokens = budget.count_all([text])[0]
    pieces = tuple(_clipped(stretch, start, end))
    section = section_of(pieces)
    context = contexts[section]
    if context.tokens > budget.room(tokens):
        context = fitted_context(context.titles, budget.room(tokens), budget.count_all)
    return Draft(
        pieces=pieces,
        offsets=tuple(piece.start - start for piece in pieces),
        kind=ChunkKind.REFERENCE if stretch[0].reference else ChunkKind.TEXT,
        section=section,
        text=text,
        tokens=tokens,
        context=context.titles,
        context_tokens=context.tokens,
    )


def _clipped(stretch: Sequence[Piece], start: int, end: int) -> Iterator[Piece]:
    """The parts of the pieces that lie in `[start, end)`."""
    for piece in stretch:
        first, last = max(piece.start, start), min(piece.end, end)
        if first < last:
            yield replace(piece, start=first, end=last, tokens=last - first)
