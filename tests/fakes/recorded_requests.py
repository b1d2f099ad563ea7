"""A server on this machine that records what it is asked for, and answers nothing."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread


class Requests:
    """The first line of each request that was sent to `address`."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self.address = "http://{}:{}".format(*listener.getsockname())
        self.seen: list[bytes] = []

    def record(self) -> None:
        """Record requests until the listener is shut down."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.seen.append(connection.recv(1000).split(b"\r\n")[0])


@contextmanager
def recorded_requests() -> Iterator[Requests]:
    """A server that records requests while this lasts."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        requests = Requests(listener)
        thread = Thread(target=requests.record)
        thread.start()
        try:
            yield requests
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
