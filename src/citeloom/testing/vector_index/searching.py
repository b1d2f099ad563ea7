"""Searches find what brute force finds, and bring the vectors that are asked for."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.application.ports.vector_index import (
    Capability,
    VectorIndex,
)
from citeloom.application.retrieval.search import Search, TermStatisticsCache
from citeloom.application.retrieval.terms import LanguageCache
from citeloom.domain.errors import EmbeddingMismatch, HybridNotSupported
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import (
    Hit,
    IndexQuery,
    Selection,
    SparseVector,
)
from citeloom.domain.retrieval.sparse import marked as in_languages
from citeloom.testing.chunks import (
    DOCUMENTS,
    EVERYTHING,
    PROJECT,
    TWO_TERMS,
    collection,
    embedded,
    library,
)
from citeloom.testing.in_memory import InMemoryIndex
from citeloom.testing.vector_index.filled import (
    EXAMPLES,
    OTHER,
    hybrid,
    ids,
)


def test_every_search_finds_what_brute_force_finds(index: VectorIndex, read_only: str) -> None:
    reference = InMemoryIndex()
    reference.restrict(index.capabilities | {Capability.FACETS})
    reference.create(collection(read_only))
    reference.upsert(read_only, library(120, seed=1, project_ids=(PROJECT, OTHER)))

    @given(
        st.integers(0, 10_000),
        st.sampled_from(Mode),
        st.sampled_from(
            (EVERYTHING, Selection(project_id=PROJECT, scopes=(("tags", ("method",)),)))
        ),
        st.integers(1, 30),
        st.sampled_from((10, 60)),
    )
    @settings(max_examples=EXAMPLES, deadline=None)
    def agrees(seed: int, mode: Mode, selection: Selection, limit: int, rrf_k: int) -> None:
        query = replace(
            hybrid(selection, Random(seed), limit=limit), mode=mode, candidates=20, rrf_k=rrf_k
        )
        hits, expected = index.search(read_only, query), reference.search(read_only, query)
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.stored.chunk.id))
        scores = [hit.score for hit in expected]
        assert [hit.score for hit in hits] == pytest.approx(scores, rel=1e-5, abs=1e-6)
        # Single precision does not tell those at the cut apart.
        surely = _scores(expected, above=min(scores, default=0.0) + 1e-5)
        found = {one: _scores(hits)[one] for one in surely}
        assert found == pytest.approx(surely, rel=1e-5, abs=1e-6)

    agrees()


def _scores(hits: list[Hit], *, above: float = -math.inf) -> dict[str, float]:
    return {hit.stored.chunk.id: hit.score for hit in hits if hit.score > above}


def test_fusion_is_reciprocal_rank_with_ranks_from_one(index: VectorIndex, read_only: str) -> None:
    query = replace(hybrid(EVERYTHING, Random(5), limit=12), candidates=12, rrf_k=10)
    expected: dict[str, float] = {}
    for mode in (Mode.DENSE, Mode.SPARSE):
        for rank, hit in enumerate(index.search(read_only, replace(query, mode=mode)), start=1):
            chunk_id = hit.stored.chunk.id
            expected[chunk_id] = expected.get(chunk_id, 0.0) + 1 / (10 + rank)
    for hit in index.search(read_only, query):
        assert hit.score == pytest.approx(expected[hit.stored.chunk.id], abs=1e-7)


def test_fewer_candidates_than_hits_are_asked_for_all_the_same(
    index: VectorIndex, read_only: str
) -> None:
    query = replace(hybrid(EVERYTHING, Random(6), limit=40), candidates=1)
    assert len(index.search(read_only, query)) == 40


def test_equal_scores_stand_in_the_order_of_their_ids(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    stored_in = Random(4).sample(range(40), 40)
    index.upsert(name, [embedded(f"{number:02d}") for number in stored_in])
    sparse = SparseVector(indices=(1,), values=(1.0,))
    for mode, candidates in (
        (Mode.DENSE, 50),
        (Mode.SPARSE, 50),
        (Mode.HYBRID, 50),
        (Mode.HYBRID, 7),
    ):
        query = IndexQuery(
            selection=EVERYTHING,
            mode=mode,
            limit=5,
            dense=(1.0,) * 8,
            sparse=sparse,
            candidates=candidates,
        )
        assert ids(index.search(name, query)) == ["00", "01", "02", "03", "04"]


def test_a_query_without_terms_matches_nothing(index: VectorIndex, read_only: str) -> None:
    nothing = SparseVector.of({})
    query = replace(hybrid(EVERYTHING, Random(7)), sparse=nothing)
    assert index.search(read_only, replace(query, mode=Mode.SPARSE)) == []
    dense = index.search(read_only, replace(query, mode=Mode.DENSE))
    assert ids(index.search(read_only, query)) == ids(dense)


def test_a_dense_collection_answers_dense_queries_only(index: VectorIndex, name: str) -> None:
    index.create(collection(name, hybrid=False))
    index.upsert(name, [embedded("a", sparse=None)])
    query = hybrid(EVERYTHING, Random(8))
    for mode in (Mode.HYBRID, Mode.SPARSE):
        with pytest.raises(HybridNotSupported, match=name):
            index.search(name, replace(query, mode=mode))
    dense = replace(query, mode=Mode.DENSE)
    assert ids(index.search(name, dense)) == ["a"]
    (hit,) = index.search(name, replace(dense, with_vectors=True))
    assert hit.dense is not None
    assert hit.sparse is None


@pytest.mark.parametrize("dense", [(1.0, 2.0), (0.0,) * 8, (math.nan,) * 8])
def test_a_query_vector_must_be_comparable(
    index: VectorIndex, read_only: str, dense: tuple[float, ...]
) -> None:
    with pytest.raises(EmbeddingMismatch):
        index.search(read_only, replace(hybrid(EVERYTHING, Random(9)), dense=dense))


def test_nothing_is_found_in_an_empty_collection(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    assert index.search(name, hybrid(EVERYTHING, Random(10))) == []


def test_answers_survive_flush_and_optimize(index: VectorIndex, filled: str) -> None:
    query = hybrid(EVERYTHING, Random(11))
    before = index.search(filled, query)
    index.flush(filled)
    index.optimize(filled)
    assert index.search(filled, query) == before


@pytest.mark.parametrize("mode", list(Mode))
def test_hits_bring_their_vectors_where_asked(
    index: VectorIndex, read_only: str, mode: Mode
) -> None:
    query = replace(hybrid(EVERYTHING, Random(12)), mode=mode)
    plain, full = (
        index.search(read_only, replace(query, with_vectors=vectors)) for vectors in (False, True)
    )
    assert {(hit.dense, hit.sparse) for hit in plain} == {(None, None)}
    assert [hit.stored for hit in full] == [hit.stored for hit in plain]
    assert [hit.score for hit in full] == pytest.approx([hit.score for hit in plain])
    examined = {one.id: one for one in index.examine(read_only, EVERYTHING)}
    for hit in full:
        stored = examined[hit.stored.chunk.id]
        assert hit.dense == pytest.approx(stored.dense)
        assert hit.sparse is not None
        assert stored.sparse is not None
        assert hit.sparse.indices == stored.sparse.indices
        assert hit.sparse.values == pytest.approx(stored.sparse.values)


def test_hits_by_words_bring_the_terms_that_are_named(index: VectorIndex, read_only: str) -> None:
    by_words = replace(hybrid(EVERYTHING, Random(12)), mode=Mode.SPARSE, with_vectors=True)
    whole = index.search(read_only, by_words)
    terms = frozenset(index for hit in whole if hit.sparse for index in hit.sparse.indices[::2])
    named = index.search(read_only, replace(by_words, terms=terms, sparse_alone=True))
    assert [hit.stored for hit in named] == [hit.stored for hit in whole]
    assert [hit.score for hit in named] == pytest.approx([hit.score for hit in whole])
    assert [_weights(hit, terms) for hit in named] == [
        pytest.approx(_weights(hit, terms)) for hit in whole
    ]
    assert any(_weights(hit, terms) for hit in named)


def _weights(hit: Hit, terms: frozenset[int]) -> dict[int, float]:
    assert hit.sparse is not None
    return {
        index: value
        for index, value in zip(hit.sparse.indices, hit.sparse.values)
        if index in terms
    }


def test_terms_of_all_32_bits_are_found(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    low, high = (SparseVector(indices=(n,), values=(1.0,)) for n in (7, 7 | 1 << 31))
    index.upsert(name, [embedded("low", sparse=low), embedded("high", sparse=high)])
    query = replace(hybrid(EVERYTHING, Random(13)), mode=Mode.SPARSE, sparse=high)
    assert ids(index.search(name, query)) == ["high"]


def test_every_language_that_terms_are_in_is_found(index: VectorIndex, name: str) -> None:
    bound, known = collection(name), LanguageCache()
    index.create(bound)

    def search() -> Search:
        return Search(reader=index, collection=bound, statistics=TermStatisticsCache())

    index.upsert(name, [embedded("english")])
    assert known(search()) == ()

    others = [embedded(c, sparse=in_languages(TWO_TERMS, [c, "da"])) for c in ("de", "tr")]
    index.upsert(name, others)
    assert known(search()) == LanguageCache()(search()) == ("da", "de", "tr")


def test_a_batch_finds_what_single_searches_find(index: VectorIndex, read_only: str) -> None:
    random = Random(5)
    queries = [hybrid(EVERYTHING, random, limit=7), hybrid(EVERYTHING, random, limit=3)]
    one_side = [
        replace(queries[0], mode=Mode.DENSE, sparse=None, with_vectors=True),
        replace(queries[1], mode=Mode.SPARSE, dense=None),
    ]
    asked = [*queries, *one_side] if Capability.FUSION in index.capabilities else one_side
    batch = index.search_batch(read_only, asked)
    assert list(batch.hits) == [index.search(read_only, query) for query in asked]
    assert batch.matches == ()


def test_matches_have_the_ids_scores_and_vectors_of_the_hits(
    index: VectorIndex, read_only: str
) -> None:
    random = Random(6)
    query = hybrid(EVERYTHING, random)
    dense = replace(query, mode=Mode.DENSE, sparse=None, limit=5, with_vectors=True)
    sparse = replace(query, mode=Mode.SPARSE, dense=None, limit=5, with_vectors=True)
    batch = index.search_batch(
        read_only, [dense], [dense, sparse, replace(dense, with_vectors=False)]
    )
    by_dense, by_terms, bare = batch.matches
    assert [one.chunk_id for one in by_dense] == ids(batch.hits[0])
    assert [one.score for one in by_dense] == pytest.approx([one.score for one in batch.hits[0]])
    assert all(one.dense is not None and one.sparse is not None for one in by_dense)
    assert [one.score for one in by_terms] == pytest.approx(
        [one.score for one in index.search(read_only, sparse)]
    )
    assert all(one.sparse is not None for one in by_terms)
    assert [one.chunk_id for one in bare] == ids(batch.hits[0])
    assert all(one.dense is None and one.sparse is None for one in bare)


def test_a_batch_may_be_empty_or_match_nothing(index: VectorIndex, read_only: str) -> None:
    assert index.search_batch(read_only, []).hits == ()
    none = SparseVector.of({})
    query = IndexQuery(selection=EVERYTHING, mode=Mode.SPARSE, limit=3, sparse=none)
    batch = index.search_batch(read_only, [query], [query])
    assert (batch.hits, batch.matches) == (([],), ([],))


def test_several_selections_are_read_at_once(index: VectorIndex, read_only: str) -> None:
    selections = [
        *(replace(EVERYTHING, doc_id=name) for name in DOCUMENTS),
        replace(EVERYTHING, doc_id=DOCUMENTS[0], chunks=(1, 2)),
        replace(EVERYTHING, doc_id="nowhere"),
    ]
    found = index.scroll_batch(read_only, selections)
    assert [sorted(one.chunk.id for one in chunks) for chunks in found] == [
        sorted(one.chunk.id for one in index.scroll(read_only, selection))
        for selection in selections
    ]
    assert any(found)
    assert not found[-1]
    assert index.scroll_batch(read_only, []) == []


def test_eight_first_ingests_at_once_lose_nothing(index: VectorIndex, name: str) -> None:
    """Each makes the collection and stores chunks of its own."""

    def ingest(number: int) -> None:
        index.create(collection(name, generation=f"of-{number}"))
        index.upsert(name, [embedded(f"{number}-{one}") for one in range(5)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ingest, range(8)))
    assert len(index.chunk_ids(name, EVERYTHING)) == 40
    assert index.count(name, EVERYTHING) == 40
