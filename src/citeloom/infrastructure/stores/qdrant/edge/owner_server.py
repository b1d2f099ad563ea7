"""The server through which the owner of a collection answers this user's other processes."""

from __future__ import annotations

import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Connection,
    Listener,
    Pipe,
    answer_challenge,
    deliver_challenge,
    wait,
)
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from citeloom.infrastructure.stores.qdrant.edge.owner_messages import (
    HEARTBEAT,
    OwnerProcess,
    answer,
    failure,
    read_request,
    write_owner,
)

# The server's side of one client connection.


class Session:
    """Answers the calls of one client in order until either side closes the connection.

    Nothing is read from a client before the handshake has proved that it knows the key.
    """

    def __init__(
        self,
        connection: Connection,
        key: bytes,
        handle: Callable[[str, tuple[Any, ...]], object],
        stop: Connection,
    ) -> None:
        self._connection = connection
        self._key = key
        self._handle = handle
        self._stop = stop
        self._sending = Lock()
        self._thread = Thread(target=self._run, daemon=True)
        self.busy = False

    @property
    def is_open(self) -> bool:
        """Whether the client may still send calls."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Answer calls in a thread of its own."""
        self._thread.start()

    def send_heartbeat(self) -> None:
        """Send a heartbeat while a call runs, unless its answer is being sent."""
        if self.busy and self._sending.acquire(blocking=False):
            try:
                if self.busy:
                    self._connection.send_bytes(HEARTBEAT)
            except (OSError, ValueError):
                pass
            finally:
                self._sending.release()

    def _run(self) -> None:
        with suppress(EOFError, OSError, AuthenticationError), self._connection:
            deliver_challenge(self._connection, self._key)
            answer_challenge(self._connection, self._key)
            while self._has_request():
                self.busy = True
                try:
                    self._reply(self._connection.recv_bytes())
                finally:
                    self.busy = False

    def _has_request(self) -> bool:
        ready = wait([self._connection, self._stop])
        return self._stop not in ready

    def _reply(self, message: bytes) -> None:
        reply = self._result(message)
        with self._sending:
            self.busy = False
            self._connection.send_bytes(reply)

    def _result(self, message: bytes) -> bytes:
        try:
            return answer(self._handle(*read_request(message)))
        except EOFError:
            raise
        except Exception as error:  # noqa: BLE001 - any failure is reported to the client
            return failure(error)


Handler = Callable[[str, tuple[Any, ...]], object]

_LONGEST_ADDRESS = 100
"""Bytes; the system's limit on the path of a socket is a little more than this."""
_BACKLOG = 64
_HEARTBEAT_SECONDS = 1.0
_DRAIN_SECONDS = 10.0
_POLL_SECONDS = 0.005


class CollectionServer:
    """Answers calls about one collection until `close`, each connection in a thread of its own."""

    def __init__(self, folder: Path, purpose: str, handle: Handler) -> None:
        self._handle = handle
        self._key = secrets.token_bytes(32)
        self._stopping = Event()
        self._closed = Event()
        self._stop_reader, self._stop_writer = Pipe(duplex=False)
        self._sessions: set[Session] = set()
        self._guard = Lock()
        self._private_folder: Path | None = None
        self._listener = self._listen(folder)
        self._address = str(self._listener.address)
        self._last_call = time.monotonic()
        self._folder, self._owner = folder, OwnerProcess.this_process(purpose)
        write_owner(folder, replace(self._owner, address=self._address, key=self._key.hex()))
        for work in (self._accept, self._send_heartbeats):
            Thread(target=work, daemon=True).start()

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last call of another process; 0 while one is running."""
        return 0.0 if self._busy_sessions() else time.monotonic() - self._last_call

    def stop(self) -> None:
        """Accept no more calls or connections; clients learn that this owner is gone."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        write_owner(self._folder, self._owner)
        with suppress(OSError, EOFError):
            Client(self._address).close()  # wakes the thread that accepts
        with suppress(OSError):
            self._listener.close()
        self._stop_writer.close()

    def close(self) -> None:
        """Stop, and return once the running calls are answered."""
        self.stop()
        deadline = time.monotonic() + _DRAIN_SECONDS
        while self._busy_sessions() and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        self._closed.set()
        if self._private_folder is not None:
            shutil.rmtree(self._private_folder, ignore_errors=True)

    def _listen(self, folder: Path) -> Listener:
        """A socket in the folder, or in a private one where that path is too long."""
        if sys.platform == "win32":
            return Listener(family="AF_PIPE", backlog=_BACKLOG)
        inside = folder.absolute() / "socket"
        if len(str(inside).encode()) > _LONGEST_ADDRESS:
            self._private_folder = Path(tempfile.mkdtemp(prefix="citeloom-"))
            inside = self._private_folder / "socket"
        inside.unlink(missing_ok=True)
        listener = Listener(str(inside), family="AF_UNIX", backlog=_BACKLOG)
        inside.chmod(0o600)
        return listener

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                self._start(self._listener.accept())
            except OSError:
                if not self._stopping.is_set():
                    time.sleep(0.1)  # too many open files: retry when some are closed

    def _start(self, connection: Connection) -> None:
        session = Session(connection, self._key, self._answer, self._stop_reader)
        with self._guard:
            self._sessions = {
                open_session for open_session in self._sessions if open_session.is_open
            } | {session}
            session.start()

    def _answer(self, call: str, arguments: tuple[Any, ...]) -> object:
        if self._stopping.is_set():
            raise EOFError
        try:
            return self._handle(call, arguments)
        except Exception as error:
            if self._stopping.is_set():
                raise EOFError from error  # stopped: the client retries with the next owner
            raise
        finally:
            self._last_call = time.monotonic()

    def _send_heartbeats(self) -> None:
        while not self._closed.wait(_HEARTBEAT_SECONDS):
            for session in self._busy_sessions():
                session.send_heartbeat()

    def _busy_sessions(self) -> list[Session]:
        with self._guard:
            return [session for session in self._sessions if session.busy]
