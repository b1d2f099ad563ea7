"""Sessions over streamable HTTP: they end when they are idle, and there are not too many."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from threading import Event

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeloom.infrastructure.interfaces.calls import LibraryService
from citeloom.infrastructure.interfaces.http.gate import AccessPolicy
from citeloom.infrastructure.interfaces.http.http_server import create_app
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.interfaces.mcp.mcp_app import MAX_MESSAGE_BYTES, McpApp
from citeloom.infrastructure.interfaces.mcp.mcp_server import make_server
from tests.e2e.mcp_session import INITIALIZE
from tests.integration.mcp.sessions import PATIENCE

ACCEPT = {"accept": "application/json, text/event-stream"}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
ADDRESS = "http://localhost:8765"


@contextmanager
def client_of(app: ASGIApp) -> Iterator[TestClient]:
    """A client whose requests are answered in one event loop."""

    async def without_lifespan(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await app(scope, receive, send)
            return
        for kind in ("startup", "shutdown"):
            assert (await receive())["type"] == f"lifespan.{kind}"
            await send({"type": f"lifespan.{kind}.complete"})

    with TestClient(without_lifespan, base_url=ADDRESS) as client:
        yield client


def guarded(
    state: LibraryService, hosts: Collection[str] = (), origins: Collection[str] = ()
) -> ASGIApp:
    """The HTTP API with MCP, for those whom the access policy of a server on loopback admits."""
    service = ServedLibrary.of(state.library, None)
    guard = AccessPolicy.of(address="127.0.0.1", hosts=hosts, origins=origins, token=None)
    return create_app(service, guard)


def _opened(client: TestClient) -> dict[str, str]:
    """The headers of a new session."""
    answer = client.post("/mcp", json=INITIALIZE, headers=ACCEPT)
    assert answer.status_code == 200
    return {**ACCEPT, "mcp-session-id": answer.headers["mcp-session-id"]}


def test_a_session_that_is_idle_ends(state: LibraryService) -> None:
    app = McpApp(lambda: make_server(state), Event(), idle_seconds=0.3)
    with client_of(app) as client:
        headers = _opened(client)
        until = time.monotonic() + PATIENCE
        statuses: list[int] = []
        while 404 not in statuses and time.monotonic() < until:
            time.sleep(0.6)
            statuses.append(client.post("/mcp", json=PING, headers=headers).status_code)
        assert statuses[-1] == 404
        assert set(statuses[:-1]) <= {200}
        assert _opened(client)["mcp-session-id"] != headers["mcp-session-id"]


def test_there_are_only_so_many_sessions(state: LibraryService) -> None:
    app = McpApp(lambda: make_server(state), Event(), sessions=2)
    with client_of(app) as client:
        first, _ = _opened(client), _opened(client)
        assert client.post("/mcp", json=INITIALIZE, headers=ACCEPT).status_code == 503
        assert client.post("/mcp", json=PING, headers=first).status_code == 200
        assert client.delete("/mcp", headers=first).status_code == 200
        _opened(client)


def test_a_server_answers_under_its_own_names_alone(state: LibraryService) -> None:
    app = guarded(state, hosts=("library.example",), origins=("https://notes.example",))
    with client_of(app) as client:

        def status(**headers: str) -> int:
            return client.post("/mcp", json=INITIALIZE, headers={**ACCEPT, **headers}).status_code

        assert status(host="library.example") == status(host="library.example:8765") == 200
        assert status(host="localhost:1") == status(host="[::1]:8765") == 200
        assert status(host="evil.example") == 421
        assert status(origin="https://notes.example") == 200
        assert status(origin="https://evil.example") == 403


def test_a_body_that_is_no_message_is_answered(state: LibraryService) -> None:
    with client_of(guarded(state)) as client:
        headers = {**_opened(client), "content-type": "application/json"}
        for body in (
            rb'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "\ud83d"}}',
            b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}',
            b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": ' + b'{"a": ' * 900,
        ):
            answer = client.post("/mcp", content=body, headers=headers)
            assert answer.status_code == 400
            assert answer.json()["error"]["code"] in {-32700, -32602}


@pytest.mark.parametrize("number", ["null", "true", "1.5", "1e400", "NaN", "[1]", '{"a": 1}'])
def test_a_request_with_an_unusable_id_is_answered(state: LibraryService, number: str) -> None:
    body = f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}'
    with client_of(guarded(state)) as client:
        headers = {**_opened(client), "content-type": "application/json"}
        answer = client.post("/mcp", content=body, headers=headers)
        assert (answer.status_code, answer.json()["id"]) == (400, None)
        assert client.post("/mcp", json=PING, headers=headers).status_code == 200


def test_a_refused_body_is_told_in_plain_words(state: LibraryService) -> None:
    with client_of(guarded(state)) as client:
        headers = {**_opened(client), "content-type": "application/json"}
        answer = client.post("/mcp", content=b"[]", headers=headers)
        assert answer.json()["error"]["message"] == "this is not a JSON-RPC 2.0 request"
        large = client.post("/mcp", content=b" " * (MAX_MESSAGE_BYTES + 1), headers=headers)
        assert large.status_code == 413


def test_a_client_that_is_gone_before_its_body_is_no_error(
    state: LibraryService, caplog: pytest.LogCaptureFixture
) -> None:
    app = McpApp(lambda: make_server(state), Event())
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async def ask() -> None:
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": [], "state": {}}
        await app(scope, receive, send)

    asyncio.run(ask())
    assert (sent, caplog.records) == ([], [])
