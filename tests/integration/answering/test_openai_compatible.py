"""Everything that a service with a chat completions API can do wrong, scripted."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from itertools import chain, repeat

import pytest

from citeloom.application.answering.prompt import CLAIM_SCHEMA
from citeloom.application.ports.answer_model import ModelPrompt
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.answers.answer import TokenUsage
from citeloom.domain.errors import CiteloomError, IncompleteReply, ModelUnavailable, PromptTooLong
from tests.fakes.chat_server import (
    DONE,
    KEY,
    ChatService,
    Events,
    ServedChat,
    Turn,
    chat_server,
    error,
    event,
    finished,
    said,
)

TEXT = "The buoy drifted für neun Tage — 浮標. It was found on a beach."
PROMPT = ModelPrompt(
    system="Answer from the passages.",
    user=json.dumps({"question": "How long?", "passages": [{"id": "p1", "text": TEXT}]}),
    schema=CLAIM_SCHEMA,
)


@pytest.fixture
def served() -> Iterator[ServedChat]:
    with chat_server(ChatService(key=KEY, reply=lambda _: TEXT)) as served:
        yield served


def read(served: ServedChat) -> str:
    return "".join(served.model().stream(PROMPT))


def failure(
    served: ServedChat, *, first_seconds: float = 5.0, seconds: float = 10.0
) -> tuple[str, CiteloomError]:
    """What was read before an error, and the error, which has a hint and never the key."""
    pieces: list[str] = []
    with pytest.raises(CiteloomError) as caught:
        pieces.extend(served.model(first_seconds=first_seconds, seconds=seconds).stream(PROMPT))
    assert caught.value.hint
    assert KEY not in caught.value.message + caught.value.hint
    return "".join(pieces), caught.value


def test_a_right_reply_is_read_with_what_it_cost(served: ServedChat) -> None:
    reply = served.model().stream(PROMPT)
    assert "".join(reply) == TEXT
    assert reply.usage == TokenUsage(prompt=100, reply=len(TEXT) // 4)
    (asked,) = served.service.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.body["response_format"]["json_schema"]["schema"] == CLAIM_SCHEMA
    assert (asked.body["model"], asked.body["stream"]) == ("served", True)
    assert asked.body["max_tokens"] == 500


PASSING = {
    "too many requests, with a time to wait": Turn(
        status=429, headers={"Retry-After": "0"}, body=error("slow down")
    ),
    "overloaded": Turn(status=503, body=error("loading model")),
    "a connection closed without a word": Turn(drop=True),
}


@pytest.mark.parametrize("misdeed", PASSING)
def test_what_may_pass_is_tried_again(misdeed: str, served: ServedChat) -> None:
    served.service.then(PASSING[misdeed], PASSING[misdeed])
    assert read(served) == TEXT
    assert len(served.service.asked) == 3


def test_the_time_to_wait_is_kept(served: ServedChat) -> None:
    served.service.then(Turn(status=429, headers={"Retry-After-Ms": "300"}, body=error("wait")))
    started = time.monotonic()
    assert read(served) == TEXT
    assert time.monotonic() - started >= 0.3


def test_trying_ends(served: ServedChat) -> None:
    served.service.then(*[Turn(status=500, body=error("broken"))] * 9)
    text, caught = failure(served)
    assert (text, caught.code) == ("", ModelUnavailable.code)
    assert len(served.service.asked) == 4


LASTING = {
    "a wrong key": (Turn(status=401, body=error(f"no such key {KEY}")), "SERVED_API_KEY"),
    "no credit left": (Turn(status=429, body=error("pay", "insufficient_quota")), "429"),
    "an hour to wait": (
        Turn(status=429, headers={"Retry-After": "3600"}, body=error("later")),
        "3600 seconds",
    ),
    "a redirection": (
        Turn(status=307, headers={"Location": "http://elsewhere.example/v1"}, body=b""),
        "redirects to elsewhere.example",
    ),
    "an unknown model": (Turn(status=404, body=error("no model served")), "404"),
    "a web page": (Turn(body=b"<html>Sign in</html>"), "no chat completion"),
    "JSON of another kind": (Turn(body=b'{"object": "list"}'), "no chat completion"),
    "nothing": (Turn(body=b""), "no chat completion"),
    "deep nesting": (Turn(body=b'{"choices": ' + b"[" * 100_000), "no chat completion"),
    "garbage in the stream": (Turn(change=lambda _: [b"data: {oops\n\n"]), "no chat completion"),
    "content that is no text": (
        Turn(change=lambda _: [event({"choices": [{"delta": {"content": [1]}}]})]),
        "no chat completion",
    ),
    "an error before the first piece": (
        Turn(change=lambda _: [b"data: " + error(f"failed with {KEY}") + b"\n\n"]),
        "reports an error",
    ),
    "a stream without events": (Turn(change=lambda _: []), "ended before"),
    "a stream cut before the first piece": (
        Turn(change=lambda events: events[:1], cut=True),
        "broke",
    ),
    "a line without end": (
        Turn(change=lambda _: repeat(b"data: " + b"x" * 100_000, 100)),
        "no chat completion",
    ),
    "a refusal of unending length": (Turn(status=400, body=b"x" * 2_000_000), "at length"),
}


@pytest.mark.parametrize("misdeed", LASTING)
def test_what_will_not_pass_is_an_error(misdeed: str, served: ServedChat) -> None:
    turn, words = LASTING[misdeed]
    served.service.then(turn)
    text, caught = failure(served)
    assert (text, caught.code) == ("", ModelUnavailable.code)
    assert words in caught.message + (caught.hint or "")
    assert served.host in caught.message
    assert len(served.service.asked) == 1
    assert read(served) == TEXT


TOO_LONG = {
    "OpenAI": Turn(
        status=400, body=error("maximum context length is 8192", "context_length_exceeded")
    ),
    "vLLM": Turn(
        status=400, body=b'{"object": "error", "message": "maximum context length is 4096 tokens"}'
    ),
    "llama.cpp": Turn(
        status=400, body=error("request exceeds the available context size", "exceed_context_size")
    ),
    "a proxy": Turn(status=413, body=error("prompt is too long: 9000 tokens")),
    "in the stream": Turn(
        change=lambda _: [b"data: " + error("context_length_exceeded") + b"\n\n"]
    ),
}


@pytest.mark.parametrize("service", TOO_LONG)
def test_a_prompt_that_is_too_long_is_told_apart(service: str, served: ServedChat) -> None:
    served.service.then(TOO_LONG[service])
    text, caught = failure(served)
    assert (text, caught.code) == ("", PromptTooLong.code)
    assert len(served.service.asked) == 1


REFUSED = {
    "response_format": ("'response_format' of type 'json_schema' is not supported", None),
    "stream_options": ("Extra inputs are not permitted: stream_options", None),
    "temperature": ("Unsupported value: 'temperature'", None),
    "max_tokens": ("'max_tokens' is not supported", "max_completion_tokens"),
}


@pytest.mark.parametrize("key", REFUSED)
def test_what_a_service_refuses_is_left_out(key: str, served: ServedChat) -> None:
    message, instead = REFUSED[key]
    served.service.then(Turn(status=400, body=error(message)))
    assert read(served) == TEXT
    first, second = (asked.body for asked in served.service.asked)
    assert set(first) - set(second) == {key}
    assert set(second) - set(first) == ({instead} if instead else set())


def test_several_refusals_are_followed_and_a_last_one_is_told(served: ServedChat) -> None:
    served.service.then(
        Turn(status=422, body=error("unexplained")),
        Turn(status=400, body=error("max_tokens")),
        Turn(status=400, body=error("max_completion_tokens")),
        Turn(status=400, body=error("still no")),
    )
    _, caught = failure(served)
    assert "refuses the request: 400" in caught.message
    assert [len(asked.body) for asked in served.service.asked] == [7, 6, 6, 5]


def first_half(events: list[bytes]) -> list[bytes]:
    return events[:2]


def _dribble(piece: bytes) -> Callable[[list[bytes]], Events]:
    def events(_: list[bytes]) -> Events:
        for each in repeat(piece, 200):
            time.sleep(0.05)
            yield each

    return events


def _silent(events: list[bytes]) -> Events:
    yield from events[:2]
    time.sleep(2)


CUT = {
    "cut in the middle": (Turn(change=first_half, cut=True), "broke"),
    "ended without an end": (Turn(change=first_half), "ended before"),
    "stopped at the limit of tokens": (
        Turn(change=lambda events: [*events[:2], finished("length"), DONE]),
        "limit of tokens",
    ),
    "stopped by a filter": (
        Turn(change=lambda events: [*events[:2], finished("content_filter"), DONE]),
        "filter",
    ),
    "an error in the middle": (
        Turn(change=lambda events: [*events[:2], b"data: " + error("out of memory") + b"\n\n"]),
        "out of memory",
    ),
    "garbage in the middle": (
        Turn(change=lambda events: [*events[:2], b"data: }{\n\n"]),
        "no chat completion",
    ),
    "comments without end": (
        Turn(change=lambda events: chain(events[:2], repeat(b": " + b"x" * 99_997 + b"\n", 90))),
        "no chat completion",
    ),
    "silence in the middle": (Turn(change=_silent), "silent for 0.4 s"),
    "a reply that never ends": (Turn(change=_dribble(said("word "))), "longer than 1 s"),
}


@pytest.mark.parametrize("misdeed", CUT)
def test_a_reply_that_is_cut_off_is_never_taken_for_whole(misdeed: str, served: ServedChat) -> None:
    turn, words = CUT[misdeed]
    served.service.then(turn)
    text, caught = failure(served, first_seconds=0.4, seconds=1.0)
    assert text
    assert caught.code == IncompleteReply.code
    assert words in caught.message
    assert len(served.service.asked) == 1


@pytest.mark.parametrize(
    "turn",
    [Turn(late=2.0), Turn(change=_dribble(b": still here\n\n"))],
    ids=["silence", "comments that keep the connection"],
)
def test_the_first_piece_is_not_waited_for_without_end(turn: Turn, served: ServedChat) -> None:
    served.service.then(turn)
    started = time.monotonic()
    text, caught = failure(served, first_seconds=0.3)
    assert time.monotonic() - started < 1.5
    assert (text, caught.code) == ("", ModelUnavailable.code)
    assert "silent for 0.3 s" in caught.message


WHOLE = {
    "no [DONE]": Turn(change=lambda events: events[:-1]),
    "no finish_reason": Turn(change=lambda events: [*events[:-3], DONE]),
    "cut behind its end": Turn(change=lambda events: events[:-1], cut=True),
    "not streamed": Turn(
        headers={"Content-Type": "application/json"},
        body=json.dumps(
            {"choices": [{"message": {"content": TEXT}, "finish_reason": "stop"}]}
        ).encode(),
    ),
    "CRLF, comments, no spaces": Turn(
        change=lambda events: [
            b": ping\r\n" + one.replace(b"data: ", b"data:").replace(b"\n", b"\r\n")
            for one in events
        ]
    ),
    "characters torn apart": Turn(
        change=lambda events: (bytes([byte]) for byte in b"".join(events))
    ),
    "thoughts beside the reply": Turn(
        change=lambda events: [
            event({"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}}]}),
            event({"choices": [{"index": 1, "delta": {"content": "another choice"}}]}),
            *events,
        ]
    ),
    "events on several lines": Turn(
        change=lambda events: [one.replace(b', "', b',\ndata: "') for one in events]
    ),
}


@pytest.mark.parametrize("peculiarity", WHOLE)
def test_peculiarities_of_services_are_read(peculiarity: str, served: ServedChat) -> None:
    served.service.then(WHOLE[peculiarity])
    assert read(served) == TEXT


def test_an_empty_reply_is_whole(served: ServedChat) -> None:
    served.service.then(Turn(change=lambda _: [finished("stop"), DONE]))
    assert read(served) == ""


def test_closing_a_reply_ends_the_request(served: ServedChat) -> None:
    served.service.then(Turn(change=_dribble(said("word "))))
    reply = served.model().stream(PROMPT)
    assert next(reply) == "word "
    reply.close()
    assert list(reply) == []
    assert served.service.left.wait(5)


def test_a_service_that_is_not_there_is_named(served: ServedChat) -> None:
    with chat_server() as gone:
        pass
    _, caught = failure(gone)
    assert gone.host in caught.message


@pytest.mark.parametrize(
    "turn",
    [
        Turn(silent=20.0),
        Turn(change=lambda events: chain(events[:2], _slowly(20.0), events[2:])),
        Turn(status=429, headers={"Retry-After": "20"}, body=error("slow down")),
    ],
    ids=["before its beginning", "in the middle", "between two tries"],
)
def test_a_cancelled_call_ends_at_once_and_is_not_tried_again(
    turn: Turn, served: ServedChat
) -> None:
    served.service.then(turn)
    cancellation = Cancellation()
    timer = threading.Timer(0.3, cancellation.request)
    timer.start()
    started = time.monotonic()
    with pytest.raises((IncompleteReply, ModelUnavailable)):
        list(served.model(first_seconds=30.0, seconds=60.0).stream(PROMPT, cancellation))
    assert time.monotonic() - started < 5.0
    assert len(served.service.asked) == 1
    if turn.silent:
        assert served.service.left.wait(5.0)


def _slowly(seconds: float) -> Iterator[bytes]:
    time.sleep(seconds)
    yield b": still here\n\n"


def test_nothing_is_sent_without_the_key_that_the_configuration_names(served: ServedChat) -> None:
    with pytest.raises(ModelUnavailable, match="SERVED_API_KEY is not set"):
        "".join(served.model(key="").stream(PROMPT))
    assert served.service.asked == []


@pytest.mark.parametrize(
    "turn",
    [
        Turn(status=402, body=b'{"error": "Payment required"}'),
        Turn(status=429, body=b'{"error": {"message": "You exceeded your current quota"}}'),
        Turn(status=403, body=b'{"error": {"code": "insufficient_quota"}}'),
    ],
)
def test_a_quota_that_is_used_up_is_called_that(served: ServedChat, turn: Turn) -> None:
    served.service.then(turn)
    _, caught = failure(served)
    assert "quota of the key is used up" in caught.message
