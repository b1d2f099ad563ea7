"""Work, then place: the hits of a work among its own places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.retrieval.candidates import Placing
from citeloom.domain.retrieval.ordering import place_hits
from citeloom.domain.retrieval.passage import DenseVector, Hit, SparseVector
from citeloom.domain.retrieval.sparse import with_opening
from citeloom.testing.chunks import embedded

ACROSS, UP = (1.0, 0.0), (0.0, 1.0)
WORK, DETAIL = 1, 2
"""A term that names the work, and one that the question asks for."""
WEIGHTS = {WORK: 2.0, DETAIL: 2.0}
NOTHING = SparseVector(indices=(), values=())


def terms(*indices: int) -> SparseVector:
    return SparseVector(indices=indices, values=(1.0,) * len(indices))


def hit(
    chunk_id: str, doc_id: str, dense: DenseVector, own: SparseVector, opening: SparseVector
) -> Hit:
    stored = embedded(chunk_id).stored
    stored = replace(stored, chunk=replace(stored.chunk, doc_id=doc_id))
    return Hit(stored=stored, score=1.0, dense=dense, sparse=with_opening(own, opening))


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.stored.chunk.id for hit in hits]


def test_words_of_the_opening_do_not_put_the_first_page_before_the_one_that_answers() -> None:
    first = hit("first", "a", UP, terms(WORK), terms(WORK))
    later = hit("later", "a", ACROSS, terms(DETAIL), terms(WORK))
    hits, placings = place_hits([first, later], ACROSS, WEIGHTS)
    assert ids(hits) == ["later", "first"]
    assert placings["later"] == Placing(of=2, by_meaning=1, by_words=1)
    assert placings["first"] == Placing(of=2, by_meaning=2, by_words=2)


def test_a_word_of_the_opening_still_counts_in_a_chunk() -> None:
    with_it = hit("b", "a", UP, terms(WORK), terms(WORK))
    without = hit("a", "a", UP, terms(7), terms(WORK))
    hits, placings = place_hits([without, with_it], UP, WEIGHTS)
    assert placings["a"].by_words is None
    assert ids(hits) == ["b", "a"]


def test_a_hit_takes_only_a_place_of_its_own_work() -> None:
    own = terms(DETAIL)
    hits = [
        hit("a1", "a", UP, NOTHING, NOTHING),
        hit("b1", "b", ACROSS, own, NOTHING),
        hit("a2", "a", ACROSS, own, NOTHING),
    ]
    placed, _ = place_hits(hits, ACROSS, WEIGHTS)
    assert ids(placed) == ["a2", "b1", "a1"]


def test_a_chunk_without_vectors_comes_last_in_its_work() -> None:
    bare = Hit(stored=embedded("bare").stored, score=1.0)
    other = hit("other", bare.stored.chunk.doc_id, ACROSS, terms(DETAIL), NOTHING)
    placed, placings = place_hits([bare, other], ACROSS, WEIGHTS)
    assert ids(placed) == ["other", "bare"]
    assert placings["bare"].by_words is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([ACROSS, UP])), max_size=12))
def test_the_works_keep_their_order_and_no_hit_is_lost(
    drawn: list[tuple[str, DenseVector]],
) -> None:
    hits = [
        hit(f"c{number}", work, dense, terms(DETAIL), NOTHING)
        for number, (work, dense) in enumerate(drawn)
    ]
    placed, placings = place_hits(hits, ACROSS, WEIGHTS)
    assert [one.stored.chunk.doc_id for one in placed] == [work for work, _ in drawn]
    assert sorted(ids(placed)) == sorted(placings) == sorted(ids(hits))
