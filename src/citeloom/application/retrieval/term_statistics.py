"""Cached term statistics of collections, for stores without IDF."""

from __future__ import annotations

from citeloom.application.ports.vector_reader import VectorReader
from citeloom.domain.passage import Selection
from citeloom.domain.project import Collection
from citeloom.domain.term_weights import TermStatistics


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
