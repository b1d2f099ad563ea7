"""The client's side of a connection to the holder of a collection."""

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
from citeloom.infrastructure.stores.shared.messages import HEARTBEAT, read_answer, request

_POLL_SECONDS = 1.0
"""How often to check whether the holder process is suspended."""


class HolderLost(Exception):
    """The holder has ended or released the collection."""


class HolderConnection:
    """Calls to a holder, one at a time.

    A holder that sends neither an answer nor a heartbeat for `answer_timeout` seconds counts as
    unresponsive: `IndexLocked` is raised, and the connection must be closed.
    """

    def __init__(self, name: str, holder: Holder, *, answer_timeout: float) -> None:
        self._name = name
        self._holder = holder
        self._answer_timeout = answer_timeout
        try:
            self._connection = self._authenticated(bytes.fromhex(holder.key))
        except (BlockingIOError, TimeoutError) as error:
            raise self._unresponsive() from error
        except (EOFError, OSError, ValueError, AuthenticationError) as error:
            raise HolderLost from error

    def call(self, call: str, arguments: tuple[object, ...]) -> Any:
        """The result of a call. Raises the error that it failed with, or `HolderLost`."""
        try:
            self._connection.send_bytes(request(call, arguments))
            message = self._receive_answer()
        except (BlockingIOError, TimeoutError) as error:
            raise self._unresponsive() from error
        except (EOFError, OSError) as error:
            raise HolderLost from error
        return read_answer(call, message)

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self._connection.close()

    def _authenticated(self, key: bytes) -> Connection:
        if self._holder.protocol != PROTOCOL:
            raise IndexLocked(
                f"Collection '{self._name}' is in use by {self._holder} of another version",
                f"Wait until it has finished, or stop process {self._holder.pid}.",
            )
        connection = _open_socket(self._holder.address, self._answer_timeout)
        self._wait(connection)
        answer_challenge(connection, key)
        deliver_challenge(connection, key)
        return connection

    def _receive_answer(self) -> bytes:
        while True:
            self._wait(self._connection)
            message = self._connection.recv_bytes()
            if message != HEARTBEAT:
                return message

    def _wait(self, connection: Connection) -> None:
        deadline = time.monotonic() + self._answer_timeout
        while not connection.poll(min(_POLL_SECONDS, self._answer_timeout)):
            if time.monotonic() >= deadline or _is_stopped(self._holder.pid):
                raise TimeoutError

    def _unresponsive(self) -> IndexLocked:
        pid = self._holder.pid
        state = "is suspended" if _is_stopped(pid) else "does not answer"
        return IndexLocked(
            f"Collection '{self._name}' is in use by {self._holder}, which {state}",
            f"Resume process {pid}, or end it: kill {pid}",
        )


def _open_socket(address: str, answer_timeout: float) -> Connection:
    if sys.platform == "win32":
        return Client(address)
    opened = socket.socket(socket.AF_UNIX)
    try:
        opened.settimeout(answer_timeout)
        opened.connect(address)
        opened.settimeout(None)
        limit = struct.pack("@ll", int(answer_timeout) + 1, 0)
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            opened.setsockopt(socket.SOL_SOCKET, option, limit)
    except OSError:
        opened.close()
        raise
    return Connection(opened.detach())


def _is_stopped(pid: int) -> bool:
    """Whether the process is suspended; False where the system cannot tell."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] == "T"
