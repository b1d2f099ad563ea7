from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.application.ports.embedders import (
    DenseEmbedder,
    RemoteEmbedder,
    SparseEmbedder,
    TokenCounter,
)
from citeloom.infrastructure.embedding.dense_service import EstimatedTokens
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense, ModelTokenizer
from citeloom.infrastructure.embedding.fastembed.minilm import INT8_ID, packaged_weights
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
from citeloom.infrastructure.embedding.vector_cache import CachedDense
from citeloom.infrastructure.stores.qdrant.edge.owner_index import (
    SharedDense,
    SharedIndex,
    SharedSparse,
)
from citeloom.infrastructure.stores.qdrant.edge.owner_server import SharedEmbedders
from citeloom.testing.chunks import collection
from tests.fakes.embedders import HashingDense, PieceCounter, TermHashSparse
from tests.fakes.embedding_server import embedding_server
from tests.fakes.holding import shared_index
from tests.fakes.in_memory_remote import InMemoryRemote
from tests.fakes.remote_embedders import FAMILIES, remote_dense

TOLERANCE = 2e-6

TEXTS = [
    "Retrieval augmented generation grounds an answer in passages that can be cited.",
    "Short.",
    "Die Zitierweise folgt der Norm; naïve Größen, 漢字 und emoji 🧪 dürfen nicht stören.",
    "The mitochondrion is the powerhouse of the cell, " * 60,
    "",
    "   \n\t ",
    "A paper reports the page on which each claim stands, and the reader follows it there.",
]

needs_weights = pytest.mark.skipif(
    packaged_weights() is None,
    reason="needs the packaged weights: requirements/weights.txt is not installed",
)
REAL = pytest.param("real", marks=needs_weights)
QUANTISED = pytest.param("quantised", marks=needs_weights)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def asking(cache: Path) -> Iterator[SharedIndex]:
    """An index whose collection another holds, together with models."""
    lent = SharedEmbedders(
        dense={HashingDense().model_id: HashingDense},
        sparse={TermHashSparse().model_id: TermHashSparse},
    )
    owner, asking = shared_index(cache, models=lent), shared_index(cache)
    owner.create(collection("papers"))
    yield asking
    asking.close()
    owner.close()


@pytest.fixture(scope="module", params=["fake", *FAMILIES])
def remote(request: pytest.FixtureRequest, cache: Path) -> Iterator[RemoteEmbedder]:
    """Both families, `RemoteDense` with `OpenAiDialect` and with `CohereDialect`, and the fake."""
    if request.param == "fake":
        yield InMemoryRemote()
        return
    with embedding_server() as served:
        yield remote_dense(served, cache / request.param, request.param)


@pytest.fixture(
    scope="module",
    params=["fake", "fake remote", "cached", "shared", *FAMILIES, REAL, QUANTISED],
)
def dense(request: pytest.FixtureRequest, cache: Path) -> Iterator[DenseEmbedder]:
    if request.param in FAMILIES:
        with embedding_server() as served:
            yield remote_dense(served, cache / "dense" / request.param, request.param)
    else:
        yield _local(request, cache)


def _local(request: pytest.FixtureRequest, cache: Path) -> DenseEmbedder:
    if request.param == "fake remote":
        return InMemoryRemote()
    if request.param == "shared":
        asking = request.getfixturevalue("asking")
        return SharedDense(HashingDense().model_id, HashingDense, asking, "papers")
    if request.param == "real":
        return FastEmbedDense(cache_dir=cache, threads=2)
    if request.param == "quantised":
        return FastEmbedDense(INT8_ID, cache_dir=cache, threads=2)
    fake = HashingDense()
    return fake if request.param == "fake" else CachedDense(fake, cache / "vectors.sqlite")


@pytest.fixture(scope="module", params=["fake", "shared", "real"])
def sparse(request: pytest.FixtureRequest, cache: Path) -> SparseEmbedder:
    if request.param == "shared":
        asking = request.getfixturevalue("asking")
        return SharedSparse(TermHashSparse().model_id, TermHashSparse, asking, "papers")
    return TermHashSparse() if request.param == "fake" else FastEmbedSparse(cache_dir=cache)


@pytest.fixture(scope="module", params=["fake", "estimated", "estimated for chunks", REAL])
def tokens(request: pytest.FixtureRequest, cache: Path) -> TokenCounter:
    if request.param == "estimated":
        return EstimatedTokens(window=512)
    if request.param == "estimated for chunks":
        return EstimatedTokens.for_chunks(450, window=2_048)
    return PieceCounter() if request.param == "fake" else ModelTokenizer(cache_dir=cache)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


class TestDenseEmbedder:
    def test_gives_one_unit_vector_of_its_dimension_a_text(self, dense: DenseEmbedder) -> None:
        vectors = dense.embed_passages(TEXTS)

        assert [len(vector) for vector in vectors] == [dense.dimension] * len(TEXTS)
        for vector in (*vectors, dense.embed_query("which page?"), dense.embed_query("")):
            assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-5)

    def test_gives_nothing_for_nothing(self, dense: DenseEmbedder) -> None:
        assert dense.embed_passages([]) == []

    def test_a_text_has_the_same_vector_in_whichever_batch(self, dense: DenseEmbedder) -> None:
        together = dense.embed_passages(TEXTS * 3)
        backwards = dense.embed_passages(TEXTS[::-1])[::-1]
        alone = [dense.embed_passages([text])[0] for text in TEXTS]

        for place, vector in enumerate(together):
            for other in (alone[place % len(TEXTS)], backwards[place % len(TEXTS)]):
                assert vector == pytest.approx(other, abs=TOLERANCE)

    def test_a_shared_subject_brings_texts_nearer(self, dense: DenseEmbedder) -> None:
        question = dense.embed_query("the powerhouse of the cell")
        near, far = dense.embed_passages(
            ["The mitochondrion is the powerhouse of the cell.", "Tariffs rose in 1930."]
        )

        assert cosine(question, near) > cosine(question, far)

    def test_is_named(self, dense: DenseEmbedder) -> None:
        assert dense.model_id


class TestRemoteEmbedder:
    def test_a_passage_is_paid_for_once(self, remote: RemoteEmbedder) -> None:
        texts = [f"A passage that is paid for, number {number}." for number in range(20)]
        before = remote.usage
        first = remote.embed_passages(texts)
        paid = remote.usage.since(before)
        again = remote.embed_passages([*texts, *texts])

        assert paid.calls > 0
        assert paid.tokens > 0
        assert remote.usage.since(before).calls == paid.calls
        assert again == [*first, *first]

    def test_an_estimate_comes_true_and_costs_nothing(self, remote: RemoteEmbedder) -> None:
        texts = [f"A passage whose cost is estimated, number {number}." for number in range(20)]
        before = remote.usage
        estimated = remote.estimate(texts)
        assert remote.usage == before
        remote.embed_passages(texts)

        assert remote.usage.since(before).calls == estimated.calls > 0
        assert remote.usage.since(before).tokens <= estimated.tokens
        assert remote.estimate(texts).calls == 0
        assert remote.estimate(texts).reused == 20


class TestSparseEmbedder:
    def test_indices_ascend_and_are_distinct(self, sparse: SparseEmbedder) -> None:
        vectors = [*sparse.embed_passages(TEXTS), *map(sparse.embed_query, TEXTS)]

        assert len(vectors) == 2 * len(TEXTS)
        for vector in vectors:
            assert all(one < next_one for one, next_one in pairwise(vector.indices))
            assert all(weight > 0 and math.isfinite(weight) for weight in vector.values)

    def test_gives_nothing_for_nothing(self, sparse: SparseEmbedder) -> None:
        assert sparse.embed_passages([]) == []

    def test_a_text_without_terms_has_an_empty_vector(self, sparse: SparseEmbedder) -> None:
        for text in ("", " \n", "… — !"):
            assert sparse.embed_passages([text])[0].indices == ()
            assert sparse.embed_query(text).indices == ()

    def test_a_text_has_the_same_vector_in_whichever_batch(self, sparse: SparseEmbedder) -> None:
        assert sparse.embed_passages(TEXTS) == [sparse.embed_passages([t])[0] for t in TEXTS]

    def test_a_question_has_the_terms_of_the_passage_it_quotes(
        self, sparse: SparseEmbedder
    ) -> None:
        (passage,) = sparse.embed_passages(["Reciprocal rank fusion needs no calibration."])

        assert set(sparse.embed_query("rank fusion").indices) <= set(passage.indices)
        assert not set(sparse.embed_query("photosynthesis").indices) & set(passage.indices)

    def test_repetition_weighs_more(self, sparse: SparseEmbedder) -> None:
        once, thrice = sparse.embed_passages(["fusion plasma", "fusion fusion fusion plasma"])
        (term,) = sparse.embed_query("fusion").indices

        weights = [dict(zip(v.indices, v.values, strict=True))[term] for v in (once, thrice)]
        assert weights[0] < weights[1]

    def test_a_language_of_its_own_has_other_terms_than_any_other(
        self, sparse: SparseEmbedder
    ) -> None:
        text = "Was sind das für Felder und Wälder"
        (own,), (unknown,) = (sparse.embed_passages([text], code) for code in ("de", "tlh"))

        assert "de" in sparse.languages
        assert [unknown] == sparse.embed_passages([text])
        assert sparse.embed_query(text, "tlh") == sparse.embed_query(text)
        assert own != unknown
        assert set(sparse.embed_query("Felder", "de").indices) <= set(own.indices)

    def test_is_named(self, sparse: SparseEmbedder) -> None:
        assert sparse.model_id


class TestTokenCounter:
    def test_an_empty_text_has_no_tokens(self, tokens: TokenCounter) -> None:
        assert tokens.count("") == 0
        assert tokens.count_all([]) == []

    def test_nothing_is_truncated(self, tokens: TokenCounter) -> None:
        sentence = "A passage one can cite. "

        assert tokens.count(sentence * 500) == 500 * tokens.count(sentence)
        assert tokens.count(sentence * 500) > tokens.window

    def test_says_whether_it_is_exact(self, tokens: TokenCounter) -> None:
        assert tokens.exact is not isinstance(tokens, EstimatedTokens)

    def test_knows_its_window(self, tokens: TokenCounter) -> None:
        assert 0 <= tokens.special_tokens < tokens.window

    @settings(max_examples=30, deadline=None)
    @given(texts=st.lists(st.text(max_size=60), max_size=6))
    def test_counts_many_as_it_counts_one(self, tokens: TokenCounter, texts: list[str]) -> None:
        assert tokens.count_all(texts) == [tokens.count(text) for text in texts]
