"""One collection as a process uses it: as its owner, or as a client of the owner."""

from __future__ import annotations

import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, answer_challenge, deliver_challenge
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from citeloom.application.disk_space import is_out_of_room, no_room_for
from citeloom.domain.errors import (
    CiteloomError,
    DiskFull,
    EmbeddingMismatch,
    IndexLocked,
    InvalidProject,
)
from citeloom.infrastructure.stores.qdrant.edge.folder import PROTOCOL, OwnerProcess, read_owner
from citeloom.infrastructure.stores.qdrant.edge.owner_server import (
    HEARTBEAT,
    CollectionServer,
    SharedEmbedders,
    decode_request,
    decode_result,
    encode_request,
)

if TYPE_CHECKING:
    from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex


# The client's side of a connection to the owner of a collection.

_POLL_SECONDS = 1.0
"""How often to check whether the owner process is suspended."""


class OwnerLost(Exception):
    """The owner has ended or released the collection."""


class OwnerConnection:
    """Calls to an owner, one at a time.

    An owner that sends neither an answer nor a heartbeat for `answer_timeout` seconds counts as
    unresponsive: `IndexLocked` is raised, and the connection must be closed.
    """

    def __init__(self, name: str, owner: OwnerProcess, *, answer_timeout: float) -> None:
        self._name = name
        self._owner = owner
        self._answer_timeout = answer_timeout
        try:
            self._connection = self._authenticated(bytes.fromhex(owner.key))
        except (BlockingIOError, TimeoutError) as error:
            raise self._unresponsive() from error
        except (EOFError, OSError, ValueError, AuthenticationError) as error:
            raise OwnerLost from error

    def call(self, call: str, arguments: tuple[object, ...]) -> Any:
        """The result of a call. Raises the error that it failed with, or `OwnerLost`."""
        try:
            self._connection.send_bytes(encode_request(call, arguments))
            message = HEARTBEAT
            while message == HEARTBEAT:
                self._wait(self._connection)
                message = self._connection.recv_bytes()
        except (BlockingIOError, TimeoutError) as error:
            raise self._unresponsive() from error
        except (EOFError, OSError) as error:
            raise OwnerLost from error
        return decode_result(call, message)

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self._connection.close()

    def _authenticated(self, key: bytes) -> Connection:
        if self._owner.protocol != PROTOCOL:
            raise IndexLocked(
                f"Collection '{self._name}' is in use by {self._owner} of another version",
                f"Wait until it has finished, or stop process {self._owner.pid}.",
            )
        connection = _open_socket(self._owner.address, self._answer_timeout)
        self._wait(connection)
        answer_challenge(connection, key)
        deliver_challenge(connection, key)
        return connection

    def _wait(self, connection: Connection) -> None:
        deadline = time.monotonic() + self._answer_timeout
        while not connection.poll(min(_POLL_SECONDS, self._answer_timeout)):
            if time.monotonic() >= deadline or _is_stopped(self._owner.pid):
                raise TimeoutError

    def _unresponsive(self) -> IndexLocked:
        pid = self._owner.pid
        state = "is suspended" if _is_stopped(pid) else "does not answer"
        return IndexLocked(
            f"Collection '{self._name}' is in use by {self._owner}, which {state}",
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


_JOURNAL_BYTES = 64_000_000
_RETRY_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingOptions:
    """How a collection is shared.

    `open_embedded` makes an index that does not wait for locks. A lock owner has `lock_timeout`
    seconds to start its server, and then `answer_timeout` seconds for each answer or heartbeat.
    """

    open_embedded: Callable[[], QdrantEdgeIndex]
    models: SharedEmbedders
    lock_timeout: float
    answer_timeout: float
    purpose: str


class SharedCollection:
    """Calls to one collection, whichever process is its owner.

    When the owner dies a call is retried with the next owner, which may be this process. Before
    that, the journal of writes that were not flushed is replayed in order. An owner whose disk has
    no room to open the shard ceases to be it: nobody could read a copy while it had the lock.
    """

    def __init__(self, name: str, folder: Path, options: SharingOptions) -> None:
        self._name = name
        self._folder = folder
        self._options = options
        self._role: _OwnerRole | _ClientRole | None = None
        self._role_lock = RLock()
        self._write_lock = RLock()
        self._journal: list[tuple[str, bytes]] = []

    @property
    def server(self) -> CollectionServer | None:
        """The server of the collection, if this process is the owner."""
        return self._role.server if isinstance(self._role, _OwnerRole) else None

    def acquire(self) -> bool:
        """Connect to the owner or become it; whether this process is the owner."""
        return isinstance(self._current_role(), _OwnerRole)

    def read(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of an idempotent call that needs no flush."""
        while True:
            role = self._current_role()
            try:
                return role.call(call, arguments)
            except OwnerLost:
                self._discard_role(role)

    def ask_owner(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a call that only another process can answer; None as the owner."""
        while isinstance(role := self._current_role(), _ClientRole):
            try:
                return role.call(call, arguments)
            except OwnerLost:
                self._discard_role(role)
        return None

    def write(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a call whose effect is durable only after the next `flush`; it stays in the
        journal until then.
        """
        with self._write_lock:
            if isinstance(self._current_role(), _OwnerRole):
                return self.read(call, arguments)
            entry = (str(arguments[0]), encode_request(call, arguments))
            self._journal.append(entry)
            try:
                result = self.read(call, arguments)
            except CiteloomError:
                self._trim_journal(lambda logged: logged is entry)
                raise
            if sum(len(message) for _, message in self._journal) > _JOURNAL_BYTES:
                self.flush(str(arguments[0]))
            return result

    def flush(self, name: str) -> None:
        """Make all writes to `name` durable, and remove them from the journal."""
        with self._write_lock:
            self.read("flush", (name,))
            self._trim_journal(lambda logged: logged[0] == name)

    def close(self) -> None:
        """Release the collection; running calls of clients are answered first."""
        with self._write_lock, self._role_lock:
            if self._role is not None:
                self._role.close()
            self._role = None
            self._journal.clear()

    def _trim_journal(self, is_done: Callable[[tuple[str, bytes]], bool]) -> None:
        with self._role_lock:
            self._journal = [entry for entry in self._journal if not is_done(entry)]

    def _discard_role(self, role: _OwnerRole | _ClientRole) -> None:
        with self._role_lock:
            if self._role is role:
                self._role = None
                role.close()

    def _current_role(self) -> _OwnerRole | _ClientRole:
        if (role := self._role) is not None:
            return role
        with self._role_lock:
            while self._role is None:
                role = self._new_role()
                try:
                    for _, message in self._journal:
                        # A write that was refused, or whose collection was deleted since, has no
                        # effect.
                        with suppress(InvalidProject, EmbeddingMismatch):
                            role.call(*decode_request(message))
                except OwnerLost:
                    role.close()
                except BaseException:  # such as a full disk: nobody would know of this role
                    role.close()
                    raise
                else:
                    self._role = role
            return self._role

    def _new_role(self) -> _OwnerRole | _ClientRole:
        deadline = time.monotonic() + self._options.lock_timeout
        while True:
            owner = read_owner(self._folder)
            if owner is not None and owner.address:
                with suppress(OwnerLost):
                    timeout = self._options.answer_timeout
                    return _ClientRole(self._name, owner, answer_timeout=timeout)
            try:
                return _OwnerRole(self._name, self._folder, self._options)
            except IndexLocked:
                if time.monotonic() > deadline:
                    raise
            time.sleep(_RETRY_SECONDS)


class _OwnerRole:
    """This process has the collection open and serves it to clients."""

    def __init__(self, name: str, folder: Path, options: SharingOptions) -> None:
        self._models = options.models
        self._index = options.open_embedded()
        self._index.acquire(name)
        try:
            self.server = CollectionServer(folder, options.purpose, self.call_for_others)
            self.server.start()
        except OSError as error:
            self._index.close()
            if is_out_of_room(error):
                raise no_room_for(f"the folder {folder}") from error
            raise

    def call(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a call. Raises `OwnerLost` once the role is given up."""
        if self.server.is_stopped:
            raise OwnerLost
        try:
            if call == "delete":
                name, selection, keep = arguments
                return self._index.delete(name, selection, keep=keep)
            return getattr(self._index, call)(*arguments)
        except DiskFull:
            if not self._index.has_open_shard:
                self.server.stop()
                self._index.close()
            raise

    def call_for_others(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a client's call, which may also ask for the embedding of a question."""
        if call in {"embed_dense", "embed_texts", "embed_sparse"}:
            return getattr(self._models, call)(*arguments)
        return self.call(call, arguments)

    def close(self) -> None:
        self.server.stop()
        self._index.stop_optimizing()
        self.server.close()
        self._index.close()


class _ClientRole:
    """Another process is the owner; each thread has a connection of its own."""

    def __init__(self, name: str, owner: OwnerProcess, *, answer_timeout: float) -> None:
        self._name = name
        self._owner = owner
        self._answer_timeout = answer_timeout
        self._guard = Lock()
        self._closed = False
        self._idle = [self._connect()]

    def call(self, call: str, arguments: tuple[Any, ...]) -> Any:
        with self._guard:
            connection = self._idle.pop() if self._idle else None
        connection = connection or self._connect()
        try:
            result = connection.call(call, arguments)
        except (IndexLocked, OwnerLost):
            connection.close()
            raise
        except CiteloomError:
            self._release(connection)
            raise
        except BaseException:  # interrupted: the pending answer must not reach the next call
            connection.close()
            raise
        self._release(connection)
        return result

    def close(self) -> None:
        with self._guard:
            self._closed = True
            for connection in self._idle:
                connection.close()
            self._idle = []

    def _connect(self) -> OwnerConnection:
        return OwnerConnection(self._name, self._owner, answer_timeout=self._answer_timeout)

    def _release(self, connection: OwnerConnection) -> None:
        with self._guard:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()
