"""The server over stdin and stdout, which carry the protocol and nothing else."""

from __future__ import annotations

import asyncio
import os
import signal
from threading import Lock, Thread
from types import FrameType

from mcp.server.stdio import stdio_server

from citeloom.application.library import Library
from citeloom.infrastructure.interfaces.mcp.server import make_server
from citeloom.infrastructure.interfaces.mcp.standard_output import StandardOutput
from citeloom.infrastructure.interfaces.mcp.state import ServerState


def serve_stdio(library: Library, output: StandardOutput) -> None:
    """Serve the client at the other end of stdin until that ends, or a signal asks to stop; then
    stop jobs in order and close the library.

    While it serves, descriptor 0 leads nowhere and 1 to stderr, for this process and its
    children; before and after, `output` is held.
    """
    state = ServerState.of(library)
    ending = Ending(state)
    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, ending.on_signal)
    asyncio.run(_serve(state, output))
    ending.end()


async def _serve(state: ServerState, output: StandardOutput) -> None:
    server = make_server(state)
    output.give_back()  # for the transport to take it over
    async with stdio_server() as (messages, answers):
        await server.run(messages, answers, server.create_initialization_options())
    output.hold()


class Ending:
    """Ends the server once, whoever asks first: the client, or a signal."""

    def __init__(self, state: ServerState) -> None:
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
