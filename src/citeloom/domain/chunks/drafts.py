"""From runs to drafts: the text of each chunk, packed under its heading context, and the `Strategy`
protocol.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Protocol

from citeloom.domain.chunks.chunk import ChunkKind, LessonPart
from citeloom.domain.chunks.pieces import CountAll, Piece, TokenBudget, on_their_pages
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

    Each chunk but the first repeats whole pieces of up to `overlap` tokens from the end of the
    one before, as long as they are on the page it begins on and adjoin; a chunk below `minimum`
    repeats more, also from the one behind, of its own pages first.
    """
    total = sum(piece.tokens for piece in pieces)
    if total <= limit:
        return [list(pieces)] if pieces else []
    room = limit - overlap
    aim = total / ceil(total / room)
    bounds = _with_formulas(pieces, _bounds(pieces, aim=aim, room=room), room)
    chunks = []
    for start, end in bounds:
        repeat = overlap if start else 0
        own = sum(piece.tokens for piece in pieces[start:end])
        if own < minimum:
            chunks.append(_lengthened(pieces, start, end, (minimum, limit)))
        else:
            first = _overlap_start(pieces, start, min(repeat, limit - own), adjoins)
            chunks.append(list(pieces[first:end]))
    return chunks


def _bounds(pieces: Sequence[Piece], *, aim: float, room: int) -> list[tuple[int, int]]:
    bounds: list[tuple[int, int]] = []
    start = size = 0
    for index, piece in enumerate(pieces):
        full = size + piece.tokens > room or size >= aim
        at_paragraph_end = piece.opens and size >= _PARAGRAPH_END_FROM * aim
        if size and (full or at_paragraph_end):
            bounds.append((start, index))
            start, size = index, 0
        size += piece.tokens
    bounds.append((start, len(pieces)))
    return bounds


def _with_formulas(
    pieces: Sequence[Piece], bounds: Sequence[tuple[int, int]], room: int
) -> list[tuple[int, int]]:
    """The bounds with formulas on the side where their page has text, if they fit there."""
    moved = list(bounds)
    for index in range(1, len(moved)):
        (start, bound), (_, end) = moved[index - 1], moved[index]
        better = on_their_pages(pieces, bound, start, end)
        sides = (pieces[start:better], pieces[better:end])
        if max(sum(piece.tokens for piece in side) for side in sides) <= room:
            moved[index - 1], moved[index] = (start, better), (better, end)
    return moved


def _overlap_start(pieces: Sequence[Piece], start: int, overlap: int, adjoins: Adjoins) -> int:
    first, page = start, pieces[start].page
    while first and pieces[first - 1].tokens <= overlap:
        before = pieces[first - 1]
        if before.page != page or not adjoins(before, pieces[first]):
            break
        first -= 1
        overlap -= before.tokens
    return first


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
        _, taken = min(fitting)
        size += pieces[taken].tokens
        start, end = min(start, taken), max(end, taken + 1)
    return list(pieces[start:end])


# From runs to drafts: the text of each chunk, and its heading context.

_ASIDES = (BlockKind.CAPTION, BlockKind.FOOTNOTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A future chunk: its pieces, their text, and the context that is embedded before it.

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


@dataclass(frozen=True, slots=True)
class _Part:
    """The pieces of one chunk; `apart` is the head of its table where that is on another page."""

    pieces: list[Piece]
    apart: list[Piece]


def drafts_of(
    result: ConversionResult,
    runs: Sequence[PieceRun],
    contexts: Mapping[int | None, HeadingContext],
    budget: TokenBudget,
) -> list[Draft]:
    """The drafts of all runs in reading order."""
    drafts = [draft for run in runs for draft in _packed(result, run, contexts, budget)]
    return sorted(drafts, key=lambda draft: draft.pieces[0].start)


def _packed(
    result: ConversionResult,
    run: PieceRun,
    contexts: Mapping[int | None, HeadingContext],
    budget: TokenBudget,
) -> list[Draft]:
    """The run packed into drafts, with a lower limit if the joined texts are too long."""
    room = budget.room(max(contexts[piece.section].tokens for piece in run.body()))
    limit = room
    while True:
        parts = list(_parts(result, run, limit, budget))
        texts = [text_of(result, part.pieces) for part in parts]
        drafts = []
        longest = 0
        for part, text, tokens in zip(parts, texts, budget.count_all(texts)):
            section = section_of(part.pieces)
            plain = contexts[section]
            context = _with_apart(result, plain, part.apart, budget.count_all)
            longest = max(longest, tokens + max(context.tokens - plain.tokens, 0))
            drafts.append(
                Draft(
                    pieces=tuple(part.pieces),
                    offsets=_offsets(result, part.pieces),
                    kind=run.kind,
                    section=section,
                    text=text,
                    tokens=tokens,
                    context=context.titles,
                    context_tokens=context.tokens,
                )
            )
        if longest <= room or limit <= 1:
            return drafts
        limit = max(limit - (longest - room), 1)


def _parts(
    result: ConversionResult, run: PieceRun, limit: int, budget: TokenBudget
) -> Iterator[_Part]:
    """The run's pieces by chunk, each of which begins with the head of its table."""
    body = run.body()
    head = _repeated_head(run, limit)
    overlaps = run.kind is ChunkKind.TEXT
    packed = pack(
        body[len(head) :],
        limit=limit - _tokens(head),
        overlap=min(budget.policy.overlap_tokens, limit // 4) if overlaps else 0,
        minimum=budget.policy.min_chunk_tokens,
        adjoins=lambda before, piece: _adjoins(result, before, piece),
    )
    for index, pieces in enumerate(packed or [[]]):
        pages = {piece.page for piece in (pieces if index else head)}
        here = [piece for piece in head if piece.page in pages]
        yield _Part([*here, *pieces], [piece for piece in head if piece not in here])


def _adjoins(result: ConversionResult, before: Piece, piece: Piece) -> bool:
    """Whether both are of the running text, with no table or figure between them."""
    apart = before.kind in _ASIDES or piece.kind in _ASIDES
    return not apart and not result.plain_text[before.end : piece.start].strip()


def _repeated_head(run: PieceRun, limit: int) -> list[Piece]:
    """The head of a table; none if it would fill more than half of each chunk."""
    head = _table_head(run.body()) if run.kind is ChunkKind.TABLE else []
    return head if _tokens(head) <= limit // 2 else []


def _tokens(pieces: Sequence[Piece]) -> int:
    return sum(piece.tokens for piece in pieces)


def _table_head(body: list[Piece]) -> list[Piece]:
    """A table's caption and first row, which each part of a long table repeats: in its text if
    they are on the same page, else in its context, so that its page span is not extended.
    """
    captions = [piece for piece in body if piece.kind is BlockKind.CAPTION]
    rows = body[len(captions) :]
    return [*captions, *rows[:1]] if len(rows) > 1 else captions


def section_of(pieces: Sequence[Piece]) -> int | None:
    """The section most of the text belongs to, headings not counted where there is other text."""
    weights: Counter[int | None] = Counter()
    for piece in [p for p in pieces if p.kind is not BlockKind.HEADING] or pieces:
        weights[piece.section] += max(piece.tokens, 1)
    return weights.most_common(1)[0][0]


def _with_apart(
    result: ConversionResult, context: HeadingContext, apart: list[Piece], count_all: CountAll
) -> HeadingContext:
    """The context, followed by pieces from another page."""
    if not apart:
        return context
    titles = (*context.titles, " ".join(text_of(result, apart).split()))
    return replace(context, titles=titles, tokens=context_cost(titles, count_all))


def text_of(result: ConversionResult, pieces: Sequence[Piece]) -> str:
    """The text of the pieces, with the white space between them in the document."""
    plain = result.plain_text
    parts = [plain[pieces[0].start : pieces[0].end]]
    for before, piece in zip(pieces, pieces[1:]):
        parts += [_space(plain, before, piece), plain[piece.start : piece.end]]
    return "".join(parts)


def _offsets(result: ConversionResult, pieces: Sequence[Piece]) -> tuple[int, ...]:
    """Where each piece begins in the text of all."""
    offsets = [0]
    for before, piece in zip(pieces, pieces[1:]):
        space = _space(result.plain_text, before, piece)
        offsets.append(offsets[-1] + before.end - before.start + len(space))
    return tuple(offsets)


def _space(plain: str, before: Piece, piece: Piece) -> str:
    """What stands between two pieces: the document's white space, or a blank line."""
    between = plain[before.end : piece.start]
    return "\n\n" if between.strip() else between


# What a chunking strategy is given, and what it gives back.

Metadata = Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """A document divided: the drafts of its chunks in reading order, and the pieces of its body.

    `split` is the number of sections that were divided because they are too long for one chunk;
    `hidden` are the drafts of text that no reader sees, which are kept whatever they are.
    """

    pieces: Sequence[Piece]
    drafts: Sequence[Draft]
    split: int = 0
    hidden: Sequence[Draft] = ()


class ChunkingStrategy(Protocol):
    """Divides a document into drafts that hold all of its body, none larger than the budget."""

    def __call__(
        self, result: ConversionResult, metadata: Metadata, budget: TokenBudget, /
    ) -> Division:
        """The drafts of the document, of whose front matter `metadata` is known."""
        ...
