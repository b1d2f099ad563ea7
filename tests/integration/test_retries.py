"""Requests to a scripted service: sent again while the failure may pass, and what it says."""

from __future__ import annotations

import gzip
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler

import httpx
import pytest

from citeloom.infrastructure.remote.retries import (
    AnswerTooLarge,
    RetryingTransport,
    RetryPolicy,
    Timing,
    WaitTooLong,
    requested_wait,
    secrets_of,
    sentence_of,
)
from citeloom.infrastructure.remote.transport import EXCHANGE, Exchange
from tests.fakes.loopback import listening

KEY = "sk-secret-of-the-user"
PATIENT = RetryPolicy(tries=4, seconds=20, longest_wait=60, first_pause=1.0)


@dataclass(frozen=True, kw_only=True)
class Scripted:
    """An answer: `closed` ends the connection without one, `late` are the seconds before it."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    closed: bool = False
    late: float = 0.0


@dataclass
class Service:
    """Answers by its script, then with 200; time passes only while its clients sleep."""

    url: str = ""
    script: deque[Scripted] = field(default_factory=deque)
    requests: list[str] = field(default_factory=list)
    sleeps: list[float] = field(default_factory=list)
    now: float = 100.0
    on_sleep: list[Exchange] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def sleep(self, stop: threading.Event, seconds: float) -> None:
        self.sleeps.append(round(seconds, 3))
        self.now += seconds
        for exchange in self.on_sleep:
            exchange.cancel()
        assert stop.is_set() == bool(self.on_sleep)

    def client(self, policy: RetryPolicy = PATIENT) -> httpx.Client:
        timing = Timing(now=lambda: self.now, sleep=self.sleep, chance=lambda: 1.0)
        return httpx.Client(
            transport=RetryingTransport(policy, timing),
            headers={"Authorization": f"Bearer {KEY}"},
            base_url=self.url,
        )


@pytest.fixture
def service() -> Iterator[Service]:
    scripted = Service()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            scripted.requests.append(self.path)
            answer = scripted.script.popleft() if scripted.script else Scripted()
            scripted.over.wait(answer.late)
            if answer.closed:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if "Content-Length" not in answer.headers:
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None: ...

    with listening(Handler) as url:
        scripted.url = url
        yield scripted
        scripted.over.set()


TEMPORARY = [Scripted(status=status) for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)]


@pytest.mark.parametrize("answer", [*TEMPORARY, Scripted(closed=True)], ids=lambda a: str(a.status))
def test_a_failure_that_may_pass_is_tried_again_after_growing_pauses(
    answer: Scripted, service: Service
) -> None:
    service.script.extend([answer] * 3)
    assert service.client().get("/").status_code == 200
    assert service.sleeps == [1, 2, 4]


def test_the_answer_of_the_last_try_is_returned_and_a_connection_that_fails_raised(
    service: Service,
) -> None:
    service.script.extend([Scripted(status=503, body=b"busy")] * 4)
    assert service.client().get("/").text == "busy"
    service.script.extend([Scripted(closed=True)] * 4)
    with pytest.raises(httpx.RemoteProtocolError):
        service.client().get("/")
    assert len(service.requests) == 8


@pytest.mark.parametrize(
    "answer",
    [
        *(Scripted(status=status) for status in (400, 401, 403, 404, 422, 501)),
        Scripted(status=429, body=b'{"error": {"code": "insufficient_quota"}}'),
    ],
)
def test_a_failure_that_will_not_pass_is_returned_at_once(
    answer: Scripted, service: Service
) -> None:
    service.script.append(answer)
    assert service.client().get("/").status_code == answer.status
    assert service.sleeps == []


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry-After": "7"}, 7.0), ({"Retry-After-Ms": "1500"}, 1.5), ({"Backoff": "9"}, 9.0)],
)
def test_the_time_that_a_service_asks_for_is_waited_by_every_request(
    headers: dict[str, str], seconds: float, service: Service
) -> None:
    client = service.client()
    service.script.append(Scripted(status=429, headers=headers))
    client.get("/")
    assert service.sleeps == [seconds]
    service.script.append(Scripted(headers=headers))
    assert "retry-after" not in client.get("/").headers
    client.get("/")
    assert service.sleeps == [seconds, seconds]


def test_a_wait_that_is_too_long_is_an_error_with_the_sentence_of_the_service(
    service: Service,
) -> None:
    client, body = service.client(), f'{{"error": "slow\ndown, {KEY}"}}'.encode()
    service.script.append(Scripted(status=429, headers={"Retry-After": "3600"}, body=body))
    with pytest.raises(WaitTooLong, match=r"answered 429: .*; it asks to wait 3600 s") as caught:
        client.get("/")
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)
    with pytest.raises(WaitTooLong, match=r"^it asks to wait 3600 seconds"):
        client.get("/")
    assert len(service.requests) == 1


def test_requests_are_an_interval_apart(service: Service) -> None:
    policy = RetryPolicy(tries=2, seconds=20, longest_wait=60, interval=0.5)
    client = service.client(policy)
    for _ in range(3):
        client.get("/")
    assert service.sleeps == [0.5, 0.5]


def test_a_request_that_was_cancelled_is_not_tried_again(service: Service) -> None:
    service.script.extend([Scripted(status=503)] * 3)
    exchange = Exchange()
    service.on_sleep.append(exchange)
    assert service.client().get("/", extensions={EXCHANGE: exchange}).status_code == 503
    assert len(service.requests) == 1


def test_an_answer_that_is_late_is_tried_again_unless_it_is_streamed(service: Service) -> None:
    policy = RetryPolicy(tries=2, seconds=0.3, longest_wait=60)
    service.script.append(Scripted(late=30))
    assert service.client(policy).get("/").status_code == 200
    service.script.append(Scripted(late=30))
    streamed = RetryPolicy(tries=2, seconds=0.3, longest_wait=60, streamed=True)
    with pytest.raises(httpx.TimeoutException):
        service.client(streamed).get("/")
    assert len(service.requests) == 3


def test_a_streamed_answer_is_left_to_be_read_but_that_of_an_error(service: Service) -> None:
    policy = RetryPolicy(tries=1, seconds=20, longest_wait=1, streamed=True)
    with service.client(policy) as client:
        with client.stream("GET", "/") as response:
            assert not response.is_stream_consumed
            assert response.read() == b"{}"
        service.script.append(Scripted(status=400, body=b"no"))
        with client.stream("GET", "/") as response:
            assert response.content == b"no"


@pytest.mark.parametrize(
    "answer",
    [
        Scripted(body=b"x" * 2_000_000),
        Scripted(body=gzip.compress(bytes(2_000_000)), headers={"Content-Encoding": "gzip"}),
    ],
    ids=["declared", "unpacked"],
)
def test_an_answer_that_is_too_large_is_not_read(answer: Scripted, service: Service) -> None:
    policy = RetryPolicy(tries=3, seconds=20, longest_wait=1, most_bytes=1_000_000)
    service.script.append(answer)
    with pytest.raises(AnswerTooLarge, match="longer than 1 MB"):
        service.client(policy).get("/")
    assert len(service.requests) == 1


def test_a_packed_answer_is_unpacked(service: Service) -> None:
    headers = {"Content-Encoding": "gzip", "X-Own": "kept"}
    service.script.append(Scripted(body=gzip.compress(b"words"), headers=headers))
    answer = service.client().get("/")
    assert (answer.text, answer.headers["X-Own"]) == ("words", "kept")


def test_the_keys_of_a_request_are_those_of_its_headers() -> None:
    headers = {"Authorization": f"Bearer {KEY}", "api-key": "other"}
    assert secrets_of(httpx.Request("GET", "http://host", headers=headers)) == (KEY, "other")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b'{"error": {"message": "no such model", "code": 5}}', "no such model"),
        (b'{"error": "no such model", "error_type": "validation"}', "no such model"),
        (b'{"detail": "no such model"}', "no such model"),
        (b'{"status": {"error": "Not found"}, "time": 0.1}', "Not found"),
        (b'{"status": "error", "code": 7}', '{"status": "error", "code": 7}'),
        (b"<html><h1>Bad\n gateway</h1></html>", "Bad gateway"),
        (b"plain\x1b[2J\r\nwords", "plain [2J words"),
        (f"the key {KEY} is wrong".encode(), "the key … is wrong"),
        (b"[" * 100_000, "[" * 300),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"", ""),
    ],
)
def test_a_report_of_an_error_is_one_line_without_secrets(body: bytes, sentence: str) -> None:
    assert sentence_of(body, [KEY, ""]) == sentence


NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": "7", "backoff": "9"}, 9.0),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=30), usegmt=True)}, 30.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=30), usegmt=True)}, 0.0),
        ({"retry-after": "Sun, 22 Nov 2026 12:00:09"}, 9.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "inf"}, 0.0),
        ({"retry-after": "nan"}, 0.0),
        ({"retry-after": "tomorrow"}, 0.0),
    ],
)
def test_a_requested_wait_is_read_in_every_form(headers: dict[str, str], seconds: float) -> None:
    assert requested_wait(headers, NOW) == seconds
