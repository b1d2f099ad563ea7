"""The strategy `headings`: sections divided evenly, tables and reference lists apart."""

from __future__ import annotations

from citeloom.domain.chunking.budget import TokenBudget
from citeloom.domain.chunking.drafts import drafts_of
from citeloom.domain.chunking.formulas import with_formulas_on_their_pages
from citeloom.domain.chunking.heading_context import contexts_of, longest_context
from citeloom.domain.chunking.headings import with_headings
from citeloom.domain.chunking.pieces import pieces_of
from citeloom.domain.chunking.runs import runs_of
from citeloom.domain.chunking.strategy import Division, Metadata
from citeloom.domain.conversion import ConversionResult


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
    runs = runs_of(result, headed, budget.policy.min_chunk_tokens)
    return Division(pieces=pieces, drafts=drafts_of(result, runs, contexts, budget))
