"""What every reranker promises."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.application.ports.embedders import Reranker
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.embedding.fastembed.minilm import packaged_weights
from citeloom.infrastructure.embedding.fastembed.rerankers import (
    FastEmbedCrossEncoder,
    LateInteraction,
)
from tests.fakes.rerank_server import SHAPES, rerank_server
from tests.fakes.reranker import SharedWords
from tests.fakes.tiny_cross_encoder import NAME, write_cross_encoder

QUESTION = "When were the ledges built?"
TEXTS = [
    "Who sang a the opera?",
    "The ledges were built when the bridge was.",
    "",
    "Rye, " * 300,
    "When were the ledges built?",
]
SECONDS = 60.0
SERVICES = [f"RerankService, {family}" for family in SHAPES]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds a cross-encoder."""
    cache = tmp_path_factory.mktemp("cross-encoder")
    write_cross_encoder(cache)
    return cache


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for the default dense model."""
    if packaged_weights() is None:
        pytest.skip("needs the packaged weights: requirements/weights.txt is not installed")
    return tmp_path_factory.mktemp("late-interaction")


@pytest.fixture(params=["SharedWords", "FastEmbedCrossEncoder", "LateInteraction", *SERVICES])
def reranker(request: pytest.FixtureRequest) -> Iterator[Reranker]:
    name, _, family = request.param.partition(", ")
    if name == "SharedWords":
        yield SharedWords()
    elif name == "FastEmbedCrossEncoder":
        yield FastEmbedCrossEncoder(NAME, cache_dir=request.getfixturevalue("tiny"))
    elif name == "LateInteraction":
        yield LateInteraction(cache_dir=request.getfixturevalue("built"), threads=2)
    else:
        with rerank_server() as served:
            yield served.reranker(family)


def scores_of(reranker: Reranker, texts: list[str]) -> list[float]:
    return reranker.score(QUESTION, texts, SECONDS)


def test_each_text_has_a_finite_score_whatever_stands_beside_it(reranker: Reranker) -> None:
    texts = [text or "." for text in TEXTS]
    scores = scores_of(reranker, texts)
    assert len(scores) == len(texts)
    assert all(map(math.isfinite, scores))
    assert len(set(scores)) > 1
    assert scores_of(reranker, texts[::-1])[::-1] == pytest.approx(scores, abs=1e-4)
    assert scores_of(reranker, texts[1:2]) == pytest.approx(scores[1:2], abs=1e-4)


def test_no_text_no_score(reranker: Reranker) -> None:
    assert scores_of(reranker, []) == []


def test_many_texts_are_scored_in_order(reranker: Reranker) -> None:
    texts = [TEXTS[0], TEXTS[1]] * 35
    one, other = scores_of(reranker, texts[:2])
    assert scores_of(reranker, texts) == pytest.approx([one, other] * 35, abs=1e-4)


def test_threads_may_share_it(reranker: Reranker) -> None:
    found: list[list[float]] = []
    texts = [TEXTS[0], TEXTS[1]]
    threads = [
        threading.Thread(target=lambda: found.append(scores_of(reranker, texts))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(scores == pytest.approx(found[0], abs=1e-4) for scores in found)


def test_it_has_a_name_and_says_where_texts_go(reranker: Reranker) -> None:
    assert reranker.model_id
    assert reranker.destination is None or reranker.destination


@pytest.mark.parametrize("reranker", ["FastEmbedCrossEncoder", "LateInteraction"], indirect=True)
def test_what_computes_here_stops_when_its_time_is_over(reranker: Reranker) -> None:
    scores_of(reranker, TEXTS[:2])
    with pytest.raises(ModelUnavailable, match="not done within"):
        reranker.score(QUESTION, TEXTS, 0.0)
