"""Sessions over streamable HTTP: they end when they are idle, and there are not too many."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from threading import Event

from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from citeloom.infrastructure.interfaces.calls import LibraryService
from citeloom.infrastructure.interfaces.http.gate import AccessPolicy
from citeloom.infrastructure.interfaces.http.http_server import create_app
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.interfaces.mcp.mcp_app import McpApp
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
