"""The fields of sparse vectors, pseudo-relevance feedback, and the rank of hits within a work."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import mul

from citeloom.domain.chunks.chunk import LEFT_OUT, Chunk
from citeloom.domain.retrieval.passage import DenseVector, Hit, IndexQuery, SparseVector

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
    """The terms of the first field alone."""
    border = bisect_left(vector.indices, _FIELD)
    return SparseVector(indices=vector.indices[:border], values=vector.values[:border])


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedTerms:
    """Which of some terms a chunk has, with their weights, and which its document's opening has."""

    own: Mapping[int, float]
    opening: frozenset[int]


def matched_terms(vector: SparseVector, terms: Collection[int]) -> MatchedTerms:
    """The terms that are held by a chunk with this vector."""
    weights = dict(zip(vector.indices, vector.values))
    return MatchedTerms(
        own={index: weights[index] for index in terms if index in weights},
        opening=frozenset(index for index in terms if index | _FIELD in weights),
    )


TERM_LANGUAGES = frozenset("ar da de el es fi fr hu it nl no pt ro ru sv ta tr".split())
"""The languages whose words may be made into terms in their own way."""


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
    terms = sorted({**dict(zip(vector.indices, vector.values)), **markers}.items())
    return SparseVector(
        indices=tuple(index for index, _ in terms), values=tuple(value for _, value in terms)
    )


def any_of(languages: Iterable[str]) -> SparseVector:
    """What finds a chunk with terms in any of the languages."""
    indices = tuple(sorted(map(_marker, languages)))
    return SparseVector(indices=indices, values=(1.0,) * len(indices))


def languages_of(vector: SparseVector) -> frozenset[str]:
    """The languages, except the default one, that the vector has terms in."""
    terms = set(vector.indices)
    return frozenset(code for code in TERM_LANGUAGES if _marker(code) in terms)


def _marker(code: str) -> int:
    first, second = map(ord, code)
    return _MARKERS | first << 8 | second


# Pseudo-relevance feedback: expanding a query by the passages it found.

_DENSE_SHARE = 0.5


_SPARSE_SHARE = 0.6


_TERMS = 30


def expand_query(query: IndexQuery, found: Sequence[Hit]) -> IndexQuery:
    """The query moved towards the hits, which have their vectors; earlier hits weigh more.

    The query itself keeps the larger weight in both vectors.
    """
    weights = [1 / rank for rank in range(1, len(found) + 1)]
    dense = [(hit.dense, w) for hit, w in zip(found, weights) if hit.dense is not None]
    sparse = [(own_terms(hit.sparse), w) for hit, w in zip(found, weights) if hit.sparse]
    return replace(
        query,
        dense=_moved(query.dense, dense) if query.dense and dense else query.dense,
        sparse=_with_terms(query.sparse, sparse) if query.sparse and sparse else query.sparse,
    )


def _moved(query: DenseVector, found: Sequence[tuple[DenseVector, float]]) -> DenseVector:
    total = sum(weight for _, weight in found)
    moved: DenseVector = query
    for vector, weight in found:
        step = _DENSE_SHARE * weight / total
        moved = [here + step * there for here, there in zip(moved, vector)]
    return moved


def _with_terms(query: SparseVector, found: Sequence[tuple[SparseVector, float]]) -> SparseVector:
    """The query's terms with the heaviest terms of the hits, which share part of its weight."""
    gathered: dict[int, float] = {}
    for vector, weight in found:
        for index, value in zip(vector.indices, vector.values):
            gathered[index] = gathered.get(index, 0.0) + weight * value
    chosen = sorted(gathered, key=lambda index: (-gathered[index], index))[:_TERMS]
    whole = sum(gathered[index] for index in chosen)
    share = _SPARSE_SHARE * sum(own_terms(query).values) / whole if whole else 0.0
    terms = dict(zip(query.indices, query.values))
    for index in chosen:
        terms[index] = terms.get(index, 0.0) + share * gathered[index]
    return SparseVector(indices=tuple(sorted(terms)), values=tuple(terms[i] for i in sorted(terms)))


# Work, then place: the hits of a work in an order of their own.

_K = 10


_OPENING_SHARE = 0.3
"""How much a word of the question counts in a chunk of a work that has it in its opening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """A hit's ranks among the `of` hits of its work, from 1; None by words if it has none."""

    of: int
    by_meaning: int
    by_words: int | None


def place_hits(
    hits: Sequence[Hit], question: DenseVector, weights: Mapping[int, float]
) -> tuple[list[Hit], Mapping[str, Placing]]:
    """The hits with those of each work reordered among the places that the work has, and the
    placing of each by its chunk id.

    Hits have their vectors; `weights` are those of the question's terms. Within a work its hits are
    ordered by reciprocal rank fusion of their cosine and their terms. Terms of the work's opening
    count less.
    """
    works: dict[str, list[Hit]] = {}
    for hit in hits:
        works.setdefault(hit.stored.chunk.doc_id, []).append(hit)
    placings = {
        chunk_id: placing
        for work in works.values()
        for chunk_id, placing in _placings(work, question, weights).items()
    }
    ordered = {
        doc_id: iter(sorted(work, key=lambda hit: -_score(placings[hit.stored.chunk.id])))
        for doc_id, work in works.items()
    }
    return [next(ordered[hit.stored.chunk.doc_id]) for hit in hits], placings


def _placings(
    work: Sequence[Hit], question: DenseVector, weights: Mapping[int, float]
) -> dict[str, Placing]:
    by_meaning = _ranks(work, lambda hit: _cosine(question, hit.dense or ()))
    scores = {hit.stored.chunk.id: _terms_score(hit, weights) for hit in work}
    telling = [hit for hit in work if scores[hit.stored.chunk.id] > 0]
    by_words = _ranks(telling, lambda hit: scores[hit.stored.chunk.id])
    return {
        chunk_id: Placing(of=len(work), by_meaning=rank, by_words=by_words.get(chunk_id))
        for chunk_id, rank in by_meaning.items()
    }


def _score(placing: Placing) -> float:
    ranks = (placing.by_meaning, placing.by_words)
    return sum(1 / (_K + rank) for rank in ranks if rank is not None)


def _ranks(hits: Iterable[Hit], score: Callable[[Hit], float]) -> dict[str, int]:
    scored = sorted((-score(hit), hit.stored.chunk.id) for hit in hits)
    return {chunk_id: rank for rank, (_, chunk_id) in enumerate(scored, start=1)}


def _terms_score(hit: Hit, weights: Mapping[int, float]) -> float:
    if hit.sparse is None:
        return 0.0
    matched = matched_terms(hit.sparse, weights)
    return sum(
        weights[index] * value * (_OPENING_SHARE if index in matched.opening else 1.0)
        for index, value in matched.own.items()
    )


def _cosine(first: DenseVector, second: DenseVector) -> float:
    """The cosine of two vectors; 0 where one is missing or has no length."""
    lengths = math.hypot(*first) * math.hypot(*second)
    return sum(map(mul, first, second)) / lengths if lengths else 0.0
