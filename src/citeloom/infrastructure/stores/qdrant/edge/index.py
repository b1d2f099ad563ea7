"""The vector index in process, on disk beside the project, optimised in a process of its own."""

from __future__ import annotations

import errno
import logging
import os
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock, RLock, Thread

from filelock import FileLock, Timeout

from citeloom.application.disk_space import NEW_INDEX, check_room, write_error
from citeloom.application.ports.runtime import DiskSpace
from citeloom.application.ports.vector_index import IndexDescription, MetadataUpdate
from citeloom.domain.errors import DiskFull, IndexLocked, IndexUnavailable, InvalidProject
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.passage import EmbeddedChunk, Selection
from citeloom.infrastructure.stores.qdrant.edge.folder import (
    Bound,
    CollectionFolder,
    OwnerProcess,
    read_owner,
    remove_owner,
    write_owner,
)
from citeloom.infrastructure.stores.qdrant.edge.open_shards import OpenShards
from citeloom.infrastructure.stores.qdrant.edge.optimizer import OptimizerProcess
from citeloom.infrastructure.stores.qdrant.edge.points import EdgePoints
from citeloom.infrastructure.stores.records.points_index import PointsIndex
from citeloom.infrastructure.stores.records.schema import (
    check_models,
    collection_of,
    same_models,
    successor_of,
)

_LEAST_FREE = 16 << 20
"""Bytes: opening a shard fills files that are mapped into memory, which kills where it cannot."""


class CollectionLock:
    """An advisory lock on a folder, which the system releases when its owner dies.

    It is acquired before a shard is loaded: a second process that tries to load one can hang the
    first.
    """

    def __init__(self, folder: Path, *, timeout: float, purpose: str = "") -> None:
        self._folder = folder
        self._purpose = purpose
        self._lock = FileLock(folder / "lock", timeout=timeout, thread_local=False)

    def acquire(self) -> None:
        """Acquire the lock. Raises `IndexLocked` after the timeout."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            try:
                _check_free(self._folder)
                write_owner(self._folder, OwnerProcess.this_process(self._purpose))
            except OSError:
                self._lock.release()
                raise
        except Timeout as timeout:
            owner = read_owner(self._folder)
            stop = f", or stop process {owner.pid}" if owner else ""
            raise IndexLocked(
                f"Collection '{self._folder.name}' is in use by {owner or 'another process'}",
                f"Wait until it has finished{stop}.",
            ) from timeout
        except OSError as error:
            refused = IndexUnavailable(
                f"The folder {self._folder} cannot be written: {error.strerror or error}",
                "Set data_dir under [paths] to a writable folder.",
            )
            raise write_error(f"the folder {self._folder}", error, refused) from error

    def release(self) -> None:
        """Release the lock."""
        remove_owner(self._folder)
        self._lock.release()


def _check_free(folder: Path) -> None:
    if shutil.disk_usage(folder).free < _LEAST_FREE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# Optimising a shard that stays in use: on a copy that is then swapped in.

_SMALL_SHARE = 10


class CopyOptimizer:
    """Optimises the shards of one index, one at a time.

    A shard with fewer than `least` new points, or that grew by less than a tenth, is left alone:
    optimising rebuilds all of it, and so few points barely slow a query.
    """

    def __init__(self, *, least: int) -> None:
        self._least = least
        self._lock = Lock()
        self._process: OptimizerProcess | None = None
        self._stopping = False
        self.copy: Path | None = None

    def needs_optimizing(self, points: EdgePoints) -> bool:
        """Whether the shard has grown enough since it was optimised."""
        new = points.unoptimized()
        return new >= self._least and new * _SMALL_SHARE >= points.info().points_count

    def optimize(self, points: EdgePoints, copy: Path, swap: Callable[[], bool]) -> None:
        """Optimise a copy of `points` at `copy` and switch to it, if `swap` then returns True.

        Raises `IndexUnavailable` if the optimiser fails; the shard is then unchanged.
        """
        with self._lock:
            if not self.needs_optimizing(points):
                return
            self.copy = copy
            swapped = False
            try:
                points.copy_to(copy)
                self._process = OptimizerProcess(copy, points.collection)
                if self._stopping:
                    self._process.kill()
                self._process.wait()
                swapped = points.switch_to(copy, swap)
            finally:
                self.copy = self._process = None
                if not swapped:
                    points.stop_recording()
                    shutil.rmtree(copy, ignore_errors=True)

    def stop(self) -> None:
        """Abort a running optimisation, and return once it has ended."""
        self._stopping = True
        if process := self._process:
            process.kill()
        with self._lock:
            self._stopping = False


_SAMPLE = 64
_LOG = logging.getLogger(__name__)


class QdrantEdgeIndex(PointsIndex):
    """Collections as folders under `root`, or as it gives them, each used by one process at a time.

    A collection is locked from its first use until `close`; the threads of a process share it. Each
    call holds the interpreter for a few milliseconds. Every write raises `DiskFull` before it
    begins where `space` has no room for it, since the engine would be killed. Optimising runs on a
    copy, in a process of its own: in the background after every `optimize_every` points written,
    and only for shards with at least `optimize_from` new ones. `open_shards` may close a shard that
    is not in use; its lock stays, and its next call opens it.
    """

    def __init__(
        self,
        root: Path | Callable[[str], CollectionFolder],
        *,
        space: DiskSpace | None = None,
        lock_timeout: float = 10.0,
        optimize_every: int = 50_000,
        optimize_from: int = 2_000,
        purpose: str = "",
        open_shards: OpenShards | None = None,
    ) -> None:
        self._folder = (
            root if callable(root) else lambda name: CollectionFolder(root / collection_of(name))
        )
        self._space = space
        self._lock_timeout = lock_timeout
        self._optimize_every = optimize_every
        self._purpose = purpose
        self._locks: dict[str, CollectionLock] = {}
        self._open: dict[str, EdgePoints] = {}
        self._written: Counter[str] = Counter()
        self._optimizer = CopyOptimizer(least=optimize_from)
        self._open_shards = open_shards or OpenShards(most=0, idle_seconds=0)
        self._guard = RLock()

    def binding(self, name: str) -> Collection | None:
        if opened := self._open.get(name):
            return opened.collection
        bound = self._bound(name)
        return bound.collection if bound else None

    def acquire(self, name: str) -> None:
        """Lock a collection, which need not exist yet. Raises `IndexLocked`."""
        with self._guard:
            self._lock(collection_of(name))

    def create(self, collection: Collection) -> None:
        with self._guard:
            bound = self.binding(collection.name)
            if bound is None:
                self._lock(collection.name)
                bound = self.binding(collection.name)
            if bound is not None:
                check_models(bound, collection)
                return
            self._check_room(more=NEW_INDEX)
            folder = self._folder(collection.name)
            shard = folder.new_shard()
            points = EdgePoints.make(shard, collection, self._open_shards)
            folder.bind(collection, shard)
            self._open[collection.name] = points

    def points(self, name: str) -> EdgePoints:
        with self._guard:
            if name not in self._open:
                self.bound(name)
                self._lock(collection_of(name))
                bound = self._bound(name)
                if bound is None:
                    raise InvalidProject(
                        f"Collection '{name}' has just been deleted",
                        "Ingest documents into the project again.",
                    )
                self._open[name] = EdgePoints.open(bound.shard, bound.collection, self._open_shards)
            return self._open[name]

    def upsert(self, name: str, chunks: Sequence[EmbeddedChunk]) -> None:
        self._check_room(len(chunks))
        super().upsert(name, chunks)
        self._written[name] += len(chunks)
        if self._written[name] >= self._optimize_every:
            self._written[name] = 0
            Thread(target=self._optimize_in_background, args=(name,), daemon=True).start()

    def delete(self, name: str, selection: Selection, *, keep: frozenset[str] = frozenset()) -> int:
        self._check_room()
        return super().delete(name, selection, keep=keep)

    def update_metadata(self, name: str, selection: Selection, update: MetadataUpdate) -> None:
        self._check_room()
        super().update_metadata(name, selection, update)

    def describe(self, name: str) -> IndexDescription:
        collection, points = self.bound(name), self.points(name)
        info = points.info()
        return IndexDescription(
            collection=collection,
            points=info.points_count,
            indexed_fields={
                key: str(index.data_type).rpartition(".")[2].lower()
                for key, index in sorted(info.payload_schema.items())
            },
            payload_keys=points.sample_keys(_SAMPLE),
            storage=str(self._folder(name).path),
            disk_bytes=points.disk_bytes(),
            details={
                "engine": "Qdrant Edge",
                "segments": str(info.segments_count),
                "indexed_vectors": str(info.indexed_vectors_count),
            },
        )

    @property
    def has_open_shard(self) -> bool:
        """Whether the engine has the shard of a collection open."""
        return any(points.is_open for points in self._open.values())

    def flush(self, name: str) -> None:
        self.points(name).flush()

    def optimize(self, name: str) -> None:
        points = self.points(name)
        if not self._optimizer.needs_optimizing(points):
            return
        # The copy, and what the engine writes beside it until it is done.
        self._check_room(more=2 * points.disk_bytes())
        folder = self._folder(name)
        copy = folder.new_shard()

        def swap() -> bool:
            with self._guard:
                if self._open.get(name) is not points:
                    return False
                bind = folder.bind if name == collection_of(name) else folder.bind_successor
                bind(points.collection, copy)
                return True

        self._optimizer.optimize(points, copy, swap)
        with self._guard:
            self._delete_orphans(name)

    def stage(self, collection: Collection) -> str:
        name = successor_of(collection.name)
        with self._guard:
            self.bound(collection.name)
            self._lock(collection.name)
            staged = self.binding(name)
            if staged is None or not same_models(staged, collection):
                self._open.pop(name, None)
                self._check_room(more=NEW_INDEX)
                folder = self._folder(collection.name)
                shard = folder.new_shard()
                points = EdgePoints.make(shard, collection, self._open_shards)
                folder.bind_successor(collection, shard)
                self._open[name] = points
                self._delete_orphans(name)
        return name

    def promote(self, name: str) -> None:
        with self._guard:
            successor = self.points(successor_of(name))
            successor.flush()
            self._folder(name).promote()
            del self._open[successor_of(name)]
            self._open[name] = successor
            self._delete_orphans(name)

    def drop(self, name: str) -> None:
        with self._guard:
            self.bound(name)
            self._lock(name)
            self._open.pop(name, None)
            self._open.pop(successor_of(name), None)
            self._folder(name).unbind()
            self._delete_orphans(name)

    def stop_optimizing(self) -> None:
        """Abort a running optimisation; the shard stays as it is."""
        self._optimizer.stop()

    def close(self) -> None:
        self.stop_optimizing()
        with self._guard:
            while self._open:
                self._open.popitem()[1].close()
            while self._locks:
                self._locks.popitem()[1].release()

    def _optimize_in_background(self, name: str) -> None:
        try:
            self.optimize(name)
        except (DiskFull, IndexUnavailable, InvalidProject) as error:
            _LOG.warning("%s", error)

    def _check_room(self, chunks: int = 0, *, more: int = 0) -> None:
        if self._space is not None:
            check_room(self._space, chunks, more=more)

    def _delete_orphans(self, name: str) -> None:
        self._folder(name).delete_orphans(but=self._optimizer.copy)

    def _bound(self, name: str) -> Bound | None:
        folder = self._folder(name)
        return folder.current() if name == collection_of(name) else folder.successor()

    def _lock(self, name: str) -> None:
        if name in self._locks:
            return
        folder = self._folder(name)
        lock = CollectionLock(folder.path, timeout=self._lock_timeout, purpose=self._purpose)
        lock.acquire()
        self._locks[name] = lock
        folder.restore_binding()
        folder.delete_orphans()
