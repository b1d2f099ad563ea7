"""The server over streamable HTTP, for those who have the token."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Collection
from types import FrameType
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.interfaces.access_token import AccessToken, BearerGate
from citeloom.infrastructure.interfaces.connections import Connection
from citeloom.infrastructure.interfaces.mcp.server import make_server
from citeloom.infrastructure.interfaces.mcp.tool_call import ServerState
from citeloom.infrastructure.interfaces.mcp.tools import Offer
from citeloom.infrastructure.library.library import Library

LOOPBACK = "127.0.0.1"
IDLE_SECONDS = 900.0
"""A session ends when nothing was asked in it, and nobody listened, for so long."""
MOST_SESSIONS = 100
_LARGEST_BODY = 1 << 20
_GRACE_SECONDS = 5
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


def listening(host: str, port: int) -> socket.socket:
    """A socket at that port of an address. Raises `ConfigError` where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise ConfigError(
            f"port {port} cannot be used at {host}: {str(error.strerror).partition(' (while')[0]}",
            "Name another with --port, or another address with --host.",
        ) from error


def serve_http(library: Library, offer: Offer, token: AccessToken, at: socket.socket) -> None:
    """Serve clients at `/mcp` of the socket's address until a signal asks to stop; then stop jobs
    in order and close the library.
    """
    state = ServerState.of(library)
    app = http_app(
        make_server(state, offer),
        hosts=(at.getsockname()[0], *library.server.hosts),
        origins=library.server.origins,
    )
    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, _let_it_end)
    try:
        asyncio.run(_serve(BearerGate(app, token), at))
    finally:
        state.close()


def http_app(
    server: Server[Any],
    *,
    hosts: Collection[str] = (),
    origins: Collection[str] = (),
    idle_seconds: float = IDLE_SECONDS,
    sessions: int = MOST_SESSIONS,
) -> Starlette:
    """The server as an ASGI application, which answers under its local names and those of `hosts`,
    and the web pages at `origins`. Sessions end when they are idle for so long; while there are as
    many as there may be, another one is refused with 503.
    """
    names = [f"[{name}]" if ":" in name and name[0] != "[" else name for name in hosts]
    every = [*_LOCAL, *names]
    return server.streamable_http_app(
        max_request_body_size=_LARGEST_BODY,
        session_idle_timeout=idle_seconds,
        max_sessions=sessions,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[*every, *(f"{name}:*" for name in every)],
            allowed_origins=[*(f"http://{name}:*" for name in _LOCAL), *origins],
        ),
    )


def _let_it_end(_number: int, _frame: FrameType | None) -> None:
    """Uvicorn, which has stopped at the signal, raises it again before anything is closed."""


async def _serve(app: BearerGate, at: socket.socket) -> None:
    config = uvicorn.Config(
        app,
        http=Connection,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    await uvicorn.Server(config).serve(sockets=[at])
