"""A connection to the process that holds a collection."""

from __future__ import annotations

import socket
import struct
import sys
import time
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, answer_challenge, deliver_challenge
from pathlib import Path
from typing import Any

from citeloom.domain.errors import IndexLocked
from citeloom.infrastructure.stores.shared.holder import PROTOCOL, Holder
from citeloom.infrastructure.stores.shared.messages import PULSE, read_answer, request

_GLANCE = 1.0
"""Seconds between two looks at whether the holder was stopped."""


class HolderLost(Exception):
    """The holder is gone, or holds the collection no more."""


class HolderConnection:
    """Calls to a holder, one at a time.

    A holder that says nothing for `patience` seconds, not even that it is at work, counts as
    hung: `IndexLocked` is raised, and the connection is of no more use.
    """

    def __init__(self, name: str, holder: Holder, *, patience: float) -> None:
        self._name = name
        self._holder = holder
        self._patience = patience
        try:
            self._connection = self._connected(bytes.fromhex(holder.key))
        except (BlockingIOError, TimeoutError) as error:
            raise self._hung() from error
        except (EOFError, OSError, ValueError, AuthenticationError) as error:
            raise HolderLost from error

    def call(self, call: str, arguments: tuple[object, ...]) -> Any:
        """The result of a call. Raises the error it failed with, or `HolderLost`."""
        try:
            self._connection.send_bytes(request(call, arguments))
            message = self._answer()
        except (BlockingIOError, TimeoutError) as error:
            raise self._hung() from error
        except (EOFError, OSError) as error:
            raise HolderLost from error
        return read_answer(call, message)

    def close(self) -> None:
        """Hang up."""
        with suppress(OSError):
            self._connection.close()

    def _connected(self, key: bytes) -> Connection:
        if self._holder.protocol != PROTOCOL:
            raise IndexLocked(
                f"Collection '{self._name}' is in use by {self._holder} of another version",
                f"Wait until it has finished, or stop process {self._holder.pid}.",
            )
        connection = _opened(self._holder.address, self._patience)
        self._await(connection)
        answer_challenge(connection, key)
        deliver_challenge(connection, key)
        return connection

    def _answer(self) -> bytes:
        while True:
            self._await(self._connection)
            message = self._connection.recv_bytes()
            if message != PULSE:
                return message

    def _await(self, connection: Connection) -> None:
        give_up = time.monotonic() + self._patience
        while not connection.poll(min(_GLANCE, self._patience)):
            if time.monotonic() >= give_up or _is_stopped(self._holder.pid):
                raise TimeoutError

    def _hung(self) -> IndexLocked:
        pid = self._holder.pid
        state = "is stopped" if _is_stopped(pid) else "does not answer"
        return IndexLocked(
            f"Collection '{self._name}' is in use by {self._holder}, which {state}",
            f"Let process {pid} go on, or end it: kill {pid}",
        )


def _opened(address: str, patience: float) -> Connection:
    if sys.platform == "win32":
        return Client(address)
    opened = socket.socket(socket.AF_UNIX)
    try:
        opened.settimeout(patience)
        opened.connect(address)
        opened.settimeout(None)
        limit = struct.pack("@ll", int(patience) + 1, 0)
        for way in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            opened.setsockopt(socket.SOL_SOCKET, way, limit)
    except OSError:
        opened.close()
        raise
    return Connection(opened.detach())


def _is_stopped(pid: int) -> bool:
    """Whether the process was told to stop; False where the system does not say."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] == "T"
