"""The MCP server over streamable HTTP, as an ASGI app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, Any

from starlette.types import Receive, Scope, Send

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

MCP_PATH = "/mcp"
IDLE_SECONDS = 900.0
"""A session ends when nothing was asked in it, and nobody listened, for so long."""
MOST_SESSIONS = 100
MAX_MESSAGE_BYTES = 1 << 20
_POLL_SECONDS = 0.2


class McpApp:
    """Answers clients of the server that `make` returns at the first request, so that who never
    asks waits for no import; all sessions end when `ending` is set.

    Sessions end when they are idle for so long; while there are as many as there may be, another
    one is refused with 503. Who may ask has been checked before.
    """

    def __init__(
        self,
        make: Callable[[], Server[Any]],
        ending: Event,
        *,
        idle_seconds: float = IDLE_SECONDS,
        sessions: int = MOST_SESSIONS,
    ) -> None:
        self._make = make
        self._ending = ending
        self._idle_seconds = idle_seconds
        self._sessions = sessions
        self._beginning = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._beginning:
            manager = self._manager or await self._begun()
        await manager.handle_request(scope, receive, send)

    async def _begun(self) -> StreamableHTTPSessionManager:
        self._manager = manager = await asyncio.to_thread(self._manager_of_sessions)
        is_ready = asyncio.Event()
        self._running = asyncio.create_task(self._run(manager, is_ready))
        await is_ready.wait()
        return manager

    def _manager_of_sessions(self) -> StreamableHTTPSessionManager:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        return StreamableHTTPSessionManager(
            app=self._make(),
            max_request_body_size=MAX_MESSAGE_BYTES,
            session_idle_timeout=self._idle_seconds,
            max_sessions=self._sessions,
        )

    async def _run(self, manager: StreamableHTTPSessionManager, is_ready: asyncio.Event) -> None:
        async with manager.run():
            is_ready.set()
            while not self._ending.is_set():
                await asyncio.sleep(_POLL_SECONDS)
