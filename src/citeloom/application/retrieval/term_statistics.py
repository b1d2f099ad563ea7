"""Cached term statistics of collections, and cached weights of single words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from citeloom.application.ports.vector_reader import VectorReader
from citeloom.domain.passage import Selection, SparseVector
from citeloom.domain.project import Collection
from citeloom.domain.term_weights import TermStatistics

_QUESTIONS = 1_000


class KnownStatistics:
    """Term statistics by collection, kept until its generation or its number of chunks changes.

    Counting reads every vector of the collection once; checking that the cache is valid costs one
    `count` for each query. Documents replaced chunk by chunk are not noticed.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[str, int], TermStatistics]] = {}

    def __call__(self, reader: VectorReader, collection: Collection) -> TermStatistics:
        """The statistics of the collection's sparse vectors."""
        everything = Selection(project_id=collection.project_id)
        state = (collection.generation, reader.count(collection.name, everything))
        known = self._known.get(collection.name)
        if known is None or known[0] != state:
            chunks = reader.examine(collection.name, everything)
            vectors = (chunk.sparse for chunk in chunks if chunk.sparse is not None)
            known = state, TermStatistics.of(vectors)
            self._known[collection.name] = known
        return known[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWord:
    """The terms of a word in each language, and its weight in a collection, the least of them; None
    where no chunk has any.
    """

    forms: tuple[SparseVector, ...]
    weight: float | None

    @property
    def unknown(self) -> bool:
        """Whether it has terms, but no chunk has them."""
        return bool(self.forms) and self.weight is None


class KnownWeights:
    """The weights of words in the collection that was asked last, kept for 1,000 questions.

    A word that no chunk has is not kept: the next document may have it.
    """

    def __init__(self) -> None:
        self._known: dict[str, KnownWord] = {}
        self._collection: Hashable = None
        self._questions = 0
        self.chunks: int | None = None
        """How many chunks there are, once they have been counted."""

    def current(self, collection: Hashable) -> Mapping[str, KnownWord]:
        """The weights known in a collection, to be read."""
        return self._known if collection == self._collection else {}

    def at(self, collection: Hashable) -> dict[str, KnownWord]:
        """The weights known in a collection, to be added to; those of any other are forgotten."""
        self._questions += 1
        if collection != self._collection or self._questions > _QUESTIONS:
            self._collection, self._known, self._questions = collection, {}, 0
            self.chunks = None
        return self._known
