"""Pseudo-relevance feedback: expanding a query by the passages it found.

Dense vectors follow Rocchio (1971), sparse vectors the relevance model RM3 (Abdul-Jaleel and
others 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeloom.domain.opening import own_terms
from citeloom.domain.passage import DenseVector, Hit, IndexQuery, SparseVector

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
