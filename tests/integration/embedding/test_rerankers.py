"""Rerankers: services that go wrong, cross-encoders that are not there, and late interaction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.embedding.fastembed.catalogue import available_rerankers
from citeloom.infrastructure.embedding.fastembed.model_cache import fetch_model
from citeloom.infrastructure.embedding.fastembed.rerankers import (
    FastEmbedCrossEncoder,
    LateInteraction,
    similarity,
)
from tests.fakes.rerank_server import (
    KEY,
    SHAPES,
    Misdeed,
    RerankingService,
    ServedReranker,
    rerank_server,
)
from tests.fakes.tiny_cross_encoder import NAME, write_cross_encoder

QUESTION = "When were the ledges built?"
TEXTS = ["The ledges were built when the bridge was.", "Who sang a opera?"]
Results = list[dict[str, Any]]


@pytest.fixture
def served() -> Iterator[ServedReranker]:
    with rerank_server(RerankingService(key=KEY)) as served:
        yield served


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FASTEMBED_CACHE_PATH", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


class TestServices:
    @pytest.mark.parametrize("family", SHAPES)
    def test_the_key_is_sent_and_the_question_with_all_texts(
        self, served: ServedReranker, family: str
    ) -> None:
        best, worst = served.reranker(family).score(QUESTION, TEXTS, 5.0)
        assert best > worst
        (asked,) = served.service.asked
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert (asked.body["query"], asked.texts) == (QUESTION, TEXTS)

    def test_tei_is_asked_in_requests_of_32(self, served: ServedReranker) -> None:
        scores = served.reranker("tei").score(QUESTION, TEXTS * 40, 5.0)
        assert scores == scores[:2] * 40
        assert [len(asked.texts) for asked in served.service.asked] == [32, 32, 16]

    @pytest.mark.parametrize(
        ("misdeed", "said"),
        [
            (Misdeed(status=400), "refuses the request"),
            (Misdeed(status=404), "it answered 404"),
            (Misdeed(status=302, headers={"Location": "https://evil.example/"}), "redirects"),
            (Misdeed(body=b"<html>"), "not that of a rerank API"),
            (Misdeed(body=b'{"results": [{"index": 0}]}'), "not that of a rerank API"),
            (Misdeed(change=lambda results: results[:1]), "no score for each of 2"),
            (Misdeed(change=lambda results: [*results, results[0]]), "no score for each of 2"),
            (Misdeed(change=lambda r: [{**r[0], "index": 7}, r[1]]), "no score for each of 2"),
            (Misdeed(change=lambda r: [{**one, "relevance_score": 1e999} for one in r]), ""),
        ],
    )
    def test_what_goes_wrong_is_said_without_the_key(
        self, served: ServedReranker, misdeed: Misdeed, said: str
    ) -> None:
        served.service.misbehave(misdeed)
        with pytest.raises(ModelUnavailable) as caught:
            served.reranker().score(QUESTION, TEXTS, 5.0)
        assert said in caught.value.message
        assert KEY not in caught.value.message
        assert "rerank" in caught.value.message + caught.value.hint

    def test_a_failure_that_may_pass_is_tried_once_more(self, served: ServedReranker) -> None:
        served.service.misbehave(Misdeed(status=503), Misdeed(status=503))
        with pytest.raises(ModelUnavailable, match="503"):
            served.reranker().score(QUESTION, TEXTS, 5.0)
        assert len(served.service.asked) == 2
        served.service.misbehave(Misdeed(status=429))
        assert len(served.reranker().score(QUESTION, TEXTS, 5.0)) == 2

    @pytest.mark.parametrize(
        "misdeed", [Misdeed(status=429, headers={"Retry-After": "60"}), Misdeed(delay=2.0)]
    )
    def test_it_waits_no_longer_than_it_may(self, served: ServedReranker, misdeed: Misdeed) -> None:
        served.service.misbehave(misdeed, misdeed)
        with pytest.raises(ModelUnavailable):
            served.reranker().score(QUESTION, TEXTS, 0.2)

    def test_a_key_that_is_missing_is_named(self, served: ServedReranker) -> None:
        with pytest.raises(ModelUnavailable, match="SERVED_API_KEY is not set") as caught:
            served.reranker(key="").score(QUESTION, TEXTS, 5.0)
        assert "SERVED_API_KEY" in caught.value.hint
        assert served.service.asked == []


class TestCrossEncoders:
    def test_one_that_is_not_there_is_not_downloaded(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("HF_HUB_OFFLINE")
        with pytest.raises(ModelUnavailable, match="is not in") as caught:
            FastEmbedCrossEncoder(NAME, cache_dir=tmp_path).score(QUESTION, TEXTS, 60.0)
        assert caught.value.hint.endswith(f"citeloom models --fetch {NAME}")
        assert list(tmp_path.iterdir()) == []

    def test_one_whose_file_is_none_is_reported(self, tmp_path: Path) -> None:
        write_cross_encoder(tmp_path)
        (model,) = tmp_path.rglob("model.onnx")
        model.write_bytes(b"not a model")
        with pytest.raises(ModelUnavailable, match="cannot be loaded"):
            FastEmbedCrossEncoder(NAME, cache_dir=tmp_path).score(QUESTION, TEXTS, 60.0)

    def test_it_is_listed_as_usable_once_it_is_there(self, tmp_path: Path) -> None:
        def named() -> tuple[bool, str]:
            listed = available_rerankers(cache_dir=tmp_path, locate=lambda: None)
            (model,) = (model for model in listed if model.name == NAME)
            return model.usable, model.needs

        assert named() == (False, "a download, which HF_HUB_OFFLINE forbids")
        with pytest.raises(ModelUnavailable, match="HF_HUB_OFFLINE"):
            fetch_model(NAME, cache_dir=tmp_path)
        write_cross_encoder(tmp_path)
        assert named() == (True, "")
        fetch_model(NAME.lower(), cache_dir=tmp_path)
        with pytest.raises(ModelUnavailable, match="no model named 'ms-marco'"):
            fetch_model("ms-marco", cache_dir=tmp_path)


class TestLateInteraction:
    def test_each_token_of_a_question_counts_with_the_nearest_of_a_text(self) -> None:
        question = np.array([[1, 0], [0, 1]], dtype=np.float32)
        text = np.array([[0.6, 0.8], [1, 0], [-1, 0]], dtype=np.float32)
        assert similarity(question, text) == pytest.approx(0.9)
        assert similarity(question, text[:0]) == 0.0
        assert similarity(question[:0], text) == 0.0

    def test_what_says_it_in_other_words_is_nearer_than_what_is_about_something_else(
        self, built_cache: Path
    ) -> None:
        near, far = LateInteraction(cache_dir=built_cache).score(
            "What harm do gull colonies do to salt marshes?",
            ["Nesting seabirds trample the plants of tidal wetlands.", "The court met on Friday."],
            60.0,
        )
        assert near > far
