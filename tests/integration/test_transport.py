"""Requests end in time, and go through the proxies of the environment but to this machine."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler

import httpx
import pytest

from citeloom.infrastructure.remote.transport import EXCHANGE, DeadlineTransport, Exchange
from tests.fakes.loopback import listening

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Long: " + b"x" * 200 + b"\r\n\r\nbody"
AT_ONCE = ANSWER.index(b"body")


@contextmanager
def dripping(*, fast: int = 0) -> Iterator[str]:
    """A server that sends so many bytes of its answer at once, and the others one every 20 ms."""

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(1 << 16)
            connection.sendall(ANSWER[:fast])
            for byte in ANSWER[fast:]:
                time.sleep(0.02)
                connection.sendall(bytes([byte]))

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


@pytest.mark.parametrize("fast", [0, AT_ONCE])
def test_a_request_ends_in_time_while_bytes_of_headers_or_body_arrive(fast: int) -> None:
    with dripping(fast=fast) as url, httpx.Client(transport=DeadlineTransport()) as client:
        with pytest.raises(httpx.ReadTimeout, match=r"takes longer than 0\.05 s"):
            client.get(url, extensions={EXCHANGE: Exchange(0.05)})
        if fast:
            assert client.get(url, extensions={EXCHANGE: Exchange(30)}).text == "body"


def test_a_connection_that_is_refused_is_an_error_of_httpx() -> None:
    with httpx.Client(transport=DeadlineTransport()) as client, pytest.raises(httpx.ConnectError):
        client.get("http://127.0.0.1:9")


def test_requests_go_through_the_proxy_of_the_environment_unless_it_excludes_the_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with listening(Proxy) as url, httpx.Client(transport=DeadlineTransport()) as client:
        monkeypatch.setenv("http_proxy", url)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        client.get("http://qdrant.invalid/aliases")
        client.get(f"{url}/aliases")
        monkeypatch.delenv("no_proxy")
        client.get(f"{url}/collections")
    assert asked == ["http://qdrant.invalid/aliases", "/aliases", "/collections"]


def test_another_thread_ends_a_request_that_waits_for_its_answer() -> None:
    exchange, silent = Exchange(), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            connection = listener.accept()[0]
            with connection:
                connection.recv(1 << 16)
                exchange.cancel()
                silent.wait(30)

        threading.Thread(target=accept, daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with httpx.Client(transport=DeadlineTransport()) as client:
            with pytest.raises(httpx.TransportError):
                client.get(url, extensions={EXCHANGE: exchange}, timeout=20)
            with pytest.raises(httpx.ReadError, match="cancelled"):
                client.get(url, extensions={EXCHANGE: exchange})
        silent.set()
