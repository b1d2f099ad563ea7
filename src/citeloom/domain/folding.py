"""Showing a text once that several documents hold."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from citeloom.domain.passage import Hit
from citeloom.domain.quotation import letters_of


def fold_duplicates(hits: Sequence[Hit]) -> tuple[list[Hit], Mapping[str, tuple[Hit, ...]]]:
    """The hits without those whose text a better one of another document has, and those left out
    by the id of the chunk they are folded under.

    Only letters and digits count. What a reader marked or noted is never folded.
    """
    first: dict[Hashable, Hit] = {}
    folded: dict[str, tuple[Hit, ...]] = {}
    kept: list[Hit] = []
    for hit in hits:
        best = first.setdefault(_content(hit), hit)
        if best.stored.chunk.doc_id == hit.stored.chunk.doc_id:
            kept.append(hit)
        else:
            chunk_id = best.stored.chunk.id
            folded[chunk_id] = (*folded.get(chunk_id, ()), hit)
    return kept, folded


def _content(hit: Hit) -> Hashable:
    chunk = hit.stored.chunk
    letters = "" if chunk.mark else letters_of(chunk.text)
    return (chunk.kind, letters) if letters else chunk.id
