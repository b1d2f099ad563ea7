"""The strategy `characters`: text divided at blank lines, lines and words, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from citeloom.domain.chunk import ChunkKind
from citeloom.domain.chunking.budget import TokenBudget
from citeloom.domain.chunking.drafts import Draft, section_of
from citeloom.domain.chunking.heading_context import HeadingContext, contexts_of, fitted_context
from citeloom.domain.chunking.pieces import Piece
from citeloom.domain.chunking.recursive_split import Sizes, Span, recursive_split
from citeloom.domain.chunking.strategy import Division, Metadata
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.reference_list import reference_blocks


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
            drafts.extend(_draft(result, stretch, one, contexts, budget) for one in within)
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
