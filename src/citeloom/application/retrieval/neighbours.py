"""The neighbouring chunks in a document."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.application.ports.vector_reader import VectorReader
from citeloom.domain.chunk import ChunkKind
from citeloom.domain.passage import Selection, StoredChunk

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
    around = reader.scroll_batch(collection, [_around(one, distance) for one in chunks])
    return [_parted(one, found) for one, found in zip(chunks, around)]


def _around(stored: StoredChunk, distance: int) -> Selection:
    here = stored.chunk.chunk_idx
    return Selection(
        project_id=stored.project_id,
        doc_id=stored.chunk.doc_id,
        chunks=(max(here - distance, 0), here + distance),
        without_kinds=(ChunkKind.HIDDEN,),
    )


def _parted(stored: StoredChunk, around: Sequence[StoredChunk]) -> Neighbours:
    here = stored.chunk.chunk_idx
    ordered = sorted(around, key=lambda found: found.chunk.chunk_idx)
    return (
        tuple(found for found in ordered if found.chunk.chunk_idx < here),
        tuple(found for found in ordered if found.chunk.chunk_idx > here),
    )
