"""A limit on the time of an answer that comes piece by piece."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Any

import httpx


class TimeLimit:
    """Cuts the connection of an answer after so many seconds, whoever is reading it then.

    Reading then fails or ends as if the service had closed the connection; `passed` tells. A
    timeout of httpx would begin anew with every byte.
    """

    def __init__(self, response: httpx.Response, seconds: float) -> None:
        self._response = response
        self._passed = threading.Event()
        self._timer = threading.Timer(max(0.0, seconds), self._cut)
        self._timer.daemon = True

    @property
    def passed(self) -> bool:
        """Whether the time was up before the answer was."""
        return self._passed.is_set()

    def lift(self) -> None:
        """Let the answer take its time."""
        self._timer.cancel()

    def __enter__(self) -> TimeLimit:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.lift()

    def _cut(self) -> None:
        self._passed.set()
        cut(self._response.extensions.get("network_stream"))


def cut(stream: Any) -> None:
    """Cut the connection of a network stream, if there is one, also while a thread reads it."""
    connection = stream.get_extra_info("socket") if stream else None
    with suppress(OSError):
        if connection is not None:
            connection.shutdown(socket.SHUT_RDWR)
