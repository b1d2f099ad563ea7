"""The server over stdin and stdout: a message a line, and an answer to each line that is none."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import signal
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from threading import Lock, Thread
from types import FrameType
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from citeloom.infrastructure.interfaces.calls import LibraryService
from citeloom.infrastructure.interfaces.mcp.mcp_server import Offer, make_server
from citeloom.infrastructure.interfaces.mcp.messages import message_in, refusal
from citeloom.infrastructure.library.library import Library

_READ_BYTES = 1 << 16


def serve_stdio(library: Library, offer: Offer, source: int, target: int) -> None:
    """Serve the client at the other end of these descriptors until it closes either, or a signal
    asks to stop; then stop jobs in order and close the library.
    """
    state = LibraryService.of(library)
    ending = Ending(state)
    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, ending.on_signal)
    asyncio.run(converse(make_server(state, offer), source, target))
    ending.end()


async def converse(server: Server[Any], source: int, target: int) -> None:
    """Answer messages from one descriptor by lines to another, until either is closed."""
    arriving, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    answers, leaving = anyio.create_memory_object_stream[SessionMessage](0)
    reading = (source, arriving, answers.clone(), asyncio.get_running_loop())
    Thread(target=_read, args=reading, name="reading", daemon=True).start()
    async with anyio.create_task_group() as tasks:

        async def write() -> None:
            with suppress(OSError):  # the client reads no more
                await _write_lines(leaving, target)
            tasks.cancel_scope.cancel()

        tasks.start_soon(write)
        await server.run(messages, answers, server.create_initialization_options())
        await answers.aclose()


def _read(
    source: int,
    messages: MemoryObjectSendStream[SessionMessage | Exception],
    answers: MemoryObjectSendStream[SessionMessage],
    loop: asyncio.AbstractEventLoop,
) -> None:
    """Hand on each message, and answer what is none, until there are no more lines. Nothing waits
    for the thread of this when the server ends.
    """

    def wait_for(step: Coroutine[Any, Any, None]) -> None:
        try:
            asyncio.run_coroutine_threadsafe(step, loop).result()
        finally:
            step.close()  # if the loop has ended before it took it

    with suppress(*_ENDED):
        for line in _lines(source):
            text = line.decode("utf-8", "replace")
            message = message_in(text)
            if message is None:
                wait_for(answers.send(SessionMessage(refusal(text))))
            else:
                wait_for(messages.send(SessionMessage(message)))
        wait_for(messages.aclose())
        wait_for(answers.aclose())


_ENDED = (
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    concurrent.futures.CancelledError,
    RuntimeError,
)
"""What a step raises when the server has ended meanwhile."""


def _lines(source: int) -> Iterator[bytes]:
    begun = b""
    while read := os.read(source, _READ_BYTES):
        *whole, rest = read.split(b"\n")
        if whole:
            yield from filter(bytes.strip, (begun + whole[0], *whole[1:]))
            begun = b""
        begun += rest
    if begun.strip():
        yield begun


async def _write_lines(messages: MemoryObjectReceiveStream[SessionMessage], target: int) -> None:
    async for message in messages:
        text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
        await anyio.to_thread.run_sync(_write, target, text.encode() + b"\n")


def _write(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data) :]


class Ending:
    """Ends the server once, whoever asks first: the client, or a signal."""

    def __init__(self, state: LibraryService) -> None:
        self._state = state
        self._lock = Lock()
        self._is_over = False

    def end(self) -> bool:
        """Close everything, or wait until that is done; whether this was the first to ask."""
        with self._lock:
            if self._is_over:
                return False
            self._is_over = True
            self._state.close()
            return True

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        """End beside the main thread, which cannot leave off reading stdin."""
        Thread(target=self._end_and_exit, name="ending").start()

    def _end_and_exit(self) -> None:
        if self.end():
            os._exit(0)
