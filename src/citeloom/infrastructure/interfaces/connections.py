"""Connections of HTTP servers, which do not stay open for those who send nothing."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 15.0


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection that is closed when no whole request has arrived in `SECONDS` to twice that."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to watch the connection."""
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
