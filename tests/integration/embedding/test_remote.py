"""Everything that an embedding service can do wrong, scripted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from citeloom.domain.errors import (
    CiteloomError,
    EmbeddingMismatch,
    ModelUnavailable,
    TextRefused,
)
from citeloom.infrastructure.embedding.dense_service import RemoteDense
from tests.fakes.embedders import HashingDense
from tests.fakes.embedding_server import (
    KEY,
    EmbeddingService,
    Json,
    Misdeed,
    ServedEmbeddings,
    embedding_server,
)
from tests.fakes.remote_embedders import FAMILIES, remote_dense

TEXTS = [f"Passage number {number} says something of its own." for number in range(5)]
Make = Callable[..., RemoteDense]


@pytest.fixture
def served() -> Iterator[ServedEmbeddings]:
    with embedding_server(EmbeddingService(key=KEY)) as served:
        yield served


@pytest.fixture(params=FAMILIES)
def make(request: pytest.FixtureRequest, served: ServedEmbeddings, tmp_path: Path) -> Make:
    return lambda **given: remote_dense(served, tmp_path, request.param, **given)


def vectors_of(answer: Json) -> list[Any]:
    """The vectors in an answer of either family, to be changed in place."""
    if "data" in answer:
        return answer["data"]  # type: ignore[no-any-return]
    return answer["embeddings"]["float"]  # type: ignore[no-any-return]


def set_vector(answer: Json, place: int, value: object) -> Json:
    """The answer with another vector at a place."""
    vectors = vectors_of(answer)
    if "data" in answer:
        vectors[place]["embedding"] = value
    else:
        vectors[place] = value
    return answer


def without_last(answer: Json) -> Json:
    vectors_of(answer).pop()
    return answer


def without_all(answer: Json) -> Json:
    vectors_of(answer).clear()
    return answer


def one_more(answer: Json) -> Json:
    vectors_of(answer).append(vectors_of(answer)[0])
    return answer


def near(one: Sequence[float], other: Sequence[float]) -> bool:
    return one == pytest.approx(other, abs=1e-6)


NAN = float("nan")
WRONG_ANSWERS: dict[str, Misdeed] = {
    "fewer vectors": Misdeed(change=without_last),
    "more vectors": Misdeed(change=one_more),
    "no vectors": Misdeed(change=without_all),
    "zeros": Misdeed(change=lambda a: set_vector(a, 1, [0.0] * 32)),
    "an empty vector": Misdeed(change=lambda a: set_vector(a, 1, [])),
    "null in a vector": Misdeed(change=lambda a: set_vector(a, 1, [None] * 32)),
    "not a number": Misdeed(change=lambda a: set_vector(a, 1, [NAN] * 32)),
    "beyond all numbers": Misdeed(change=lambda a: set_vector(a, 1, [1e308] * 32)),
    "text for numbers": Misdeed(change=lambda a: set_vector(a, 1, ["0.1"] * 32)),
    "base64": Misdeed(change=lambda a: set_vector(a, 1, "AACAPwAAAAA=")),
    "null for a vector": Misdeed(change=lambda a: set_vector(a, 1, None)),
    "JSON of another kind": Misdeed(change=lambda _: {"object": "list"}),
    "a list": Misdeed(change=lambda _: []),
    "JSON cut short": Misdeed(body=b'{"data": [{"index": 0, "embedd'),
    "an HTML page": Misdeed(
        body=b"<html><body>Please sign in to the hotel's network</body></html>"
    ),
    "nothing": Misdeed(body=b" "),
    "no UTF-8": Misdeed(body=b'{"data": "\xff\xfe"}'),
    "deep nesting": Misdeed(body=b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
}


@pytest.mark.parametrize("wrong", WRONG_ANSWERS)
def test_a_wrong_answer_is_an_error_and_never_a_gap(
    wrong: str, make: Make, served: ServedEmbeddings
) -> None:
    dense = make()
    served.service.misbehave(WRONG_ANSWERS[wrong])
    with pytest.raises(ModelUnavailable) as caught:
        dense.embed_passages(TEXTS)
    assert caught.value.hint
    assert KEY not in caught.value.message + caught.value.hint
    assert len(served.service.asked) == 1
    assert dense.embed_passages(TEXTS)
    assert len(served.service.asked) == 2


@pytest.mark.parametrize(
    "indexes", [[0, 0, 1, 2, 3], [1, 2, 3, 4, 5], [-1, 0, 1, 2, 3], [0, 1, 2, 3, 7]]
)
def test_a_place_that_is_missing_or_doubled_is_an_error(
    indexes: list[int], served: ServedEmbeddings, tmp_path: Path
) -> None:
    def renumbered(answer: Json) -> Json:
        for item, index in zip(answer["data"], indexes, strict=True):
            item["index"] = index
        return answer

    served.service.misbehave(Misdeed(change=renumbered))
    with pytest.raises(ModelUnavailable, match="not one for each"):
        remote_dense(served, tmp_path).embed_passages(TEXTS)


def test_vectors_in_another_order_are_put_in_theirs(
    served: ServedEmbeddings, tmp_path: Path
) -> None:
    served.service.misbehave(Misdeed(change=lambda a: {**a, "data": a["data"][::-1]}))
    vectors = remote_dense(served, tmp_path).embed_passages(TEXTS)
    expected = HashingDense().embed_passages(TEXTS)
    assert all(near(one, other) for one, other in zip(vectors, expected, strict=True))


class TestDimension:
    def test_other_than_configured_is_an_error(self, make: Make) -> None:
        with pytest.raises(EmbeddingMismatch, match="32 dimensions, not 1024") as caught:
            make(dimension=1024).embed_passages(TEXTS)
        assert "ignore" in caught.value.hint

    def test_that_changes_is_an_error(self, make: Make, served: ServedEmbeddings) -> None:
        dense = make()
        dense.embed_passages(TEXTS[:1])
        served.service.dimension = 16
        with pytest.raises(EmbeddingMismatch, match="16 dimensions, not 32"):
            dense.embed_passages(TEXTS)

    def test_that_differs_within_an_answer_is_an_error(
        self, make: Make, served: ServedEmbeddings
    ) -> None:
        served.service.misbehave(Misdeed(change=lambda a: set_vector(a, 1, [1.0])))
        with pytest.raises(EmbeddingMismatch, match="1 and 32 dimensions"):
            make().embed_passages(TEXTS)

    def test_is_what_an_answer_shows(self, make: Make, served: ServedEmbeddings) -> None:
        dense = make()
        assert dense.dimension == dense.dimension == 32
        assert len(served.service.asked) == 1


PASSING: dict[str, Misdeed] = {
    "429": Misdeed(status=429),
    "429 with seconds": Misdeed(status=429, headers={"Retry-After": "0.05"}),
    "429 with milliseconds": Misdeed(status=429, headers={"Retry-After-Ms": "50"}),
    "429 with a date": Misdeed(
        status=429, headers={"Retry-After": "Sun, 22 Nov 2020 10:00:00 GMT"}
    ),
    "429 with nonsense": Misdeed(status=429, headers={"Retry-After": "soon"}),
    "500": Misdeed(status=500),
    "502 with a page": Misdeed(status=502, body=b"<html>Bad gateway</html>"),
    "503": Misdeed(status=503, headers={"Retry-After": "0"}),
    "504": Misdeed(status=504),
    "a cut connection": Misdeed(cut=True),
}


@pytest.mark.parametrize("passing", PASSING)
def test_what_may_pass_is_tried_again(passing: str, make: Make, served: ServedEmbeddings) -> None:
    served.service.misbehave(PASSING[passing], PASSING[passing])
    vectors = make().embed_passages(TEXTS)
    expected = HashingDense().embed_passages(TEXTS)
    assert all(near(one, other) for one, other in zip(vectors, expected, strict=True))
    assert len(served.service.asked) == 3


def test_what_does_not_pass_is_told(make: Make, served: ServedEmbeddings) -> None:
    served.service.misbehave(*[Misdeed(status=503)] * 6)
    with pytest.raises(ModelUnavailable, match="503"):
        make().embed_passages(TEXTS)
    assert len(served.service.asked) == 6


def test_a_wait_that_is_asked_for_holds_for_every_request(
    make: Make, served: ServedEmbeddings
) -> None:
    dense = make(texts=1, at_once=3)
    served.service.misbehave(Misdeed(status=429, headers={"Retry-After": "0.5"}))
    started = time.monotonic()
    dense.embed_passages(TEXTS)
    assert time.monotonic() - started >= 0.5


def test_a_wait_that_is_too_long_is_told(make: Make, served: ServedEmbeddings) -> None:
    served.service.misbehave(Misdeed(status=429, headers={"Retry-After": "3600"}))
    with pytest.raises(ModelUnavailable, match="wait 3600 seconds"):
        make().embed_passages(TEXTS)
    assert len(served.service.asked) == 1


def test_a_quota_that_is_used_up_is_told_at_once(make: Make, served: ServedEmbeddings) -> None:
    served.service.misbehave(Misdeed(status=429, body=b'{"error": {"code": "insufficient_quota"}}'))
    with pytest.raises(ModelUnavailable, match=r"quota .* is used up \(429: .*insufficient_quota"):
        make().embed_passages(TEXTS)
    assert len(served.service.asked) == 1


def test_an_answer_that_does_not_come_is_asked_for_again(
    make: Make, served: ServedEmbeddings
) -> None:
    dense = make(seconds=0.3)
    served.service.misbehave(Misdeed(delay=2.0))
    assert len(dense.embed_passages(TEXTS)) == len(TEXTS)
    assert len(served.service.asked) == 2


def test_a_call_that_fails_ends_no_other_call(make: Make, served: ServedEmbeddings) -> None:
    dense = make(texts=1)
    served.service.misbehave(
        Misdeed(status=503, delay=0.6, body=b"busy"), Misdeed(status=401), Misdeed(delay=1.5)
    )
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(dense.embed_passages, TEXTS[:1])
        while not served.service.asked:
            time.sleep(0.01)
        with pytest.raises(ModelUnavailable, match="401"):
            dense.embed_passages(TEXTS[1:3])
        assert len(other.result()) == 1


class TestKeys:
    @pytest.mark.parametrize("status", [401, 403, 498])
    def test_that_are_refused_are_named_and_not_shown(
        self, status: int, make: Make, served: ServedEmbeddings
    ) -> None:
        body = f'{{"error": "Incorrect API key provided: {KEY}"}}'.encode()
        served.service.misbehave(Misdeed(status=status, body=body))
        with pytest.raises(ModelUnavailable) as caught:
            make().embed_passages(TEXTS)
        said = caught.value.message + caught.value.hint
        assert "SERVED_API_KEY" in said
        assert KEY not in said
        assert len(served.service.asked) == 1

    def test_that_are_missing_are_named_and_nothing_is_sent(
        self, make: Make, served: ServedEmbeddings
    ) -> None:
        with pytest.raises(ModelUnavailable, match="SERVED_API_KEY is not set") as caught:
            make(key="").embed_query("Who?")
        assert "SERVED_API_KEY" in caught.value.hint
        assert served.service.asked == []

    def test_are_hidden_when_a_service_repeats_them(
        self, make: Make, served: ServedEmbeddings
    ) -> None:
        served.service.misbehave(Misdeed(status=404, body=f"no model, {KEY}\x1b[2J".encode()))
        with pytest.raises(ModelUnavailable) as caught:
            make().embed_passages(TEXTS)
        assert KEY not in caught.value.message
        assert "\x1b" not in caught.value.message

    def test_are_sent_as_bearer(self, make: Make, served: ServedEmbeddings) -> None:
        make().embed_query("Who?")
        assert served.service.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_text_and_key_go_nowhere_else(
    status: int, make: Make, served: ServedEmbeddings, tmp_path: Path
) -> None:
    with embedding_server() as other:
        location = {"Location": f"{other.url}/v1/embeddings"}
        served.service.misbehave(Misdeed(status=status, headers=location))
        with pytest.raises(ModelUnavailable, match=r"redirects to 127\.0\.0\.1"):
            make().embed_passages(TEXTS)
        assert other.service.asked == []


class TestTooMuch:
    def test_a_request_that_is_refused_is_halved(
        self, make: Make, served: ServedEmbeddings
    ) -> None:
        served.service.most_texts = 2
        vectors = make().embed_passages(TEXTS)
        expected = HashingDense().embed_passages(TEXTS)
        assert all(near(one, other) for one, other in zip(vectors, expected, strict=True))
        assert set(served.service.embedded) == set(TEXTS)

    @pytest.mark.parametrize("status", [400, 413, 422])
    def test_each_status_that_says_so(
        self, status: int, make: Make, served: ServedEmbeddings
    ) -> None:
        served.service.misbehave(Misdeed(status=status))
        assert len(make().embed_passages(TEXTS)) == len(TEXTS)
        assert len(served.service.asked) == 3

    def test_a_single_text_that_is_refused_is_told(
        self, make: Make, served: ServedEmbeddings
    ) -> None:
        served.service.longest = 100
        with pytest.raises(TextRefused, match="too long") as caught:
            make().embed_passages([*TEXTS, "far too long " * 20])
        assert "window" in caught.value.hint

    def test_what_was_paid_for_before_a_failure_is_kept(
        self, make: Make, served: ServedEmbeddings
    ) -> None:
        served.service.longest = 100
        dense = make(texts=1, at_once=1)
        with pytest.raises(TextRefused):
            dense.embed_passages([*TEXTS, "far too long " * 20])
        dense.embed_passages(TEXTS)
        assert set(served.service.embedded.values()) == {1}

    def test_a_question_that_is_refused_is_told(self, make: Make, served: ServedEmbeddings) -> None:
        served.service.longest = 10
        with pytest.raises(ModelUnavailable, match="refuses the request"):
            make().embed_query("How long may a question be?")


class TestRequests:
    def test_ask_for_numbers_and_name_the_model(
        self, served: ServedEmbeddings, tmp_path: Path
    ) -> None:
        remote_dense(served, tmp_path).embed_query("Who?")
        assert served.service.asked[0].body == {
            "model": "served",
            "input": ["Who?"],
            "encoding_format": "float",
        }

    def test_tell_cohere_what_a_text_is(self, served: ServedEmbeddings, tmp_path: Path) -> None:
        dense = remote_dense(served, tmp_path, "cohere")
        dense.embed_query("Who?")
        dense.embed_passages(["She."])
        said = {"model": "served", "embedding_types": ["float"], "truncate": "NONE"}
        assert [asked.body for asked in served.service.asked] == [
            {**said, "texts": ["Who?"], "input_type": "search_query"},
            {**said, "texts": ["She."], "input_type": "search_document"},
        ]

    def test_hold_so_many_texts(self, make: Make, served: ServedEmbeddings) -> None:
        make(texts=2, at_once=1).embed_passages(TEXTS)
        assert [len(asked.texts) for asked in served.service.asked] == [2, 2, 1]

    def test_hold_so_many_tokens(self, make: Make, served: ServedEmbeddings) -> None:
        make(tokens=30, at_once=1).embed_passages(TEXTS)
        assert [len(asked.texts) for asked in served.service.asked] == [2, 2, 1]

    def test_are_so_many_at_once(self, make: Make, served: ServedEmbeddings) -> None:
        served.service.delay = 0.1
        make(texts=1, at_once=2).embed_passages(TEXTS)
        assert served.service.most_at_once == 2

    def test_never_hold_an_empty_text(self, make: Make, served: ServedEmbeddings) -> None:
        vectors = make().embed_passages(["", " \n", "words"])
        assert len(vectors) == 3
        assert all(text.strip() for asked in served.service.asked for text in asked.texts)

    def test_hold_a_text_once(self, make: Make, served: ServedEmbeddings) -> None:
        assert len(make().embed_passages(["twice", "twice"])) == 2
        assert served.service.asked[0].texts == ["twice"]

    def test_survive_half_a_character(self, make: Make) -> None:
        assert len(make().embed_passages(["half \ud83d of one"])) == 1


class TestCache:
    def test_a_question_is_not_kept(self, make: Make, served: ServedEmbeddings) -> None:
        dense = make()
        dense.embed_query("Who?")
        dense.embed_query("Who?")
        assert len(served.service.asked) == 2

    def test_other_inputs_have_other_vectors(self, make: Make, served: ServedEmbeddings) -> None:
        make(inputs="one").embed_passages(TEXTS)
        make(inputs="other").embed_passages(TEXTS)
        assert len(served.service.asked) == 2

    def test_two_embedders_share_it(self, make: Make, served: ServedEmbeddings) -> None:
        first = make().embed_passages(TEXTS)
        second = make()
        assert second.embed_passages(TEXTS) == first
        assert second.usage.calls == 0
        assert second.usage.reused == len(TEXTS)
        assert len(served.service.asked) == 1

    def test_one_request_fails_and_the_others_are_kept(
        self, make: Make, served: ServedEmbeddings
    ) -> None:
        served.service.misbehave(Misdeed(status=404))
        dense = make(texts=1, at_once=5)
        with pytest.raises(ModelUnavailable, match="404"):
            dense.embed_passages(TEXTS)
        paid = set(served.service.embedded)
        served.service.asked.clear()
        dense.embed_passages(TEXTS)
        assert {asked.texts[0] for asked in served.service.asked} == set(TEXTS) - paid


class TestQuestion:
    def test_is_tried_once_more(self, make: Make, served: ServedEmbeddings) -> None:
        served.service.misbehave(Misdeed(status=503))
        assert make().embed_query("Who?")
        served.service.misbehave(Misdeed(status=503), Misdeed(status=503))
        with pytest.raises(ModelUnavailable, match="503"):
            make().embed_query("Who?")
        assert len(served.service.asked) == 4

    def test_does_not_wait_long(self, make: Make, served: ServedEmbeddings) -> None:
        served.service.misbehave(Misdeed(status=429, headers={"Retry-After": "30"}))
        started = time.monotonic()
        with pytest.raises(ModelUnavailable, match="wait 30 seconds"):
            make().embed_query("Who?")
        assert time.monotonic() - started < 15, "half of what the service asks for"

    def test_to_nobody_is_told_with_the_host(self, make: Make, tmp_path: Path) -> None:
        with embedding_server() as gone:
            pass
        with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1") as caught:
            remote_dense(gone, tmp_path).embed_query("Who?")
        assert "reached" in caught.value.hint


def test_errors_come_from_threads_of_many_askers(make: Make, served: ServedEmbeddings) -> None:
    dense = make(texts=1)

    def ask(number: int) -> int:
        try:
            return len(dense.embed_query(f"Question {number}?"))
        except CiteloomError:
            return 0

    served.service.misbehave(Misdeed(status=404))
    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(ask, range(12))) == [0, *[32] * 11]
    assert dense.usage.calls == 11
