"""A second sparse field: the terms of a document's opening, added to each of its chunks.

A question often names the work by its authors, its place or its subject and then asks for a
detail. The terms that name the work are in the opening, those of the detail chapters later.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from citeloom.domain.chunk import LEFT_OUT, Chunk
from citeloom.domain.passage import SparseVector

_CHUNKS = 3
_SHARE = 0.5
_FIELD = 1 << 31
"""Set in the index of a term of the opening, so that its document frequency is its own."""


def opening_of(chunks: Iterable[Chunk]) -> str:
    """The text of a document's first chunks, reference lists and hidden text left out."""
    texts = (chunk.text for chunk in chunks if chunk.kind not in LEFT_OUT)
    return "\n".join(islice(texts, _CHUNKS))


def with_opening(own: SparseVector, opening: SparseVector) -> SparseVector:
    """A chunk's own terms, and those of its document's opening in the second field."""
    return SparseVector(
        indices=own.indices + tuple(index | _FIELD for index in opening.indices),
        values=own.values + opening.values,
    )


def in_both_fields(query: SparseVector) -> SparseVector:
    """A query whose terms count in a chunk, and half as much in its document's opening."""
    opening = replace(query, values=tuple(_SHARE * value for value in query.values))
    return with_opening(query, opening)


def in_either_field(terms: Iterable[int]) -> frozenset[int]:
    """The terms as a chunk's own and as those of its document's opening."""
    return frozenset(index for term in terms for index in (term, term | _FIELD))


def own_terms(vector: SparseVector) -> SparseVector:
    """The terms of the first field alone."""
    border = bisect_left(vector.indices, _FIELD)
    return SparseVector(indices=vector.indices[:border], values=vector.values[:border])


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTerms:
    """Which of some terms a chunk has, with their weights, and which its document's opening has."""

    own: Mapping[int, float]
    opening: frozenset[int]


def held_terms(vector: SparseVector, terms: Collection[int]) -> HeldTerms:
    """The terms that are held by a chunk with this vector."""
    weights = dict(zip(vector.indices, vector.values))
    return HeldTerms(
        own={index: weights[index] for index in terms if index in weights},
        opening=frozenset(index for index in terms if index | _FIELD in weights),
    )
