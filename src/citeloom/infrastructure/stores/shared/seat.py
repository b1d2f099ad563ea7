"""A process's place at one collection: it holds the collection, or asks who does."""

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
"""Calls whose effect is safe only after the next `flush`."""

_JOURNAL_BYTES = 64_000_000
_SECONDS_BETWEEN_TRIES = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatOptions:
    """How a place is taken.

    `open_embedded` makes an index that does not wait for locks; who has the lock is waited for
    `lock_timeout` seconds to answer, and once it does, at most `patience` seconds for each sign
    of life.
    """

    open_embedded: Callable[[], QdrantEdgeIndex]
    models: Models
    lock_timeout: float
    patience: float
    purpose: str


class Seat:
    """Calls about one collection, whoever holds it at the time.

    Where the holder dies, the call is made again: to the next holder, or here, having become it.
    Before that, what this process wrote and has not flushed is written again, in its order.
    """

    def __init__(self, name: str, folder: Path, options: SeatOptions) -> None:
        self._name = name
        self._folder = folder
        self._options = options
        self._role: _Held | _Joined | None = None
        self._choosing = RLock()
        self._writing = RLock()
        self._journal: list[tuple[str, bytes]] = []

    @property
    def server(self) -> CollectionServer | None:
        """What serves the collection to other processes, if it is held here."""
        return self._role.server if isinstance(self._role, _Held) else None

    def take(self) -> bool:
        """Find the holder or become it; whether the collection is held here."""
        return isinstance(self._chosen(), _Held)

    def read(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a call that may be made twice, and leaves nothing to be made safe."""
        while True:
            role = self._chosen()
            try:
                return role.call(call, arguments)
            except HolderLost:
                self._leave(role)

    def ask(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a call that only another process answers; None where it is held here."""
        while isinstance(role := self._chosen(), _Joined):
            try:
                return role.call(call, arguments)
            except HolderLost:
                self._leave(role)
        return None

    def write(self, call: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a call of `WRITES`, remembered until it is flushed."""
        with self._writing:
            if isinstance(self._chosen(), _Held):
                return self.read(call, arguments)
            entry = (str(arguments[0]), request(call, arguments))
            self._journal.append(entry)
            try:
                result = self.read(call, arguments)
            except CiteloomError:
                self._forget(lambda one: one is entry)
                raise
            if sum(len(message) for _, message in self._journal) > _JOURNAL_BYTES:
                self.flush(str(arguments[0]))
            return result

    def flush(self, name: str) -> None:
        """Make what was written under `name` safe, and forget it."""
        with self._writing:
            self.read("flush", (name,))
            self._forget(lambda one: one[0] == name)

    def close(self) -> None:
        """Let go of the collection; running calls of others are answered first."""
        with self._writing, self._choosing:
            if self._role is not None:
                self._role.close()
            self._role = None
            self._journal.clear()

    def _forget(self, which: Callable[[tuple[str, bytes]], bool]) -> None:
        with self._choosing:
            self._journal = [one for one in self._journal if not which(one)]

    def _leave(self, role: _Held | _Joined) -> None:
        with self._choosing:
            if self._role is role:
                self._role = None
                role.close()

    def _chosen(self) -> _Held | _Joined:
        if (role := self._role) is not None:
            return role
        with self._choosing:
            while self._role is None:
                role = self._choose()
                try:
                    self._write_again(role)
                except HolderLost:
                    role.close()
                else:
                    self._role = role
            return self._role

    def _write_again(self, role: _Held | _Joined) -> None:
        for _, message in self._journal:
            # What was refused, or is of a collection that has since gone, is of no concern.
            with suppress(InvalidProject, EmbeddingMismatch):
                role.call(*read_request(message))

    def _choose(self) -> _Held | _Joined:
        give_up = time.monotonic() + self._options.lock_timeout
        while True:
            holder = read_holder(self._folder)
            if holder is not None and holder.address:
                with suppress(HolderLost):
                    return _Joined(self._name, holder, patience=self._options.patience)
            try:
                return _Held(self._name, self._folder, self._options)
            except IndexLocked:
                if time.monotonic() > give_up:
                    raise
            time.sleep(_SECONDS_BETWEEN_TRIES)


class _Held:
    """The collection is open here, and served to others."""

    def __init__(self, name: str, folder: Path, options: SeatOptions) -> None:
        self._models = options.models
        self._index = options.open_embedded()
        self._index.hold(name)
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
        """The same, and embeddings of questions."""
        if call in {"embed_dense", "embed_sparse"}:
            return getattr(self._models, call)(*arguments)
        return self.call(call, arguments)

    def close(self) -> None:
        self.server.stop()
        self._index.stop_optimizing()
        self.server.close()
        self._index.close()


class _Joined:
    """Another process has the collection open. Threads have connections of their own."""

    def __init__(self, name: str, holder: Holder, *, patience: float) -> None:
        self._name = name
        self._holder = holder
        self._patience = patience
        self._guard = Lock()
        self._closed = False
        self._idle = [self._connect()]

    def call(self, call: str, arguments: tuple[Any, ...]) -> Any:
        connection = self._take()
        try:
            result = connection.call(call, arguments)
        except (IndexLocked, HolderLost):
            connection.close()
            raise
        except CiteloomError:
            self._give_back(connection)
            raise
        except BaseException:  # interrupted: the answer is still to come, to nobody
            connection.close()
            raise
        self._give_back(connection)
        return result

    def close(self) -> None:
        with self._guard:
            self._closed = True
            for connection in self._idle:
                connection.close()
            self._idle = []

    def _connect(self) -> HolderConnection:
        return HolderConnection(self._name, self._holder, patience=self._patience)

    def _take(self) -> HolderConnection:
        with self._guard:
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _give_back(self, connection: HolderConnection) -> None:
        with self._guard:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()
