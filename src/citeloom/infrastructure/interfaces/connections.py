"""Connections of HTTP servers, which do not stay open for those who send nothing."""

from __future__ import annotations

import asyncio
import socket

from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 15.0


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection whose answers are sent at once, and that is closed when no whole request has
    arrived in `SECONDS` to twice that.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to watch the connection. Without `TCP_NODELAY` the body of an answer waits 40 ms
        for the acknowledgement of its head.
        """
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)
        self._answered: object = None
        self._watch = self.loop.call_later(SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Watch it no longer."""
        self._watch.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        """Close the connection if all it had to answer was answered when last looked at."""
        cycle = self.cycle
        is_open = cycle is not None and not cycle.response_complete
        if not is_open and cycle is self._answered:
            self.transport.close()
            return
        self._answered = None if is_open else cycle
        self._watch = self.loop.call_later(SECONDS, self._look)
