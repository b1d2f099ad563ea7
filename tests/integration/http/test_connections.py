"""Connections on which nothing arrives, which must not be kept for ever."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

from citeloom.application.jobs import Jobs
from citeloom.application.limits import ServerOptions
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http import http_server
from citeloom.infrastructure.interfaces.http.http_server import HttpServer
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import Library
from tests.integration.http.conftest import ONE

REQUEST = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n"
PATIENCE = 10.0


@pytest.fixture
def address(library: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A server that waits for requests for a moment only."""
    monkeypatch.setattr(http_server, "WATCH_SECONDS", 0.3)
    jobs = Jobs(library.ingest_target, clock=SystemClock())
    service = ServedLibrary(
        library=library, jobs=jobs, projects=(ONE,), calls=Calls(library.limits)
    )
    server = HttpServer(service, ServerOptions(port=0))
    server.start()
    yield "127.0.0.1", int(server.url.rpartition(":")[2])
    server.close(print)


@pytest.mark.parametrize("sent", [b"", b"G", REQUEST, REQUEST + b"\r\n" + REQUEST])
def test_one_that_sends_no_whole_request_is_closed(address: tuple[str, int], sent: bytes) -> None:
    with socket.create_connection(address, timeout=PATIENCE) as connection:
        connection.sendall(sent)
        got = b""
        while part := connection.recv(1000):
            got += part
    assert got.count(b"HTTP/1.1 200 OK") == sent.count(b"\r\n\r\n")


def test_answers_are_sent_at_once(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[socket.socket] = []
    before = http_server.Connection.connection_made

    def watched(self: http_server.Connection, transport: asyncio.Transport) -> None:
        before(self, transport)
        made.append(transport.get_extra_info("socket"))

    monkeypatch.setattr(http_server.Connection, "connection_made", watched)
    connection = HTTPConnection(*address, timeout=PATIENCE)
    connection.request("GET", "/api/v1/health")
    assert connection.getresponse().status == 200
    assert made[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    connection.close()


def test_one_may_ask_again(address: tuple[str, int]) -> None:
    connection = HTTPConnection(*address, timeout=PATIENCE)
    connection.connect()
    first = connection.sock
    for _ in range(5):
        connection.request("GET", "/api/v1/health")
        answer = connection.getresponse()
        assert (answer.status, connection.sock) == (200, first)
        answer.read()
    connection.close()
