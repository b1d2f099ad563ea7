from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import IndexQuery, Selection, SparseVector
from citeloom.infrastructure.stores.records.points_index import Record
from citeloom.infrastructure.stores.records.queries import (
    IndexSearch,
    Nearest,
    RankFusion,
    best,
    fused_from,
    search_for,
    side_searches,
)

WORDS = SparseVector(indices=(1, 5), values=(1.0, 2.0))
QUERY = IndexQuery(
    selection=Selection(project_id="p"),
    mode=Mode.HYBRID,
    limit=5,
    dense=(1.0, 0.0),
    sparse=WORDS,
    candidates=50,
    rrf_k=10,
)


def test_both_sides_are_fused() -> None:
    search = search_for(QUERY)
    assert search is not None
    assert search.sides == (Nearest("dense", [1.0, 0.0]), Nearest("sparse", WORDS))
    assert search.fusion == RankFusion(k=10, candidates=50)


def test_a_side_looks_as_deep_as_hits_are_asked_for() -> None:
    search = search_for(replace(QUERY, limit=80))
    assert search is not None
    assert search.fusion == RankFusion(k=10, candidates=80)


def test_one_side_on_its_own_is_not_fused() -> None:
    search = search_for(replace(QUERY, mode=Mode.SPARSE))
    assert search is not None
    assert search.sides == (Nearest("sparse", WORDS),)
    assert search.fusion is None


def test_without_words_only_the_dense_side_is_left() -> None:
    wordless = replace(QUERY, sparse=SparseVector(indices=(), values=()))
    search = search_for(wordless)
    assert search is not None
    assert [side.using for side in search.sides] == ["dense"]
    assert search_for(replace(wordless, mode=Mode.SPARSE)) is None


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(1, 20), st.randoms())
def test_ties_are_settled_whichever_the_store_returns(
    scores: list[int], limit: int, random: Random
) -> None:
    hits = [found(number, float(score)) for number, score in enumerate(scores)]
    expected = sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]
    random.shuffle(hits)
    shuffled = sorted(hits, key=lambda hit: -hit.score)
    assert best(limit, lambda asked: shuffled[:asked]) == expected


def test_no_more_is_asked_for_than_the_cut_needs() -> None:
    asked: list[int] = []
    hits = [found(number, -float(number)) for number in range(100)]

    def ask(limit: int) -> list[Record]:
        asked.append(limit)
        return hits[:limit]

    assert best(5, ask) == hits[:5]
    assert asked == [7]


def found(number: int, score: float) -> Record:
    return Record(id=number, payload={"chunk_id": f"{number:03d}"}, score=score)


def test_hits_that_tie_with_unseen_ones_count_only_where_the_others_do_not_suffice() -> None:
    search = search_for(replace(QUERY, limit=2, candidates=3))
    assert search is not None
    points = [("c", 2.0), ("a", 2.0), *((f"z{n}", 1.0) for n in range(9))]
    stored = [Record(id=name, payload={"chunk_id": name}, score=score) for name, score in points]
    asked: list[int] = []

    def ask(side: IndexSearch, most: int) -> list[Record]:
        asked.append(most)
        return stored[:most]

    sides = [stored[:most] for _, most in side_searches(search)]
    names = [hit.chunk_id for hit, _ in fused_from(search, 2, ask, sides)]
    assert (names, asked) == (["a", "c"], [])
    names = [hit.chunk_id for hit, _ in fused_from(search, 3, ask, sides)]
    assert (names, len(asked) > 2) == (["a", "c", "z0"], True)
    asked.clear()
    few = [stored[:2], stored[1:2]]
    assert [hit.chunk_id for hit, _ in fused_from(search, 3, ask, few)] == ["a", "c"]
    assert asked == []
