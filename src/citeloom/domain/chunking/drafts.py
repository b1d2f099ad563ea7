"""From runs to drafts: the text of each chunk, and its heading context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from citeloom.domain.chunk import ChunkKind
from citeloom.domain.chunking.budget import CountAll, TokenBudget
from citeloom.domain.chunking.heading_context import HeadingContext, context_cost
from citeloom.domain.chunking.packing import pack
from citeloom.domain.chunking.pieces import Piece
from citeloom.domain.chunking.runs import Run
from citeloom.domain.conversion import BlockKind, ConversionResult
from citeloom.domain.lesson import LessonPart

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
    runs: Sequence[Run],
    contexts: Mapping[int | None, HeadingContext],
    budget: TokenBudget,
) -> list[Draft]:
    """The drafts of all runs in reading order."""
    drafts = [draft for run in runs for draft in _packed(result, run, contexts, budget)]
    return sorted(drafts, key=lambda draft: draft.pieces[0].start)


def _packed(
    result: ConversionResult,
    run: Run,
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


def _parts(result: ConversionResult, run: Run, limit: int, budget: TokenBudget) -> Iterator[_Part]:
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


def _repeated_head(run: Run, limit: int) -> list[Piece]:
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
