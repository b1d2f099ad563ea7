"""Every request is answered in time, whatever the app does."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeloom.infrastructure.interfaces.http.gate import (
    AccessPolicy,
    AccessToken,
    RequestMiddleware,
    is_loopback,
)
from citeloom.infrastructure.interfaces.http.metrics import Metrics

GUARD = AccessPolicy.of(address="127.0.0.1", hosts=(), origins=(), token=None)


def sent_by(app: ASGIApp, *, seconds: float = 5.0, kind: str = "http") -> list[Message]:
    """What a gate before the app sends to a client."""
    sent: list[Message] = []
    scope: dict[str, Any] = {
        "type": kind,
        "method": "GET",
        "path": "/api/v1/health",
        "headers": [(b"host", b"localhost:8484")],
    }

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    gate = RequestMiddleware(app, guard=GUARD, metrics=Metrics(), seconds=seconds)
    asyncio.run(gate(scope, receive, send))
    return sent


def statuses(sent: list[Message]) -> list[int]:
    return [one["status"] for one in sent if one["type"] == "http.response.start"]


async def begin(send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


def test_a_fault_is_answered_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ValueError("what happened")

    with caplog.at_level(logging.ERROR):
        assert statuses(sent_by(broken)) == [500]
    assert "what happened" in caplog.text


def test_a_fault_within_an_answer_begins_no_other() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        await begin(send)
        raise ValueError

    assert statuses(sent_by(broken)) == [200]


def test_a_request_that_does_not_arrive_is_given_up() -> None:
    async def waits(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(30)

    assert statuses(sent_by(waits, seconds=0.05)) == [408]


def test_a_timeout_of_the_app_itself_is_a_fault() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise TimeoutError

    assert statuses(sent_by(broken)) == [500]


def test_an_answer_that_has_begun_may_take_longer() -> None:
    async def streams(scope: Scope, receive: Receive, send: Send) -> None:
        await begin(send)
        await asyncio.sleep(0.2)
        await send({"type": "http.response.body", "body": b"end"})

    sent = sent_by(streams, seconds=0.05)
    assert sent[-1].get("body") == b"end"
    headers = dict(sent[0]["headers"])
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert len(headers[b"x-request-id"]) == 16


def test_what_is_no_request_goes_through() -> None:
    async def told(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "lifespan.startup.complete"})

    assert sent_by(told, kind="lifespan") == [{"type": "lifespan.startup.complete"}]


@pytest.mark.parametrize(
    ("path", "length", "status"),
    [
        ("/api/v1/projects", "0", 401),
        ("/api/v1/healthy", "0", 401),
        ("/api/v1/health/../projects", "0", 401),
        ("/api/docsx", "0", 401),
        ("/api/docs/x", "0", None),
        ("/api/v1/health", "64000", None),
        ("/api/v1/health", "64001", 413),
        ("/api/v1/health", "9" * 5000, 413),
        ("/api/v1/health", "-1", 413),
        ("/api/v1/health", "\xb2", 413),
    ],
)
def test_only_what_is_open_to_all_is_answered_without_the_token(
    path: str, length: str, status: int | None
) -> None:
    token = AccessToken("a-token-of-enough-characters")
    guard = AccessPolicy.of(address="127.0.0.1", hosts=(), origins=(), token=token)
    headers = [(b"host", b"localhost"), (b"content-length", length.encode("latin-1"))]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers}
    refusal = guard.refusal(HTTPConnection(scope))
    assert (refusal.status if refusal else None) == status


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("library.example.org", False),
        ("", False),
    ],
)
def test_only_this_machine_reaches_a_loopback_address(address: str, expected: bool) -> None:
    assert is_loopback(address) is expected


def test_a_server_at_any_address_is_called_by_its_names_alone() -> None:
    guard = AccessPolicy.of(address="0.0.0.0", hosts=["Lib.Example.org"], origins=(), token=None)
    assert guard.hosts == {"localhost", "127.0.0.1", "[::1]", "lib.example.org"}
    assert "[fe80::1]" in AccessPolicy.of(address="fe80::1", hosts=(), origins=(), token=None).hosts
