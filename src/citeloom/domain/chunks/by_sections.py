"""The strategies `sections`, whose chunks are the sections of headings as long as they fit, and
`lessons`, which gives sections a type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from citeloom.domain.chunks.chunk import ChunkKind, Enrichment, LessonPart, LessonType
from citeloom.domain.chunks.drafts import Division, Draft, Metadata, drafts_of
from citeloom.domain.chunks.pieces import Piece, TokenBudget, pieces_of
from citeloom.domain.chunks.runs import (
    HeadingContext,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonSection:
    """An H2 section, or the text before the first one; `heading` is None without any heading."""

    heading: int | None
    type: LessonType
    run: PieceRun


def lesson_sections(
    result: ConversionResult, pieces: Sequence[Piece], parameters: LessonParameters, longest: int
) -> Iterator[LessonSection]:
    """The sections that have text, in reading order; all of a document of headings alone."""
    has_text = any(piece.kind is not BlockKind.HEADING for piece in pieces)
    for heading, group in groupby(pieces, lambda piece: _heading(result, piece)):
        own = list(group)
        run = _run(own, longest)
        run.merged = not has_text
        if run.tokens or not has_text:
            title = "" if heading is None else result.headings[heading].title
            yield LessonSection(heading=heading, type=section_type(title, own, parameters), run=run)


def section_type(title: str, pieces: Sequence[Piece], parameters: LessonParameters) -> LessonType:
    """By the title first, then by the number of code blocks."""
    words = f" {_words(title)} "
    if any(f" {_words(known)} " in words for known in parameters.structural_titles):
        return LessonType.STRUCTURAL
    blocks = sum(piece.kind is BlockKind.CODE and piece.opens for piece in pieces)
    return LessonType.CODE_HEAVY if blocks >= _CODE_BLOCKS else LessonType.INSTRUCTIONAL


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _heading(result: ConversionResult, piece: Piece) -> int | None:
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
    return PieceRun(root=None, pieces=with_headings(alike, longest), kind=kind)


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
    drafts: list[Draft] = []
    split = 0
    for run in runs:
        fits = run.tokens <= budget.room(context)
        made = drafts_of(result, [run], contexts, budget if fits else aimed)
        split += len(made) > 1
        drafts.extend(replace(part, section=_around(result, part.pieces)) for part in made)
    return Division(pieces=pieces, drafts=drafts, split=split)


def _around(result: ConversionResult, pieces: Sequence[Piece]) -> int | None:
    """The innermost section that holds all the pieces, so that none is cited by another's title."""
    first, *others = (_chain(result, piece.section) for piece in pieces)
    return next((heading for heading in first if all(heading in chain for chain in others)), None)


def _chain(result: ConversionResult, section: int | None) -> list[int]:
    """A section and those around it, the innermost first."""
    chain: list[int] = []
    while section is not None:
        chain.append(section)
        section = result.headings[section].parent
    return chain


def in_sections(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with the title as a heading, and tables as parts of the text around them."""
    return [replace(piece, kind=_KINDS.get(piece.kind, piece.kind)) for piece in pieces]


def _joined(runs: list[PieceRun], target: tuple[int, int], least: int, room: int) -> list[PieceRun]:
    """Neighbours below the target joined while they fit in it, first those of one top-level
    section, then any. What is still below `least` joins a neighbour of its top-level section, or
    any with which it has no more than `room` tokens.
    """
    high = min(target[1], room)
    runs = _up_to(high, target[0], runs, lambda before, run: before.root == run.root)
    runs = merge_short(runs, least, lambda before, run: before.root == run.root)
    runs = _up_to(high, target[0], runs, lambda _before, _run: True)
    return merge_short(runs, least, lambda before, run: before.tokens + run.tokens <= room)


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
    drafts: list[Draft] = []
    split = 0
    for section in lesson_sections(result, pieces, parameters, longest):
        is_code = section.type is LessonType.CODE_HEAVY
        made = _windows(result, section, contexts, code if is_code else budget)
        if _is_short_structural(section, made, parameters.enrich_below):
            known = _values(metadata, parameters.context_fields)
            above = (*title_of(result), *result.section_path(section.heading))
            made = [_enriched(made[0], (*known, *above), budget)]
        split += len(made) > 1
        drafts.extend(made)
    return Division(pieces=pieces, drafts=drafts, split=split)


def _windows(
    result: ConversionResult,
    section: LessonSection,
    contexts: Mapping[int | None, HeadingContext],
    budget: TokenBudget,
) -> list[Draft]:
    """The section as one draft, or as overlapping ones that fit."""
    context = {piece.section: contexts[section.heading] for piece in section.run.pieces}
    drafts = drafts_of(result, [section.run], context, budget)
    done = Enrichment.OVERLAPPING_WINDOWS if len(drafts) > 1 else None
    return [
        replace(
            draft,
            section=section.heading,
            lesson=LessonPart(
                section_type=section.type,
                chunk_index=index,
                total_chunks=len(drafts),
                enrichment_strategy=done,
            ),
        )
        for index, draft in enumerate(drafts)
    ]


def _is_short_structural(section: LessonSection, drafts: list[Draft], least: int) -> bool:
    is_whole = len(drafts) == 1 and drafts[0].tokens < least
    return section.type is LessonType.STRUCTURAL and is_whole


def _values(metadata: Metadata, names: tuple[str, ...]) -> list[str]:
    """The fields that the metadata has, each on one line."""
    values = (metadata.get(name, "") for name in names)
    texts = (", ".join(value) if isinstance(value, tuple) else str(value) for value in values)
    return [line for text in texts if (line := " ".join(text.split()))]


def _enriched(draft: Draft, titles: tuple[str, ...], budget: TokenBudget) -> Draft:
    """The draft with titles embedded before it, each once, as far as they fit."""
    room = budget.room(draft.tokens)
    context = fitted_context(tuple(dict.fromkeys(titles)), room, budget.count_all)
    lesson = draft.lesson and replace(
        draft.lesson, enrichment_strategy=Enrichment.CONTEXT_INJECTION
    )
    return replace(draft, context=context.titles, context_tokens=context.tokens, lesson=lesson)
