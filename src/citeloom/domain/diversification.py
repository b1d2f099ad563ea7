"""Diversifying hits, so that those of one page, or of one work, do not crowd out the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from citeloom.domain.passage import Hit, StoredChunk

_OF_ONE_WORK = 2
"""How many passages of a work come before another work that fits alike."""
_ALIKE = 0.95
"""The share of a passage's score from which a passage of another work fits alike."""
_COMPARED = 10
"""How many of the first hits are compared, so that no passage leaves the first ten."""


def diversify_by_work(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, where the third and each further one of a work gives way to the first of another
    work that has at least 0.95 of its score; only the first ten change places.
    """
    waiting, rest = list(hits[:_COMPARED]), hits[_COMPARED:]
    placed: list[Hit] = []
    taken: Counter[str] = Counter()
    while waiting:
        following = waiting[0]
        if taken[work_of(following.stored)] >= _OF_ONE_WORK:
            firsts: dict[str, Hit] = {}
            for one in waiting:
                firsts.setdefault(work_of(one.stored), one)
            others = (one for work, one in firsts.items() if not taken[work])
            alike = (one for one in others if one.score >= _ALIKE * following.score)
            following = next(alike, following)
        waiting.remove(following)
        placed.append(following)
        taken[work_of(following.stored)] += 1
    return [*placed, *rest]


def work_of(stored: StoredChunk) -> str:
    """What a chunk's work is known by: its citekey, or else its document's id."""
    return stored.citation.citekey if stored.citation else stored.chunk.doc_id


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
