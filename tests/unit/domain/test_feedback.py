"""Queries expand_query by what they found."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from citeloom.application.retrieval.search import expand_query
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import Hit, IndexQuery, Selection, SparseVector
from citeloom.domain.retrieval.sparse import in_document_context_field, own_terms, with_opening
from citeloom.testing.chunks import embedded

TERMS = SparseVector(indices=(1, 2), values=(1.0, 1.0))
QUERY = IndexQuery(
    selection=Selection(project_id="p"),
    mode=Mode.HYBRID,
    limit=3,
    dense=(1.0, 0.0),
    sparse=in_document_context_field(TERMS),
)


def hit(dense: Sequence[float], terms: dict[int, float]) -> Hit:
    own = SparseVector(indices=tuple(terms), values=tuple(terms.values()))
    opening = SparseVector(indices=(50,), values=(9.0,))
    return Hit(
        stored=embedded("a").stored, score=1.0, dense=dense, sparse=with_opening(own, opening)
    )


def terms_of(query: IndexQuery) -> dict[int, float]:
    assert query.sparse is not None
    own = own_terms(query.sparse)
    return dict(zip(own.indices, own.values))


def test_the_dense_side_moves_half_a_step_and_most_towards_the_first() -> None:
    wider = expand_query(QUERY, [hit((0.0, 1.0), {1: 1.0}), hit((0.0, -1.0), {1: 1.0})])
    assert wider.dense == pytest.approx((1.0, 0.5 * (1.0 - 0.5) / 1.5))


def test_new_terms_get_a_share_of_the_weight_of_the_querys_own() -> None:
    terms = terms_of(expand_query(QUERY, [hit((0.0, 1.0), {2: 3.0, 7: 1.0})]))
    assert terms == pytest.approx({1: 1.0, 2: 1.0 + 0.9, 7: 0.3})


def test_what_the_opening_says_widens_nothing() -> None:
    wider = expand_query(QUERY, [hit((0.0, 1.0), {7: 1.0})])
    assert wider.sparse is not None
    assert QUERY.sparse is not None
    fields = set(wider.sparse.indices) - set(own_terms(wider.sparse).indices)
    assert fields == set(QUERY.sparse.indices) - {1, 2}
    assert list(wider.sparse.indices) == sorted(wider.sparse.indices)


def test_only_the_weightiest_terms_join() -> None:
    terms = terms_of(expand_query(QUERY, [hit((0.0, 1.0), {n: float(n) for n in range(100, 160)})]))
    assert set(terms) == {1, 2, *range(130, 160)}


@pytest.mark.parametrize("found", [[], [Hit(stored=embedded("a").stored, score=1.0)]])
def test_without_vectors_a_query_stays_as_it_is(found: list[Hit]) -> None:
    assert expand_query(QUERY, found) == QUERY


def test_hits_without_terms_move_the_dense_side_alone() -> None:
    wider = expand_query(QUERY, [hit((0.0, 1.0), {})])
    assert wider.sparse == QUERY.sparse
    assert wider.dense == pytest.approx((1.0, 0.5))
