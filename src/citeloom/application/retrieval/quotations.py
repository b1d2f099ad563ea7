"""The stage that puts verbatim quotations first, and the chunks beside a chunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from citeloom.application.ports.vector_index import VectorReader
from citeloom.application.retrieval.candidates import Candidates, StageName
from citeloom.application.retrieval.search import Search
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.sentences import (
    holds_verbatim,
    may_be_quotation,
    may_run_on,
    runs_on,
)
from citeloom.domain.retrieval.passage import Hit, IndexQuery, Selection, StoredChunk

# The neighbouring chunks in a document.

Neighbours = tuple[tuple[StoredChunk, ...], tuple[StoredChunk, ...]]
"""The chunks before and after one in its document, in reading order."""


def neighbours(
    reader: VectorReader, collection: str, chunks: Sequence[StoredChunk], distance: int
) -> list[Neighbours]:
    """The neighbours of each chunk, up to `distance` before and after it, in one exchange with the
    store.
    """
    if distance < 1 or not chunks:
        return [((), ()) for _ in chunks]
    around = reader.scroll_batch(collection, [_around(stored, distance) for stored in chunks])
    return [_before_and_after(stored, neighbour) for stored, neighbour in zip(chunks, around)]


def _around(stored: StoredChunk, distance: int) -> Selection:
    here = stored.chunk.chunk_idx
    return Selection(
        project_id=stored.project_id,
        doc_id=stored.chunk.doc_id,
        chunks=(max(here - distance, 0), here + distance),
        without_kinds=(ChunkKind.HIDDEN,),
    )


def _before_and_after(stored: StoredChunk, around: Sequence[StoredChunk]) -> Neighbours:
    here = stored.chunk.chunk_idx
    ordered = sorted(around, key=lambda neighbour: neighbour.chunk.chunk_idx)
    return (
        tuple(neighbour for neighbour in ordered if neighbour.chunk.chunk_idx < here),
        tuple(neighbour for neighbour in ordered if neighbour.chunk.chunk_idx > here),
    )


# The stage that puts verbatim quotations first.


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotations:
    """Puts hits that contain the question verbatim first, if it may be a quotation.

    If there are any, the answer is settled: they come first, then the query's other hits. Otherwise
    verbatim hits in excluded kinds, such as reference lists, precede the hits of later stages.
    """

    search: Search
    name: ClassVar[StageName] = StageName.QUOTATIONS

    def __call__(self, candidates: Candidates) -> Candidates:
        text, query = candidates.text, candidates.query
        if not may_be_quotation(text):
            return replace(candidates, detail="the question is no quotation")
        deep = _deep(query)
        hits, quoted = self._found(deep, text)
        if quoted:
            return replace(
                candidates,
                query=deep,
                hits=tuple(sorted(hits, key=lambda hit: hit.stored.chunk.id not in quoted)),
                quoted=quoted,
                settled=True,
                detail=f"{len(quoted)} hold the text word for word; nothing else is searched",
            )
        return self._left_out(candidates, deep)

    def _left_out(self, candidates: Candidates, deep: IndexQuery) -> Candidates:
        kinds = deep.selection.without_kinds
        if not kinds:
            return replace(candidates, detail="no passage holds the text word for word")
        hits, quoted = self._found(_apart(deep), candidates.text)
        quotations = tuple(hit for hit in hits if hit.stored.chunk.id in quoted)
        names = " or ".join(kind.value for kind in kinds)
        detail = f"{len(quotations)} hold the text word for word, of kind {names}"
        return replace(candidates, hits=quotations, quoted=quoted, detail=detail)

    @staticmethod
    def ahead(text: str, query: IndexQuery) -> tuple[IndexQuery, ...]:
        """The searches that the stage makes for a question."""
        if not may_be_quotation(text):
            return ()
        deep = _deep(query)
        return (deep, _apart(deep)) if deep.selection.without_kinds else (deep,)

    def _found(self, query: IndexQuery, text: str) -> tuple[list[Hit], frozenset[str]]:
        """The query's hits, and the ids of those that contain `text`, alone or with a neighbour."""
        hits = self.search(query)
        quoted = _ids(hits, lambda hit: holds_verbatim(hit.stored.chunk.text, text))
        return hits, quoted or self._running_on(hits, text)

    def _running_on(self, hits: list[Hit], text: str) -> frozenset[str]:
        """The ids of the hits that contain the larger part of `text`, and a neighbour the rest."""
        parts = [hit.stored for hit in hits if may_run_on(hit.stored.chunk.text, text)]
        around = neighbours(self.search.reader, self.search.collection.name, parts, 1)
        return frozenset(
            stored.chunk.id
            for stored, (before, after) in zip(parts, around)
            if any(runs_on(near.chunk.text, stored.chunk.text, text) for near in before)
            or any(runs_on(stored.chunk.text, near.chunk.text, text) for near in after)
        )


def _deep(query: IndexQuery) -> IndexQuery:
    return replace(query, limit=max(query.limit, query.candidates))


def _apart(query: IndexQuery) -> IndexQuery:
    """The same among the kinds that the query leaves out."""
    kinds = query.selection.without_kinds
    return replace(query, selection=replace(query.selection, kinds=kinds, without_kinds=()))


def _ids(hits: list[Hit], holds: Callable[[Hit], bool]) -> frozenset[str]:
    return frozenset(hit.stored.chunk.id for hit in hits if holds(hit))
