"""From a converted document to its chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import cast

from citeloom.domain.chunks.by_characters import by_characters
from citeloom.domain.chunks.by_sections import as_lesson, by_sections
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.chunks.pieces import (
    CountAll,
    TokenBudget,
    pieces_of,
    with_formulas_on_their_pages,
)
from citeloom.domain.chunks.place_chunks import ChunkedDocument, chunks_of
from citeloom.domain.chunks.pre_chunks import (
    ChunkingStrategy,
    Division,
    Metadata,
    PreChunk,
    pre_chunks_of,
)
from citeloom.domain.chunks.runs import (
    HeadingContext,
    PieceRun,
    contexts_of,
    longest_context,
    runs_of,
    with_headings,
)
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.policies import ChunkingPolicy, InstalledStrategy, StrategyName

# The strategy `headings`: sections divided evenly, tables and reference lists apart.


def along_headings(result: ConversionResult, _metadata: Metadata, budget: TokenBudget) -> Division:
    """Divide a document along its headings.

    No chunk crosses a top-level section, except that a too short section joins its neighbour; none
    mixes body text and entries of a reference list. Paragraphs and sentences stay whole where they
    fit; a table with its caption is a chunk of its own.
    """
    contexts = contexts_of(result, budget)
    longest = budget.longest_piece(longest_context(contexts))
    pieces = pieces_of(result, limit=longest, count_all=budget.count_all)
    headed = with_formulas_on_their_pages(with_headings(pieces, longest))
    runs = runs_of(result, headed, budget.policy)
    return Division(pieces=pieces, pre_chunks=pre_chunks_of(result, runs, contexts, budget))


# Text that no reader sees, kept apart from the body and in chunks of its own.


def hidden_pre_chunks(result: ConversionResult, budget: TokenBudget) -> list[PreChunk]:
    """The hidden text of a document, that of each page apart, without any heading context."""
    blocks = [block for block in result.blocks if block.kind is BlockKind.HIDDEN]
    if not blocks:
        return []
    hidden = replace(
        result,
        blocks=tuple(replace(block, kind=BlockKind.PARAGRAPH) for block in blocks),
        headings=(),
    )
    pieces = pieces_of(hidden, limit=budget.longest_piece(0), count_all=budget.count_all)
    runs: list[PieceRun] = []
    for piece in (replace(piece, reference=False) for piece in pieces):
        if not runs or runs[-1].pieces[-1].page != piece.page:
            runs.append(PieceRun(kind=ChunkKind.HIDDEN))
        runs[-1].pieces.append(piece)
    return pre_chunks_of(hidden, runs, {None: HeadingContext(titles=(), tokens=0)}, budget)


STRATEGIES: Mapping[StrategyName, ChunkingStrategy] = {
    StrategyName.HEADINGS: along_headings,
    StrategyName.SECTIONS: by_sections,
    StrategyName.LESSONS: as_lesson,
    StrategyName.CHARACTERS: by_characters,
}
"""A new strategy is a module and one line here."""


def chunk_document(
    result: ConversionResult,
    *,
    policy: ChunkingPolicy,
    embedding_model: str,
    special_tokens: int,
    count_all: CountAll,
    metadata: Metadata = MappingProxyType({}),
    is_estimate: bool = False,
) -> ChunkedDocument:
    """Divide a document by the policy's strategy into chunks of at most `policy.size` tokens.

    Chunks are numbered in reading order; their pages are exactly those of their characters. A
    document below the minimum is kept. Hidden text is in chunks of its own, behind all others.
    """
    budget = TokenBudget(
        policy=policy,
        special_tokens=special_tokens,
        count_all=count_all,
        is_estimate=is_estimate,
    )
    if isinstance(policy.strategy, InstalledStrategy):
        strategy = cast("ChunkingStrategy", policy.strategy.divide)
    else:
        strategy = STRATEGIES[policy.strategy]
    seen = tuple(block for block in result.blocks if block.kind is not BlockKind.HIDDEN)
    as_read = result if len(seen) == len(result.blocks) else replace(result, blocks=seen)
    division = strategy(as_read, metadata, budget)
    hidden = hidden_pre_chunks(result, budget)
    return chunks_of(
        result, replace(division, hidden=hidden), budget, embedding_model=embedding_model
    )
