"""The server through which the owner of a collection answers this user's other processes, and their
messages.
"""

from __future__ import annotations

import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
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
from typing import Any, get_type_hints

import msgspec

from citeloom.application.ports.embedders import DenseEmbedder, QuestionModels, SparseEmbedder
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain import errors
from citeloom.domain.retrieval.passage import DenseVector, SparseVector
from citeloom.infrastructure.stores.qdrant.edge.folder import (
    OwnerProcess,
    remove_owner,
    write_owner,
)
from citeloom.infrastructure.stores.records.payload import decoder
from citeloom.infrastructure.stores.records.points_index import PointsIndex


class SharedEmbedders:
    """The embedders that an owner shares, by the names of their models.

    Each is built at its first use; its factory returns the same one every time. They embed one
    question at a time, and are never loaded for another process: a command that ends meanwhile
    would have to wait for that.
    """

    def __init__(
        self,
        *,
        dense: Mapping[str, Callable[[], DenseEmbedder]] | None = None,
        sparse: Mapping[str, Callable[[], SparseEmbedder | None]] | None = None,
    ) -> None:
        self._dense = dict(dense or {})
        self._sparse = dict(sparse or {})
        self._lock = Lock()

    @classmethod
    def of(cls, models: QuestionModels) -> SharedEmbedders:
        """Those of a project, without a service that each process asks itself."""
        dense = {} if models.dense_is_remote else {models.dense_name: models.dense}
        sparse = {models.sparse_name: models.sparse} if models.sparse_name else {}
        return cls(dense=dense, sparse=sparse)

    def add(self, others: SharedEmbedders) -> None:
        """Share these as well."""
        self._dense |= others._dense
        self._sparse |= others._sparse

    def embed_dense(self, model_id: str, text: str) -> DenseVector | None:
        """The vector of a question; None for a model that is unknown or not loaded."""
        embedder = self._dense.get(model_id, _none)()
        if embedder is None or not embedder.is_loaded:
            return None
        with self._lock:
            return embedder.embed_query(text)

    def embed_texts(self, model_id: str, texts: list[str]) -> list[DenseVector] | None:
        """The vectors of passages; None for a model that is unknown or not loaded."""
        embedder = self._dense.get(model_id, _none)()
        if embedder is None or not embedder.is_loaded:
            return None
        with self._lock:
            return embedder.embed_passages(texts)

    def embed_sparse(self, model_id: str, text: str) -> SparseVector | None:
        """The terms of a question; None for a model that is unknown or not loaded."""
        embedder = self._sparse.get(model_id, _none)()
        if embedder is None or not embedder.is_loaded:
            return None
        with self._lock:
            return embedder.embed_query(text)


def _none() -> None:
    return None


# The messages between the clients and the owner of a collection, as MessagePack.

HEARTBEAT = b""


CALLS: Mapping[str, type] = {
    **dict.fromkeys(
        (
            "create stage promote drop optimize flush upsert delete update_metadata search "
            "search_batch search_texts fetch scroll_batch chunk_ids count facets describe"
        ).split(),
        VectorIndex,
    ),
    **dict.fromkeys(("scroll_page", "text_page", "examine_page"), PointsIndex),
    **dict.fromkeys(("embed_dense", "embed_texts", "embed_sparse"), SharedEmbedders),
}
"""The calls there are, each a method of one of these, with its types."""


class CallRequest(msgspec.Struct, array_like=True):
    """A call and its encoded arguments."""

    call: str
    arguments: msgspec.Raw


class CallResult(msgspec.Struct, array_like=True, tag="Answer"):
    """The encoded result of a call."""

    result: msgspec.Raw


class CallFailure(msgspec.Struct, array_like=True, tag="Failure"):
    """Why a call failed; `code` is the code of the error's class."""

    code: str
    message: str
    hint: str


_encode = msgspec.msgpack.Encoder().encode
_requests = msgspec.msgpack.Decoder(CallRequest)
_replies = msgspec.msgpack.Decoder(CallResult | CallFailure)


@cache
def _types(call: str) -> tuple[Any, Any]:
    """The types of a call's arguments and of its result."""
    types = get_type_hints(getattr(CALLS[call], call))
    result = types.pop("return")
    return tuple[tuple(types.values())], result  # type: ignore[misc]


def encode_request(call: str, arguments: Sequence[object]) -> bytes:
    return _encode((call, tuple(arguments)))


def decode_request(message: bytes) -> tuple[str, tuple[Any, ...]]:
    """The call and its arguments. Raises `ValueError` for an unknown call."""
    received = _requests.decode(message)
    if received.call not in CALLS:
        raise ValueError(f"there is no call '{received.call}'")
    return received.call, decoder(_types(received.call)[0]).decode(received.arguments)


def encode_result(result: object) -> bytes:
    return _encode(CallResult(msgspec.Raw(_encode(result))))


def encode_failure(error: Exception) -> bytes:
    if isinstance(error, errors.CiteloomError):
        return _encode(CallFailure(error.code, error.message, error.hint))
    return _encode(CallFailure("", f"{type(error).__name__}: {error}", ""))


def decode_result(call: str, message: bytes) -> Any:
    """The result of a call. Raises the error that the call failed with."""
    reply = _replies.decode(message)
    if isinstance(reply, CallResult):
        return decoder(_types(call)[1]).decode(reply.result)
    for kind in errors.CiteloomError.__subclasses__():
        if kind.code == reply.code:
            raise kind(reply.message, reply.hint)
    raise errors.IndexUnavailable(
        f"The process that holds the index failed: {reply.message}",
        "Try again; if it fails again, stop that process.",
    )


class ClientSession:
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
            while self._stop not in wait([self._connection, self._stop]):
                self.busy = True
                try:
                    reply = self._reply(self._connection.recv_bytes())
                    with self._sending:
                        self.busy = False
                        self._connection.send_bytes(reply)
                finally:
                    self.busy = False

    def _reply(self, message: bytes) -> bytes:
        try:
            return encode_result(self._handle(*decode_request(message)))
        except EOFError:
            raise
        except Exception as error:  # noqa: BLE001 - any failure is reported to the client
            return encode_failure(error)


Handler = Callable[[str, tuple[Any, ...]], object]

_LONGEST_ADDRESS = 100
"""Bytes; the system's limit on the path of a socket is a little more than this."""
_BACKLOG = 64
_HEARTBEAT_SECONDS = 1.0
_DRAIN_SECONDS = 10.0
_POLL_SECONDS = 0.005


class CollectionServer:
    """Answers calls about one collection from `start` to `close`, each connection in a thread.

    Until `start` no client knows its address, so that whoever handles the calls can be made whole.
    """

    def __init__(self, folder: Path, purpose: str, handle: Handler) -> None:
        self._handle = handle
        self._key = secrets.token_bytes(32)
        self._stopping = Event()
        self._closed = Event()
        self._stop_reader, self._stop_writer = Pipe(duplex=False)
        self._sessions: set[ClientSession] = set()
        self._guard = Lock()
        self._private_folder: Path | None = None
        self._listener = self._listen(folder)
        self._address = str(self._listener.address)
        self._last_call = time.monotonic()
        self._folder, self._owner = folder, OwnerProcess.this_process(purpose)

    def start(self) -> None:
        """Make the address known, and answer. Closes and raises `OSError` where it cannot be
        written.
        """
        owner = replace(self._owner, address=self._address, key=self._key.hex())
        try:
            write_owner(self._folder, owner)
        except OSError:
            self.close()
            raise
        for work in (self._accept, self._send_heartbeats):
            Thread(target=work, daemon=True).start()

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last call of another process; 0 while one is running."""
        return 0.0 if self._busy_sessions() else time.monotonic() - self._last_call

    @property
    def is_stopped(self) -> bool:
        """Whether it accepts no more calls."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Accept no more calls or connections; clients learn that this owner is gone."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        try:
            write_owner(self._folder, self._owner)
        except OSError:  # the disk is full, or read-only
            with suppress(OSError):
                remove_owner(self._folder)
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
                connection = self._listener.accept()
                session = ClientSession(connection, self._key, self._answer, self._stop_reader)
                with self._guard:
                    self._sessions = {known for known in self._sessions if known.is_open}
                    self._sessions.add(session)
                    session.start()
            except OSError:
                if not self._stopping.is_set():
                    time.sleep(0.1)  # too many open files: retry when some are closed

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

    def _busy_sessions(self) -> list[ClientSession]:
        with self._guard:
            return [session for session in self._sessions if session.busy]
