"""From a converted document to its chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from citeloom.domain.chunking.along_headings import along_headings
from citeloom.domain.chunking.budget import CountAll, TokenBudget
from citeloom.domain.chunking.by_characters import by_characters
from citeloom.domain.chunking.by_sections import by_sections
from citeloom.domain.chunking.chunks import ChunkedDocument, chunks_of
from citeloom.domain.chunking.hidden import hidden_drafts, without_hidden
from citeloom.domain.chunking.lessons import as_lesson
from citeloom.domain.chunking.strategy import ChunkingStrategy, Metadata
from citeloom.domain.chunking_parameters import StrategyName
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.policies import ChunkingPolicy

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
    division = STRATEGIES[policy.strategy](without_hidden(result), metadata, budget)
    hidden = hidden_drafts(result, budget)
    return chunks_of(
        result, replace(division, hidden=hidden), budget, embedding_model=embedding_model
    )
