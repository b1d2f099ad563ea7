"""Connections of HTTP servers, which do not stay open for those who send nothing."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 15.0

Client = tuple[str, int]


class CountedRequests:
    """An app that counts the requests of each connection: those begun, and those that are open."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._counts: dict[Client, list[int]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        counts = self._counts.setdefault(scope["client"], [0, 0])
        counts[0] += 1
        counts[1] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            counts[1] -= 1

    def of(self, client: Client) -> tuple[int, int]:
        """The number of requests that a client has begun, and of those that are open."""
        begun, is_open = self._counts.get(client, (0, 0))
        return begun, is_open

    def forget(self, client: Client) -> None:
        """Forget a client that is gone."""
        self._counts.pop(client, None)


class Connection:
    """A connection of uvicorn's to an app of `CountedRequests`, whose answers are sent at once, and
    that is closed when no whole request has arrived in `SECONDS` to twice that.
    """

    def __init__(self, **options: Any) -> None:
        self._inner = AutoHTTPProtocol(**options)
        self._requests: CountedRequests = options["config"].app

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to watch the connection. Without `TCP_NODELAY` the body of an answer waits 40 ms
        for the acknowledgement of its head.
        """
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        host, port, *_ = transport.get_extra_info("peername")
        self._client, self._transport, self._answered = (host, port), transport, 0
        self._inner.connection_made(transport)
        self._watch = asyncio.get_running_loop().call_later(SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Watch it no longer."""
        self._watch.cancel()
        self._inner.connection_lost(exc)
        self._requests.forget(self._client)

    def __getattr__(self, name: str) -> Any:
        """Everything else of a protocol is uvicorn's."""
        return getattr(self._inner, name)

    def _look(self) -> None:
        """Close the connection if all it had to answer was answered when last looked at."""
        begun, is_open = self._requests.of(self._client)
        if not is_open and begun == self._answered:
            self._transport.close()
            return
        self._answered = -1 if is_open else begun
        self._watch = asyncio.get_running_loop().call_later(SECONDS, self._look)
