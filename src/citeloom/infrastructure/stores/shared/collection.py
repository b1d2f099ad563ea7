"""One collection as a process uses it: as its holder, or as a client of the holder."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from citeloom.domain.errors import CiteloomError, EmbeddingMismatch, IndexLocked, InvalidProject
from citeloom.infrastructure.stores.shared.connection import HolderConnection, HolderLost
from citeloom.infrastructure.stores.shared.holder import Holder, read_holder
from citeloom.infrastructure.stores.shared.messages import read_request, request
from citeloom.infrastructure.stores.shared.models import Models
from citeloom.infrastructure.stores.shared.server import CollectionServer

if TYPE_CHECKING:
    from citeloom.infrastructure.stores.qdrant.edge_index import QdrantEdgeIndex

WRITES = frozenset({"upsert", "delete", "update_metadata"})
"""Calls whose effect is durable only after the next `flush`."""

_JOURNAL_BYTES = 64_000_000
_RETRY_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingOptions:
    """How a collection is shared.

    `open_embedded` makes an index that does not wait for locks. A lock owner has `lock_timeout`
    seconds to start its server, and then `answer_timeout` seconds for each answer or heartbeat.
    """

    open_embedded: Callable[[], QdrantEdgeIndex]
    models: Models
    lock_timeout: float
    answer_timeout: float
    purpose: str


class SharedCollection:
    """Calls to one collection, whichever process is its holder.

    When the holder dies a call is retried with the next holder, which may be this process. Before
    that, the journal of writes that were not flushed is replayed in order.
    """

    def __init__(self, name: str, folder: Path, options: SharingOptions) -> None:
        self._name = name
        self._folder = folder
        self._options = options
        self._role: _HolderRole | _ClientRole | None = None
        self._role_lock = RLock()
        self._write_lock = RLock()
        self._journal: list[tuple[str, bytes]] = []

    @property
    def server(self) -> CollectionServer | None:
        """The server of the collection, if this process is the holder."""
        return self._role.server if isinstance(self._role, _HolderRole) else None

    def acquire(self) -> bool:
        """Connect to the holder or become it; whether this process is the holder."""
        return isinstance(self._current_role(), _HolderRole)

    def read(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of an idempotent call that needs no flush."""
        while True:
            role = self._current_role()
            try:
                return role.call(call, arguments)
            except HolderLost:
                self._discard_role(role)

    def ask_holder(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a call that only another process can answer; None as the holder."""
        while isinstance(role := self._current_role(), _ClientRole):
            try:
                return role.call(call, arguments)
            except HolderLost:
                self._discard_role(role)
        return None

    def write(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a call of `WRITES`, which stays in the journal until it is flushed."""
        with self._write_lock:
            if isinstance(self._current_role(), _HolderRole):
                return self.read(call, arguments)
            entry = (str(arguments[0]), request(call, arguments))
            self._journal.append(entry)
            try:
                result = self.read(call, arguments)
            except CiteloomError:
                self._trim_journal(lambda one: one is entry)
                raise
            if sum(len(message) for _, message in self._journal) > _JOURNAL_BYTES:
                self.flush(str(arguments[0]))
            return result

    def flush(self, name: str) -> None:
        """Make all writes to `name` durable, and remove them from the journal."""
        with self._write_lock:
            self.read("flush", (name,))
            self._trim_journal(lambda one: one[0] == name)

    def close(self) -> None:
        """Release the collection; running calls of clients are answered first."""
        with self._write_lock, self._role_lock:
            if self._role is not None:
                self._role.close()
            self._role = None
            self._journal.clear()

    def _trim_journal(self, which: Callable[[tuple[str, bytes]], bool]) -> None:
        with self._role_lock:
            self._journal = [one for one in self._journal if not which(one)]

    def _discard_role(self, role: _HolderRole | _ClientRole) -> None:
        with self._role_lock:
            if self._role is role:
                self._role = None
                role.close()

    def _current_role(self) -> _HolderRole | _ClientRole:
        if (role := self._role) is not None:
            return role
        with self._role_lock:
            while self._role is None:
                role = self._new_role()
                try:
                    self._replay(role)
                except HolderLost:
                    role.close()
                else:
                    self._role = role
            return self._role

    def _replay(self, role: _HolderRole | _ClientRole) -> None:
        for _, message in self._journal:
            # A write that was refused, or whose collection was deleted since, has no effect.
            with suppress(InvalidProject, EmbeddingMismatch):
                role.call(*read_request(message))

    def _new_role(self) -> _HolderRole | _ClientRole:
        deadline = time.monotonic() + self._options.lock_timeout
        while True:
            holder = read_holder(self._folder)
            if holder is not None and holder.address:
                with suppress(HolderLost):
                    timeout = self._options.answer_timeout
                    return _ClientRole(self._name, holder, answer_timeout=timeout)
            try:
                return _HolderRole(self._name, self._folder, self._options)
            except IndexLocked:
                if time.monotonic() > deadline:
                    raise
            time.sleep(_RETRY_SECONDS)


class _HolderRole:
    """This process has the collection open and serves it to clients."""

    def __init__(self, name: str, folder: Path, options: SharingOptions) -> None:
        self._models = options.models
        self._index = options.open_embedded()
        self._index.acquire(name)
        try:
            self.server = CollectionServer(folder, options.purpose, self.call_for_others)
        except OSError:
            self._index.close()
            raise

    def call(self, call: str, arguments: tuple[Any, ...]) -> Any:
        if call == "delete":
            name, selection, keep = arguments
            return self._index.delete(name, selection, keep=keep)
        return getattr(self._index, call)(*arguments)

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
    """Another process is the holder; each thread has a connection of its own."""

    def __init__(self, name: str, holder: Holder, *, answer_timeout: float) -> None:
        self._name = name
        self._holder = holder
        self._answer_timeout = answer_timeout
        self._guard = Lock()
        self._closed = False
        self._idle = [self._connect()]

    def call(self, call: str, arguments: tuple[Any, ...]) -> Any:
        connection = self._acquire()
        try:
            result = connection.call(call, arguments)
        except (IndexLocked, HolderLost):
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

    def _connect(self) -> HolderConnection:
        return HolderConnection(self._name, self._holder, answer_timeout=self._answer_timeout)

    def _acquire(self) -> HolderConnection:
        with self._guard:
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _release(self, connection: HolderConnection) -> None:
        with self._guard:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()
