"""Text that no reader sees, kept apart from the body and in chunks of its own."""

from __future__ import annotations

from dataclasses import replace

from citeloom.domain.chunk import ChunkKind
from citeloom.domain.chunking.budget import TokenBudget
from citeloom.domain.chunking.drafts import Draft, drafts_of
from citeloom.domain.chunking.heading_context import HeadingContext
from citeloom.domain.chunking.pieces import pieces_of
from citeloom.domain.chunking.runs import Run
from citeloom.domain.conversion import BlockKind, ConversionResult


def without_hidden(result: ConversionResult) -> ConversionResult:
    """The document as its reader sees it."""
    seen = tuple(block for block in result.blocks if block.kind is not BlockKind.HIDDEN)
    return result if len(seen) == len(result.blocks) else replace(result, blocks=seen)


def hidden_drafts(result: ConversionResult, budget: TokenBudget) -> list[Draft]:
    """The hidden text of a document, that of each page apart, without any heading context."""
    blocks = [block for block in result.blocks if block.kind is BlockKind.HIDDEN]
    if not blocks:
        return []
    hidden = replace(
        result, blocks=tuple(replace(one, kind=BlockKind.PARAGRAPH) for one in blocks), headings=()
    )
    pieces = pieces_of(hidden, limit=budget.longest_piece(0), count_all=budget.count_all)
    runs: list[Run] = []
    for piece in (replace(piece, reference=False) for piece in pieces):
        if not runs or runs[-1].pieces[-1].page != piece.page:
            runs.append(Run(root=None, kind=ChunkKind.HIDDEN))
        runs[-1].pieces.append(piece)
    return drafts_of(hidden, runs, {None: HeadingContext(titles=(), tokens=0)}, budget)
