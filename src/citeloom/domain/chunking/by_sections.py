"""The strategy `sections`: the section of a heading is a chunk, as long as it fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeloom.domain.chunking.budget import TokenBudget
from citeloom.domain.chunking.drafts import Draft, drafts_of
from citeloom.domain.chunking.heading_context import contexts_of, longest_context
from citeloom.domain.chunking.headings import with_headings
from citeloom.domain.chunking.pieces import Piece, pieces_of
from citeloom.domain.chunking.runs import Run, headings_alone, merge_short, sections_of
from citeloom.domain.chunking.strategy import Division, Metadata
from citeloom.domain.conversion import BlockKind, ConversionResult
from citeloom.domain.policies import ChunkingPolicy

_KINDS = {
    BlockKind.TITLE: BlockKind.HEADING,
    BlockKind.TABLE: BlockKind.PARAGRAPH,
    BlockKind.CAPTION: BlockKind.PARAGRAPH,
}


def by_sections(result: ConversionResult, _metadata: Metadata, budget: TokenBudget) -> Division:
    """Make each section a chunk, its tables and listings within it.

    A section larger than the limit is divided evenly, at the ends of paragraphs where possible.
    With a target range, neighbours below its lower end are joined up to its upper end, and what is
    divided is aimed at the range; so chunks of other sizes are the exception.
    """
    target = budget.policy.sections.target_tokens
    aimed = budget.up_to(target[1]) if target else budget
    contexts = contexts_of(result, aimed)
    context = longest_context(contexts)
    longest = aimed.longest_piece(context)
    pieces = in_sections(pieces_of(result, limit=longest, count_all=budget.count_all))
    headed = with_headings(pieces, longest)
    runs = _joined(sections_of(result, headed), budget.policy) or headings_alone(headed)
    drafts: list[Draft] = []
    split = 0
    for run in runs:
        fits = run.tokens <= budget.room(context)
        made = drafts_of(result, [run], contexts, budget if fits else aimed)
        split += len(made) > 1
        drafts.extend(made)
    return Division(pieces=pieces, drafts=drafts, split=split)


def in_sections(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with the title as a heading, and tables as parts of the text around them."""
    return [replace(piece, kind=_KINDS.get(piece.kind, piece.kind)) for piece in pieces]


def _joined(runs: list[Run], policy: ChunkingPolicy) -> list[Run]:
    """Neighbours below the target joined while they fit in it, and what is still below the
    minimum joined to any neighbour in the same top-level section; without a target, as they are.
    """
    target = policy.sections.target_tokens
    if target is None:
        return runs
    joined: list[Run] = []
    for run in runs:
        if joined and _fits(joined[-1], run, target):
            joined[-1].absorb(run)
        else:
            joined.append(run)
    return merge_short(joined, policy.min_chunk_tokens, lambda a, b: a.root == b.root)


def _fits(before: Run, run: Run, target: tuple[int, int]) -> bool:
    low, high = target
    alike = before.root == run.root and before.kind is run.kind
    short = min(before.tokens, run.tokens) < low
    return alike and short and before.tokens + run.tokens <= high
