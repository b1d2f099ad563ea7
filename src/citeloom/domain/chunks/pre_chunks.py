"""From runs to pre-chunks: the text of each chunk, packed under its heading context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import ceil
from typing import Protocol

from citeloom.domain.chunks.chunk import ChunkKind, LessonPart
from citeloom.domain.chunks.long_tables import head_rows
from citeloom.domain.chunks.pieces import Piece, TokenBudget, on_their_pages
from citeloom.domain.chunks.runs import HeadingContext, PieceRun, context_cost
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.documents.metadata import MetadataValue

# Filling chunks with pieces: evenly, at paragraph ends where possible, with overlap.

Adjoins = Callable[[Piece, Piece], bool]
"""Whether a piece follows another with nothing between them that is read apart."""

_PARAGRAPH_END_FROM = 0.7
"""A chunk this full of what it aims at ends with the paragraph rather than a sentence later."""


def pack(
    pieces: Sequence[Piece],
    *,
    limit: int,
    overlap: int,
    minimum: int,
    adjoins: Adjoins,
) -> list[list[Piece]]:
    """Divide `pieces` into chunks of at most `limit` tokens, as even as their ends allow.

    Each chunk but the first repeats whole sentences of up to `overlap` tokens from the end of the
    one before, as long as they are on the page it begins on and adjoin; a chunk below `minimum`
    repeats more, also from the one behind, of its own pages first.
    """
    total = sum(piece.tokens for piece in pieces)
    if total <= limit:
        return [list(pieces)] if pieces else []
    room = limit - overlap
    chunks = []
    for start, end in _bounds(pieces, aim=total / ceil(total / room), room=room, limit=limit):
        size = sum(piece.tokens for piece in pieces[start:end])
        if size < minimum:
            chunks.append(_lengthened(pieces, start, end, (minimum, limit)))
            continue
        first, repeat = start, min(overlap, limit - size)
        while first and pieces[first - 1].tokens <= repeat:
            before = pieces[first - 1]
            if before.page != pieces[start].page or not adjoins(before, pieces[first]):
                break
            first -= 1
            repeat -= before.tokens
        while first < start and pieces[first].continues:
            first += 1
        chunks.append(list(pieces[first:end]))
    return chunks


def _bounds(pieces: Sequence[Piece], *, aim: float, room: int, limit: int) -> list[tuple[int, int]]:
    """Even parts, with formulas on the side where their page has text, if they fit there.

    The parts of a long sentence stay together, if they fit into the limit.
    """
    bounds: list[tuple[int, int]] = []
    start = size = 0
    for index, tokens in _sentences(pieces, limit):
        full = size + tokens > room or size >= aim
        at_paragraph_end = pieces[index].opens and size >= _PARAGRAPH_END_FROM * aim
        if size and (full or at_paragraph_end):
            bounds.append((start, index))
            start, size = index, 0
        size += tokens
    bounds.append((start, len(pieces)))
    for index in range(1, len(bounds)):
        (start, bound), (_, end) = bounds[index - 1], bounds[index]
        better = on_their_pages(pieces, bound, start, end)
        sides = (pieces[start:better], pieces[better:end])
        if max(sum(piece.tokens for piece in side) for side in sides) <= room:
            bounds[index - 1], bounds[index] = (start, better), (better, end)
    return bounds


def _sentences(pieces: Sequence[Piece], limit: int) -> list[tuple[int, int]]:
    """Where each sentence begins and its tokens; of one that is over the limit, each part."""
    sentences: list[tuple[int, int]] = []
    for index, piece in enumerate(pieces):
        if piece.continues and sentences and sentences[-1][1] + piece.tokens <= limit:
            first, tokens = sentences[-1]
            sentences[-1] = (first, tokens + piece.tokens)
        else:
            sentences.append((index, piece.tokens))
    return sentences


def _lengthened(
    pieces: Sequence[Piece], start: int, end: int, bounds: tuple[int, int]
) -> list[Piece]:
    """The chunk with pieces before it, or else behind it, until it is long enough, if they fit.

    Those on the page it begins or ends on come first.
    """
    minimum, limit = bounds
    size = sum(piece.tokens for piece in pieces[start:end])
    while size < minimum:
        sides = ((start - 1, pieces[start].page), (end, pieces[end - 1].page))
        fitting = [
            (pieces[index].page != page, index)
            for index, page in sides
            if 0 <= index < len(pieces) and size + pieces[index].tokens <= limit
        ]
        if not fitting:
            break
        _, nearest = min(fitting)
        size += pieces[nearest].tokens
        start, end = min(start, nearest), max(end, nearest + 1)
    return list(pieces[start:end])


# From runs to pre-chunks: the text of each chunk, and its heading context.

_ASIDES = (BlockKind.CAPTION, BlockKind.FOOTNOTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreChunk:
    """A future chunk: its pieces, their text, and the context that is embedded before it.

    `section` is the innermost one that holds all of the text.
    `offsets` are those of the pieces in the text, `tokens` those of the text, `context_tokens`
    those of the context.
    """

    pieces: tuple[Piece, ...]
    offsets: tuple[int, ...]
    kind: ChunkKind
    section: int | None
    text: str
    tokens: int
    context: tuple[str, ...]
    context_tokens: int
    lesson: LessonPart | None = None


def pre_chunks_of(
    result: ConversionResult,
    runs: Sequence[PieceRun],
    contexts: Mapping[int | None, HeadingContext],
    budget: TokenBudget,
) -> list[PreChunk]:
    """The pre-chunks of all runs in reading order."""
    pre_chunks = [each for run in runs for each in _packed(result, run, contexts, budget)]
    return sorted(pre_chunks, key=lambda pre_chunk: pre_chunk.pieces[0].start)


def _packed(
    result: ConversionResult,
    run: PieceRun,
    contexts: Mapping[int | None, HeadingContext],
    budget: TokenBudget,
) -> list[PreChunk]:
    """The run packed into pre-chunks, with a lower limit if the joined texts are too long."""
    limit = room = budget.room(max(contexts[piece.section].tokens for piece in run.body()))
    while True:
        parts = _parts(result, run, limit, budget)
        texts = [text_of(result, pieces) for pieces, _ in parts]
        pre_chunks, longest = [], 0
        for (pieces, apart), (text, offsets), tokens in zip(
            parts, texts, budget.count_all([text for text, _ in texts])
        ):
            section, main = sections_above(result, pieces)
            plain = context = contexts[main]
            if apart:  # the head of the table, which is on another page
                head = (result.plain_text[piece.start : piece.end] for piece in apart)
                titles = (*plain.titles, " ".join(" ".join(head).split()))
                context = HeadingContext(
                    titles=titles, tokens=context_cost(titles, budget.count_all)
                )
            longest = max(longest, tokens + max(context.tokens - plain.tokens, 0))
            pre_chunks.append(
                PreChunk(
                    pieces=tuple(pieces),
                    offsets=offsets,
                    kind=run.kind,
                    section=section,
                    text=text,
                    tokens=tokens,
                    context=context.titles,
                    context_tokens=context.tokens,
                )
            )
        if longest <= room or limit <= 1:
            return pre_chunks
        limit = max(limit - (longest - room), 1)


def _parts(
    result: ConversionResult, run: PieceRun, limit: int, budget: TokenBudget
) -> list[tuple[list[Piece], list[Piece]]]:
    """The run's pieces by chunk. Each repeats the head of its table, its caption and the rows that
    name the columns, if that fills no more than half of it; what of the head is on another page
    comes apart, so that the page span is not extended.
    """
    body, head, caption = run.body(), list[Piece](), list[Piece]()
    heads = list[list[Piece]]()
    if run.kind is ChunkKind.TABLE:
        head = [*takewhile(lambda piece: piece.kind is BlockKind.CAPTION, body)]
        rows = body[len(head) :]
        # below the last part of a long table
        caption = [] if head else [piece for piece in rows if piece.kind is BlockKind.CAPTION][:1]
        texts = [result.plain_text[row.start : row.end] for row in rows]
        count = head_rows(texts)
        head += rows[:count] if len(rows) > count else []
        # the head of a page that the table goes on over
        heads = [
            rows[at : at + count]
            for at in range(count, len(rows) - count)
            if texts[at : at + count] == texts[:count]
        ]
    size = sum(piece.tokens for piece in head)
    if size > limit // 2:
        head, heads, size = [], [], 0

    def adjoins(before: Piece, piece: Piece) -> bool:
        apart = before.kind in _ASIDES or piece.kind in _ASIDES
        return not apart and not result.plain_text[before.end : piece.start].strip()

    overlaps = run.kind is ChunkKind.TEXT
    packed = pack(
        body[len(head) :],
        limit=limit - size,
        overlap=min(budget.policy.overlap_tokens, limit // 4) if overlaps else 0,
        minimum=budget.policy.min_chunk_tokens,
        adjoins=adjoins,
    )
    parts = []
    for index, pieces in enumerate(packed or [[]]):
        pages = {piece.page for piece in (pieces if index else head)}
        here = [piece for piece in head if piece.page in pages]
        if not any(piece.kind is BlockKind.TABLE for piece in here):
            near = (
                rows for rows in heads if rows[0].page in pages and rows[0].start < pieces[0].start
            )
            here += next(near, [])
        named = {
            result.plain_text[piece.start : piece.end] for piece in (*here, *pieces[: len(head)])
        }
        apart = [piece for piece in caption if piece not in pieces]
        apart += [
            piece for piece in head if result.plain_text[piece.start : piece.end] not in named
        ]
        parts.append(([*here, *pieces], apart))
    return parts


def sections_above(
    result: ConversionResult, pieces: Sequence[Piece]
) -> tuple[int | None, int | None]:
    """The innermost section that holds all the text, so that none is cited by another's title, and
    the one that most of it belongs to, whose titles are embedded before it.

    Headings are not counted where there is other text; nor is a little text above the first one
    outside the section that begins below it.
    """
    weights: Counter[int | None] = Counter()
    for piece in [p for p in pieces if p.kind is not BlockKind.HEADING] or pieces:
        weights[piece.section] += max(piece.tokens, 1)
    main = weights.most_common(1)[0][0]
    if main is None:
        return None, None
    return result.section_around({piece.section for piece in pieces} - {None}), main


def text_of(result: ConversionResult, pieces: Sequence[Piece]) -> tuple[str, tuple[int, ...]]:
    """The text of the pieces with the document's white space, and where in it each begins."""
    plain, end = result.plain_text, pieces[0].start
    parts, offsets, length = list[str](), list[int](), 0
    for piece in pieces:
        space = plain[end : piece.start]
        parts += ["\n\n" if space.strip() else space, plain[piece.start : piece.end]]
        offsets.append(length + len(parts[-2]))
        length, end = offsets[-1] + len(parts[-1]), piece.end
    return "".join(parts), tuple(offsets)


# What a chunking strategy is given, and what it gives back.

Metadata = Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """A document divided: pre-chunks in reading order, and the pieces of its body.

    `split` is the number of sections that were divided because they are too long for one chunk;
    `hidden` are the pre-chunks of text that no reader sees, which are kept whatever they are.
    """

    pieces: Sequence[Piece]
    pre_chunks: Sequence[PreChunk]
    split: int = 0
    hidden: Sequence[PreChunk] = ()


class ChunkingStrategy(Protocol):
    """Divides a document into pre-chunks that hold all of its body, none larger than the budget."""

    def __call__(
        self, result: ConversionResult, metadata: Metadata, budget: TokenBudget, /
    ) -> Division:
        """The pre-chunks of the document, of whose front matter `metadata` is known."""
