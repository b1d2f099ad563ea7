"""A second sparse field: the terms of a document's opening, added to each of its chunks.

A question often names the work by its authors, its place or its subject and then asks for a
detail. The terms that name the work are in the opening, those of the detail chapters later.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from citeloom.domain.chunk import Chunk, ChunkKind
from citeloom.domain.passage import SparseVector

_CHUNKS = 3
_FIELD = 1 << 31
"""Set in the index of a term of the opening, so that its document frequency is its own."""


def opening_of(chunks: Iterable[Chunk]) -> str:
    """The text of a document's first chunks, reference lists left out."""
    texts = (chunk.text for chunk in chunks if chunk.kind is not ChunkKind.REFERENCE)
    return "\n".join(islice(texts, _CHUNKS))


def with_opening(own: SparseVector, opening: SparseVector) -> SparseVector:
    """A chunk's own terms, and those of its document's opening in the second field."""
    return SparseVector(
        indices=own.indices + tuple(index | _FIELD for index in opening.indices),
        values=own.values + opening.values,
    )


def in_both_fields(query: SparseVector) -> SparseVector:
    """A query whose terms count equally in a chunk and in its document's opening."""
    return with_opening(query, query)


def own_terms(vector: SparseVector) -> SparseVector:
    """The terms of the first field alone."""
    count = sum(index < _FIELD for index in vector.indices)
    return SparseVector(indices=vector.indices[:count], values=vector.values[:count])
