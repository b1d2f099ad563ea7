"""Work, then place: the hits of a work in an order of their own.

A question often names a work and asks for a detail of it. The words that name the work find it, but
most of them stand on its first page, and say nothing of the page that answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul

from citeloom.domain.opening import held_terms
from citeloom.domain.passage import DenseVector, Hit

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
    held = held_terms(hit.sparse, weights)
    return sum(
        weights[index] * value * (_OPENING_SHARE if index in held.opening else 1.0)
        for index, value in held.own.items()
    )


def _cosine(one: DenseVector, other: DenseVector) -> float:
    """The cosine of two vectors; 0 where one is missing or has no length."""
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(map(mul, one, other)) / lengths if lengths else 0.0
