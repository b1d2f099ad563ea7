"""The neighbouring chunks in a document."""

from __future__ import annotations

from citeloom.application.ports.vector_reader import VectorReader
from citeloom.domain.chunk import ChunkKind
from citeloom.domain.passage import Selection, StoredChunk


def neighbours(
    reader: VectorReader, collection: str, stored: StoredChunk, distance: int
) -> tuple[tuple[StoredChunk, ...], tuple[StoredChunk, ...]]:
    """The chunks up to `distance` before and after one in its document, in reading order."""
    if distance < 1:
        return (), ()
    here = stored.chunk.chunk_idx
    selection = Selection(
        project_id=stored.project_id,
        doc_id=stored.chunk.doc_id,
        chunks=(max(here - distance, 0), here + distance),
        without_kinds=(ChunkKind.HIDDEN,),
    )
    around = sorted(reader.scroll(collection, selection), key=lambda found: found.chunk.chunk_idx)
    return (
        tuple(found for found in around if found.chunk.chunk_idx < here),
        tuple(found for found in around if found.chunk.chunk_idx > here),
    )
