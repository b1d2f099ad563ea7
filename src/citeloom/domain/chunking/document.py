"""From a converted document to its chunks."""

from __future__ import annotations

from citeloom.domain.chunking.budget import CountAll, TokenBudget
from citeloom.domain.chunking.chunks import ChunkedDocument, chunks_of
from citeloom.domain.chunking.drafts import drafts_of
from citeloom.domain.chunking.heading_context import contexts_of
from citeloom.domain.chunking.headings import with_headings
from citeloom.domain.chunking.pieces import pieces_of
from citeloom.domain.chunking.runs import runs_of
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.policies import ChunkingPolicy


def chunk_document(
    result: ConversionResult,
    *,
    policy: ChunkingPolicy,
    embedding_model: str,
    special_tokens: int,
    count_all: CountAll,
) -> ChunkedDocument:
    """Divide a document along its headings into chunks of at most `policy.size` tokens.

    No chunk crosses a top-level section, except that a too short section joins its neighbour; none
    mixes body text and entries of a reference list. Paragraphs and sentences stay whole where they
    fit; a table with its caption is a chunk of its own. Chunks are numbered in reading order; their
    pages are exactly those of their characters. A document below the minimum is kept.
    """
    budget = TokenBudget(policy=policy, special_tokens=special_tokens, count_all=count_all)
    contexts = contexts_of(result, budget)
    longest = budget.longest_piece(max((c.tokens for c in contexts.values()), default=0))
    pieces = pieces_of(result, limit=longest, count_all=count_all)
    headed = with_headings(pieces, longest)
    runs = runs_of(result, headed, policy.min_chunk_tokens)
    drafts = drafts_of(result, runs, contexts, budget)
    return chunks_of(result, pieces, drafts, budget, embedding_model=embedding_model)
