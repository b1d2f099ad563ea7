"""Sparse vectors: their two fields, the markers of languages, and how much a term counts."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from citeloom.domain.chunks.chunk import LEFT_OUT, Chunk
from citeloom.domain.documents.language import TERM_LANGUAGES
from citeloom.domain.retrieval.passage import SparseVector

# A second sparse field: the terms of a document's opening, added to each of its chunks.

_CHUNKS = 3
_SHARE = 0.5
_FIELD = 1 << 31
"""Set in the index of a term of the opening, so that its document frequency is its own."""


def document_context(chunks: Iterable[Chunk]) -> str:
    """The text of a document's first chunks, reference lists and hidden text left out."""
    texts = (chunk.text for chunk in chunks if chunk.kind not in LEFT_OUT)
    return "\n".join(islice(texts, _CHUNKS))


def with_opening(own: SparseVector, opening: SparseVector) -> SparseVector:
    """A chunk's own terms, and those of its document's opening in the second field."""
    return SparseVector(
        indices=own.indices + tuple(index | _FIELD for index in opening.indices),
        values=own.values + opening.values,
    )


def in_document_context_field(query: SparseVector) -> SparseVector:
    """A query whose terms count in a chunk, and half as much in its document's opening."""
    opening = replace(query, values=tuple(_SHARE * value for value in query.values))
    return with_opening(query, opening)


def in_either_field(terms: Iterable[int]) -> frozenset[int]:
    """The terms as a chunk's own and as those of its document's opening."""
    return frozenset(index for term in terms for index in (term, term | _FIELD))


def own_terms(vector: SparseVector) -> SparseVector:
    border = bisect_left(vector.indices, _FIELD)
    return SparseVector(indices=vector.indices[:border], values=vector.values[:border])


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedTerms:
    """Which of some terms a chunk has, with their weights, and which its document's opening has."""

    own: Mapping[int, float]
    opening: frozenset[int]


def matched_terms(vector: SparseVector, terms: Collection[int]) -> MatchedTerms:
    """The terms that are held by a chunk with this vector."""
    weights = vector.weights
    return MatchedTerms(
        own={index: weights[index] for index in terms if index in weights},
        opening=frozenset(index for index in terms if index | _FIELD in weights),
    )


_MARKERS = 0xFFFF0000
"""Markers lie at the end of the second field: no expansion of a question takes them up."""


def primary_language(code: str | None) -> str | None:
    """The language of a tag without region or script: `pt` of `pt-BR`; Norwegian is `no`."""
    language = (code or "").lower().split("-")[0]
    return {"nb": "no", "nn": "no"}.get(language, language) or None


def marked(vector: SparseVector, languages: Iterable[str]) -> SparseVector:
    """The vector with the markers of the languages, save the default one."""
    markers = {_marker(code): 1.0 for code in languages if code in TERM_LANGUAGES}
    if not markers:
        return vector
    return SparseVector.of({**vector.weights, **markers})


def any_of(languages: Iterable[str]) -> SparseVector:
    """What finds a chunk with terms in any of the languages."""
    return SparseVector.of(dict.fromkeys(map(_marker, languages), 1.0))


def languages_of(vector: SparseVector) -> frozenset[str]:
    """The languages, except the default one, that the vector has terms in."""
    terms = set(vector.indices)
    return frozenset(code for code in TERM_LANGUAGES if _marker(code) in terms)


def _marker(code: str) -> int:
    first, second = map(ord, code)
    return _MARKERS | first << 8 | second


# How much each term of a sparse query counts, for stores that do not know how rare terms are.


@dataclass(frozen=True, slots=True, kw_only=True)
class TermStatistics:
    """How many chunks there are, and how many of them have each term."""

    chunks: int
    having: Mapping[int, int]

    @classmethod
    def of(cls, vectors: Iterable[SparseVector]) -> TermStatistics:
        chunks, having = 0, Counter[int]()
        for vector in vectors:
            chunks += 1
            having.update(vector.indices)
        return cls(chunks=chunks, having=having)

    def weigh(self, query: SparseVector) -> SparseVector:
        """The query with each term's value times its inverse document frequency."""
        values = (
            value * inverse_document_frequency(self.chunks, self.having.get(index, 0))
            for index, value in zip(query.indices, query.values)
        )
        return replace(query, values=tuple(values))


def inverse_document_frequency(chunks: int, having: int) -> float:
    """ln(1 + (chunks - having + 0.5) / (having + 0.5)), never negative (Robertson and Zaragoza
    2009, with 1 added as in Lucene).
    """
    return math.log(1 + (chunks - having + 0.5) / (having + 0.5))
