"""Showing a text once that several documents hold, word for word or nearly so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from citeloom.domain.passage import Hit
from citeloom.domain.quotation import words_of

_RUN = 4
_NEARLY = 0.8
"""The share of a text's runs of four words that another must have to be nearly the same."""
_LEAST_RUNS = 12


def fold_duplicates(hits: Sequence[Hit]) -> tuple[list[Hit], Mapping[str, tuple[Hit, ...]]]:
    """The hits without those whose text a better one of another document has, or nearly has, and
    those left out by the id of the chunk they are folded under.

    Only letters and digits count. What a reader marked or noted is never folded.
    """
    kept: list[_Text] = []
    folded: dict[str, tuple[Hit, ...]] = {}
    for text in map(_Text, hits):
        same = next((better for better in kept if better.has(text)), None)
        if same is None:
            kept.append(text)
        else:
            chunk_id = same.hit.stored.chunk.id
            folded[chunk_id] = (*folded.get(chunk_id, ()), text.hit)
    return [text.hit for text in kept], folded


class _Text:
    """A hit by its words; their runs are made when they are first compared."""

    def __init__(self, hit: Hit) -> None:
        chunk = hit.stored.chunk
        self.hit = hit
        self._of = (chunk.kind, chunk.doc_id)
        self._in_order = [] if chunk.mark else words_of(chunk.text)
        self._words = frozenset(self._in_order)
        self._letters = "".join(self._in_order)

    def has(self, other: _Text) -> bool:
        """Whether this is of another document and has the other's text, or nearly all of it."""
        (kind, doc_id), (other_kind, other_doc_id) = self._of, other._of
        if kind is not other_kind or doc_id == other_doc_id or not other._letters:
            return False
        return self._letters == other._letters or self._nearly_has(other)

    def _nearly_has(self, other: _Text) -> bool:
        runs = len(other._in_order) - _RUN + 1
        if runs < _LEAST_RUNS or len(other._words - self._words) >= runs * (1 - _NEARLY) + _RUN:
            return False
        return len(self._runs & other._runs) >= _NEARLY * len(other._runs)

    @cached_property
    def _runs(self) -> frozenset[tuple[str, ...]]:
        return frozenset(zip(*(self._in_order[start:] for start in range(_RUN))))
