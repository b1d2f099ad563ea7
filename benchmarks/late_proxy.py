"""A proxy on the loopback interface whose answers come late, as those of a machine far away."""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

AWAY = 0.02
"""The seconds by which answers of a machine far away are late."""


@dataclass
class Carried:
    """The bytes that came back through the proxy."""

    received: int = 0


@contextmanager
def late(connect: Callable[[], socket.socket], seconds: float) -> Iterator[tuple[int, Carried]]:
    """The port of a proxy to what `connect` reaches; what comes back is `seconds` late."""
    carried = Carried()
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(
        target=_accept, args=(listener, connect, seconds, carried), daemon=True
    ).start()
    try:
        yield listener.getsockname()[1], carried
    finally:
        listener.close()


@contextmanager
def late_server(address: str, seconds: float) -> Iterator[tuple[str, Carried]]:
    """The address of a proxy to a server over HTTP."""
    parts = urlsplit(address)
    place = (parts.hostname or "", parts.port or 80)
    with late(lambda: socket.create_connection(place), seconds) as (port, carried):
        yield f"http://127.0.0.1:{port}", carried


@contextmanager
def late_database(url: str, seconds: float) -> Iterator[tuple[str, Carried]]:
    """The address of a proxy to a PostgreSQL, which may be one that is reached by its socket."""
    parts = urlsplit(url)
    folder = dict(parse_qsl(parts.query)).get("host", "")
    place = (parts.hostname or "", parts.port or 5432)
    user = f"{parts.username}@" if parts.username else ""
    with late(
        lambda: _by_socket(folder) if folder else socket.create_connection(place), seconds
    ) as (port, carried):
        yield f"postgresql://{user}127.0.0.1:{port}{parts.path}", carried


def _by_socket(folder: str) -> socket.socket:
    connected = socket.socket(socket.AF_UNIX)
    [place] = (file for file in Path(folder).glob(".s.PGSQL.*") if file.suffix != ".lock")
    connected.connect(str(place))
    return connected


def _accept(
    listener: socket.socket,
    connect: Callable[[], socket.socket],
    seconds: float,
    carried: Carried,
) -> None:
    with suppress(OSError):
        while True:
            near, _ = listener.accept()
            far = connect()
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=_forward, args=(near, far), daemon=True).start()
            threading.Thread(target=_back, args=(far, near, seconds, carried), daemon=True).start()


def _forward(near: socket.socket, far: socket.socket) -> None:
    with suppress(OSError):
        while data := near.recv(1 << 16):
            far.sendall(data)
        far.shutdown(socket.SHUT_WR)


def _back(far: socket.socket, near: socket.socket, seconds: float, carried: Carried) -> None:
    """Each piece waits on its own, so that a large answer is late once."""
    pieces: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_hand_on, args=(pieces, near), daemon=True).start()
    with suppress(OSError):
        while data := far.recv(1 << 16):
            carried.received += len(data)
            pieces.put((time.monotonic() + seconds, data))
    pieces.put((time.monotonic() + seconds, b""))


def _hand_on(pieces: queue.SimpleQueue[tuple[float, bytes]], near: socket.socket) -> None:
    with suppress(OSError):
        while True:
            due, data = pieces.get()
            time.sleep(max(0.0, due - time.monotonic()))
            if not data:
                near.shutdown(socket.SHUT_WR)
                return
            near.sendall(data)
