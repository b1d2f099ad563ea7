"""Diversifying hits, so that those of one page do not crowd out the others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from citeloom.domain.passage import Hit


def diversify_by_page(hits: Sequence[Hit]) -> list[Hit]:
    """The best hit of each page before the second best of any, in their order otherwise.

    A hit counts for the page it begins on; one without pages for itself.
    """
    seen: dict[Hashable, int] = {}
    turns: list[int] = []
    for hit in hits:
        page = _page(hit)
        turns.append(seen.get(page, 0))
        seen[page] = turns[-1] + 1
    return [hit for _, hit in sorted(zip(turns, hits), key=lambda pair: pair[0])]


def _page(hit: Hit) -> Hashable:
    chunk = hit.stored.chunk
    return (chunk.doc_id, chunk.page_span[0]) if chunk.page_span else chunk.id
