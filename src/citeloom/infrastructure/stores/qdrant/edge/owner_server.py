"""The server through which the owner of a collection answers this user's other processes, and their
messages.
"""

from __future__ import annotations

import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
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

import msgspec

from citeloom.application.ports.vector_index import IndexDescription, MetadataUpdate
from citeloom.domain import errors
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.passage import (
    BatchHits,
    DenseVector,
    EmbeddedChunk,
    ExaminedChunk,
    Hit,
    IndexQuery,
    Selection,
    SparseVector,
    StoredChunk,
)
from citeloom.infrastructure.stores.qdrant.edge.folder import OwnerProcess, write_owner
from citeloom.infrastructure.stores.records.payload import decoder

# The messages between the clients and the owner of a collection, as MessagePack.

HEARTBEAT = b""


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of a call's arguments and of its result."""

    arguments: Any
    result: Any


CALLS = {
    "create": Signature(tuple[Collection], None),
    "stage": Signature(tuple[Collection], str),
    "promote": Signature(tuple[str], None),
    "drop": Signature(tuple[str], None),
    "optimize": Signature(tuple[str], None),
    "flush": Signature(tuple[str], None),
    "upsert": Signature(tuple[str, list[EmbeddedChunk]], None),
    "delete": Signature(tuple[str, Selection, frozenset[str]], int),
    "update_metadata": Signature(tuple[str, Selection, MetadataUpdate], None),
    "search": Signature(tuple[str, IndexQuery], list[Hit]),
    "search_batch": Signature(tuple[str, list[IndexQuery], list[IndexQuery]], BatchHits),
    "fetch": Signature(tuple[str, Selection, list[str]], list[StoredChunk]),
    "scroll_batch": Signature(tuple[str, list[Selection]], list[list[StoredChunk]]),
    "scroll_page": Signature(
        tuple[str, Selection, str | None], tuple[list[StoredChunk], str | None]
    ),
    "examine_page": Signature(
        tuple[str, Selection, str | None], tuple[list[ExaminedChunk], str | None]
    ),
    "chunk_ids": Signature(tuple[str, Selection], frozenset[str]),
    "count": Signature(tuple[str, Selection], int),
    "facets": Signature(tuple[str, str, Selection], dict[str, int]),
    "describe": Signature(tuple[str], IndexDescription),
    "embed_dense": Signature(tuple[str, str], DenseVector | None),
    "embed_texts": Signature(tuple[str, list[str]], list[DenseVector] | None),
    "embed_sparse": Signature(tuple[str, str], SparseVector | None),
}


class Request(msgspec.Struct, array_like=True):
    """A call and its encoded arguments."""

    call: str
    arguments: msgspec.Raw


class CallResult(msgspec.Struct, array_like=True, tag="Answer"):
    """The encoded result of a call."""

    result: msgspec.Raw


class Failure(msgspec.Struct, array_like=True, tag=True):
    """Why a call failed; `code` is the code of the error's class."""

    code: str
    message: str
    hint: str


_encode = msgspec.msgpack.Encoder().encode
_requests = msgspec.msgpack.Decoder(Request)
_answers = msgspec.msgpack.Decoder(CallResult | Failure)


def request(call: str, arguments: Sequence[object]) -> bytes:
    """An encoded request."""
    return _encode((call, tuple(arguments)))


def read_request(message: bytes) -> tuple[str, tuple[Any, ...]]:
    """The call and its arguments. Raises `ValueError` for an unknown call."""
    received = _requests.decode(message)
    if received.call not in CALLS:
        raise ValueError(f"there is no call '{received.call}'")
    arguments = decoder(CALLS[received.call].arguments).decode(received.arguments)
    return received.call, arguments


def answer(result: object) -> bytes:
    """An encoded result."""
    return _encode(CallResult(msgspec.Raw(_encode(result))))


def failure(error: Exception) -> bytes:
    """An encoded failure."""
    if isinstance(error, errors.CiteloomError):
        return _encode(Failure(error.code, error.message, error.hint))
    return _encode(Failure("", f"{type(error).__name__}: {error}", ""))


def read_answer(call: str, message: bytes) -> Any:
    """The result of a call. Raises the error that the call failed with."""
    reply = _answers.decode(message)
    if isinstance(reply, Failure):
        raise _error(reply)
    return decoder(CALLS[call].result).decode(reply.result)


def _error(failed: Failure) -> errors.CiteloomError:
    kind = _error_classes().get(failed.code)
    if kind is not None:
        return kind(failed.message, failed.hint)
    return errors.IndexUnavailable(
        f"The process that holds the index failed: {failed.message}",
        "Try again; if it fails again, stop that process.",
    )


@cache
def _error_classes() -> dict[str, type[errors.CiteloomError]]:
    return {kind.code: kind for kind in errors.CiteloomError.__subclasses__()}


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
