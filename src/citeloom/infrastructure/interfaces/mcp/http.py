"""The server over streamable HTTP, on loopback, for those who have the token."""

from __future__ import annotations

import asyncio
import signal
import socket
from types import FrameType
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server

from citeloom.application.library import Library
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.interfaces.access_token import AccessToken
from citeloom.infrastructure.interfaces.bearer_gate import BearerGate
from citeloom.infrastructure.interfaces.connections import Connection
from citeloom.infrastructure.interfaces.mcp.server import make_server
from citeloom.infrastructure.interfaces.mcp.state import ServerState

HOST = "127.0.0.1"
_LARGEST_BODY = 1 << 20
_GRACE_SECONDS = 5


def listening(port: int) -> socket.socket:
    """A socket at that port of the loopback address. Raises `ConfigError` where it is taken."""
    found = socket.socket()
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HOST, port))
    except OSError as error:
        found.close()
        raise ConfigError(
            f"port {port} cannot be used: {error.strerror}", "Name another with --port."
        ) from error
    return found


def serve_http(library: Library, token: AccessToken, at: socket.socket) -> None:
    """Serve clients at `http://127.0.0.1:PORT/mcp` until a signal asks to stop; then stop jobs in
    order and close the library.
    """
    state = ServerState.of(library)
    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, _let_it_end)
    try:
        asyncio.run(_serve(make_server(state), token, at))
    finally:
        state.close()


def _let_it_end(_number: int, _frame: FrameType | None) -> None:
    """Uvicorn, which has stopped at the signal, raises it again before anything is closed."""


async def _serve(server: Server[Any], token: AccessToken, at: socket.socket) -> None:
    app = server.streamable_http_app(host=HOST, max_request_body_size=_LARGEST_BODY)
    config = uvicorn.Config(
        BearerGate(app, token),
        http=Connection,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    await uvicorn.Server(config).serve(sockets=[at])
