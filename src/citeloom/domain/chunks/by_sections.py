"""The strategies `sections`, whose chunks are the sections of headings as long as they fit, and
`lessons`, which gives sections a type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

from citeloom.domain.chunks.chunk import ChunkKind, Enrichment, LessonPart, LessonType
from citeloom.domain.chunks.pieces import Piece, TokenBudget, pieces_of
from citeloom.domain.chunks.pre_chunks import Division, Metadata, PreChunk, pre_chunks_of
from citeloom.domain.chunks.runs import (
    PieceRun,
    contexts_of,
    fitted_context,
    headings_alone,
    longest_context,
    merge_short,
    sections_of,
    title_of,
    with_headings,
)
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.policies import LessonParameters

# The sections of a lesson and their types.

_LEVEL = 2
_CODE_BLOCKS = 2
_WORD = re.compile(r"\w+")


def section_type(title: str, pieces: Sequence[Piece], parameters: LessonParameters) -> LessonType:
    """By the title first, then by the number of code blocks."""
    words = f" {_words(title)} "
    if any(f" {_words(structural)} " in words for structural in parameters.structural_titles):
        return LessonType.STRUCTURAL
    blocks = sum(piece.kind is BlockKind.CODE and piece.opens for piece in pieces)
    return LessonType.CODE_HEAVY if blocks >= _CODE_BLOCKS else LessonType.INSTRUCTIONAL


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _h2_above(result: ConversionResult, piece: Piece) -> int | None:
    """The H2 above a piece, else the nearest H1, else the topmost heading."""
    section = piece.section
    while section is not None and result.headings[section].level > _LEVEL:
        above = result.headings[section].parent
        if above is None:
            break
        section = above
    return section


def _run(pieces: Sequence[Piece], longest: int) -> PieceRun:
    """The pieces as one text; of the kind of works cited only if all of it is."""
    body = [piece for piece in pieces if piece.kind is not BlockKind.HEADING]
    cited = bool(body) and all(piece.reference for piece in body)
    alike = [replace(piece, reference=cited) for piece in pieces]
    kind = ChunkKind.REFERENCE if cited else ChunkKind.TEXT
    return PieceRun(pieces=with_headings(alike, longest), kind=kind)


_KINDS = {
    BlockKind.TITLE: BlockKind.HEADING,
    BlockKind.TABLE: BlockKind.PARAGRAPH,
    BlockKind.CAPTION: BlockKind.PARAGRAPH,
}


def by_sections(result: ConversionResult, _metadata: Metadata, budget: TokenBudget) -> Division:
    """Make each section a chunk, its tables and listings within it.

    A section larger than the limit is divided evenly, at the ends of paragraphs where possible.
    With a target range, neighbours below its lower end are joined up to its upper end, those in one
    chapter first, and what is divided is aimed at the range; so chunks of other sizes are the
    exception.
    """
    target = budget.policy.sections.target_tokens
    aimed = budget.up_to(target[1]) if target else budget
    contexts = contexts_of(result, aimed)
    context = longest_context(contexts)
    longest = aimed.longest_piece(context)
    pieces = in_sections(pieces_of(result, limit=longest, count_all=budget.count_all))
    headed = with_headings(pieces, longest)
    sections = sections_of(result, headed)
    if target:
        sections = _joined(sections, target, budget.policy.min_chunk_tokens, budget.room(context))
    runs = sections or headings_alone(headed)
    pre_chunks: list[PreChunk] = []
    split = 0
    for run in runs:
        fits = run.tokens <= budget.room(context)
        parts = pre_chunks_of(result, [run], contexts, budget if fits else aimed)
        split += len(parts) > 1
        pre_chunks.extend(parts)
    return Division(pieces=pieces, pre_chunks=pre_chunks, split=split)


def in_sections(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with the title as a heading, and tables as parts of the text around them."""
    return [replace(piece, kind=_KINDS.get(piece.kind, piece.kind)) for piece in pieces]


def _joined(runs: list[PieceRun], target: tuple[int, int], least: int, room: int) -> list[PieceRun]:
    """Neighbours below the target joined while they fit in it, first those of one top-level
    section, then any. What is still below `least` joins a neighbour of its top-level section, or
    any with which it has no more than `room` tokens.
    """
    high = min(target[1], room)
    runs = _up_to(high, target[0], runs, lambda before, run: before.path[:1] == run.path[:1])
    runs = merge_short(runs, least, sharing=1)
    runs = _up_to(high, target[0], runs, lambda _before, _run: True)
    return merge_short(runs, least, fit=lambda before, run: before.tokens + run.tokens <= room)


def _up_to(
    high: int, low: int, runs: Sequence[PieceRun], neighbours: Callable[[PieceRun, PieceRun], bool]
) -> list[PieceRun]:
    joined: list[PieceRun] = []
    for run in runs:
        before = joined[-1] if joined else None
        if (
            before is not None
            and before.kind is run.kind
            and min(before.tokens, run.tokens) < low
            and before.tokens + run.tokens <= high
            and neighbours(before, run)
        ):
            before.absorb(run)
        else:
            joined.append(run)
    return joined


# The strategy `lessons`: H2 sections, typed, the short ones enriched and the long ones divided.


def as_lesson(result: ConversionResult, metadata: Metadata, budget: TokenBudget) -> Division:
    """Make each H2 section a chunk with its type, and divide those that are too long.

    A short structural section is embedded after the lesson's module, chapter and titles; a
    code-heavy one above its limit, and any above the budget, becomes overlapping windows.
    """
    parameters = budget.policy.lessons
    code = budget.up_to(parameters.split_code_above)
    contexts = contexts_of(result, code)
    longest = code.longest_piece(longest_context(contexts))
    pieces = in_sections(pieces_of(result, limit=longest, count_all=budget.count_all))
    has_text = any(piece.kind is not BlockKind.HEADING for piece in pieces)
    pre_chunks: list[PreChunk] = []
    split = 0
    for heading, group in groupby(pieces, lambda piece: _h2_above(result, piece)):
        section = list(group)
        run = _run(section, longest)
        run.merged = not has_text
        if has_text and not run.tokens:
            continue
        title = "" if heading is None else result.headings[heading].title
        kind = section_type(title, section, parameters)
        context = {piece.section: contexts[heading] for piece in run.pieces}
        limits = code if kind is LessonType.CODE_HEAVY else budget
        windows = pre_chunks_of(result, [run], context, limits)
        overlap = Enrichment.OVERLAPPING_WINDOWS if len(windows) > 1 else None
        for index, window in enumerate(windows):
            lesson = LessonPart(
                section_type=kind,
                chunk_index=index,
                total_chunks=len(windows),
                enrichment_strategy=overlap,
            )
            pre_chunk = replace(window, section=heading, lesson=lesson)
            is_short = len(windows) == 1 and window.tokens < parameters.enrich_below
            if kind is LessonType.STRUCTURAL and is_short:
                pre_chunk = _enriched(result, pre_chunk, lesson, metadata, budget)
            pre_chunks.append(pre_chunk)
        split += len(windows) > 1
    return Division(pieces=pieces, pre_chunks=pre_chunks, split=split)


def _enriched(
    result: ConversionResult,
    pre_chunk: PreChunk,
    lesson: LessonPart,
    metadata: Metadata,
    budget: TokenBudget,
) -> PreChunk:
    """The pre-chunk with fields and titles embedded before it, as far as they fit."""
    values = (metadata.get(name, "") for name in budget.policy.lessons.context_fields)
    texts = (", ".join(value) if isinstance(value, tuple) else str(value) for value in values)
    fields = [line for text in texts if (line := " ".join(text.split()))]
    titles = dict.fromkeys((*fields, *title_of(result), *result.section_path(pre_chunk.section)))
    context = fitted_context(tuple(titles), budget.room(pre_chunk.tokens), budget.count_all)
    return replace(
        pre_chunk,
        context=context.titles,
        context_tokens=context.tokens,
        lesson=replace(lesson, enrichment_strategy=Enrichment.CONTEXT_INJECTION),
    )
