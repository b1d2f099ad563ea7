"""Showing a text once that several documents hold, word for word or nearly so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from citeloom.domain.answers.untrusted import addresses_a_model
from citeloom.domain.passage import Hit
from citeloom.domain.quotation import words_of

_RUN = 4
_NEARLY = 0.8
"""The share of a text's runs of four words that another must have to be nearly the same."""
_LEAST_RUNS = 12


def fold_duplicates(hits: Sequence[Hit]) -> tuple[list[Hit], Mapping[str, tuple[Hit, ...]]]:
    """The hits without those whose text a better one of another document has, or nearly has, and
    those left out by the id of the chunk they are folded under.

    Only letters and digits count. What a reader marked or noted is never folded. A text that gives
    orders to a language model does not hide one that gives none, which takes its place.
    """
    kept: list[_Text] = []
    folded: dict[str, tuple[Hit, ...]] = {}
    for text in map(_Text, hits):
        at = next((n for n, better in enumerate(kept) if better.stands_for(text)), None)
        if at is None:
            kept.append(text)
            continue
        first, second = kept[at], text
        if first.gives_orders and not second.gives_orders:
            first, second = second, first
            first.replaces(second)
        kept[at] = first
        others = folded.pop(second.hit.stored.chunk.id, ())
        chunk_id = first.hit.stored.chunk.id
        folded[chunk_id] = (*folded.get(chunk_id, ()), second.hit, *others)
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
        self._replaced: tuple[_Text, ...] = ()

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

    def replaces(self, other: _Text) -> None:
        """Stand for whatever another stood for."""
        self._replaced = (*other._replaced, other)

    def stands_for(self, other: _Text) -> bool:
        """Whether this, or one that it replaces, has the other's text or nearly all of it."""
        return any(one.has(other) for one in (self, *self._replaced))

    @cached_property
    def gives_orders(self) -> bool:
        """Whether the text gives orders to a language model."""
        return addresses_a_model(self.hit.stored.chunk.text)

    @cached_property
    def _runs(self) -> frozenset[tuple[str, ...]]:
        return frozenset(zip(*(self._in_order[start:] for start in range(_RUN))))
