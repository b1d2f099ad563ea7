"""The MCP server over streamable HTTP, as an ASGI app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

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
        if scope["method"] == "POST":
            arrived, is_whole = await _body(receive)
            if is_whole and (refused := _refused(arrived)) is not None:
                await refused(scope, receive, send)
                return
            if arrived[-1]["type"] == "http.disconnect":
                return
            receive = _again(arrived, receive)
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


async def _body(receive: Receive) -> tuple[list[Message], bool]:
    """What has arrived of a request's body, and whether it is whole: of one that is too large only
    the beginning is read.
    """
    arrived, size = [await receive()], 0
    while True:
        size += len(arrived[-1].get("body", b""))
        if arrived[-1]["type"] == "http.disconnect" or size > MAX_MESSAGE_BYTES:
            return arrived, False
        if not arrived[-1].get("more_body", False):
            return arrived, True
        arrived.append(await receive())


def _again(arrived: list[Message], receive: Receive) -> Receive:
    """What has arrived, and then what does."""
    waiting = iter(arrived)

    async def received() -> Message:
        message = next(waiting, None)
        return await receive() if message is None else message

    return received


def _refused(arrived: list[Message]) -> Response | None:
    """The answer to a body that is no message; None to one that is."""
    from citeloom.infrastructure.interfaces.mcp.messages import message_in, refusal

    text = b"".join(message.get("body", b"") for message in arrived).decode("utf-8", "replace")
    if message_in(text) is not None:
        return None
    answer = refusal(text).model_dump_json(by_alias=True, exclude_unset=True)
    return Response(answer, status_code=400, media_type="application/json")
