"""The strategy `sections`: the section of a heading is a chunk, as long as it fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from citeloom.domain.chunking.budget import TokenBudget
from citeloom.domain.chunking.drafts import Draft, drafts_of
from citeloom.domain.chunking.heading_context import contexts_of, longest_context
from citeloom.domain.chunking.headings import with_headings
from citeloom.domain.chunking.pieces import Piece, pieces_of
from citeloom.domain.chunking.runs import Run, headings_alone, merge_short, sections_of
from citeloom.domain.chunking.strategy import Division, Metadata
from citeloom.domain.conversion import BlockKind, ConversionResult

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
        drafts.extend(replace(one, section=_around(result, one.pieces)) for one in made)
    return Division(pieces=pieces, drafts=drafts, split=split)


def _around(result: ConversionResult, pieces: Sequence[Piece]) -> int | None:
    """The innermost section that holds all the pieces, so that none is cited by another's title."""
    first, *others = (_chain(result, piece.section) for piece in pieces)
    return next((one for one in first if all(one in chain for chain in others)), None)


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


def _joined(runs: list[Run], target: tuple[int, int], least: int, room: int) -> list[Run]:
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
    high: int, low: int, runs: Sequence[Run], neighbours: Callable[[Run, Run], bool]
) -> list[Run]:
    joined: list[Run] = []
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
