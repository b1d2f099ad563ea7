"""The vector index in process, on disk beside the project."""

from __future__ import annotations

from pathlib import Path
from threading import RLock

from citeloom.application.ports.vector_reader import IndexDescription
from citeloom.domain.errors import InvalidProject
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.qdrant.edge_folder import Bound, CollectionFolder
from citeloom.infrastructure.stores.qdrant.edge_lock import CollectionLock
from citeloom.infrastructure.stores.qdrant.edge_points import EdgePoints
from citeloom.infrastructure.stores.qdrant.index import QdrantIndex
from citeloom.infrastructure.stores.qdrant.schema import TextTokenizer, collection_of, successor_of
from citeloom.infrastructure.stores.records.binding import check_models, same_models

_SAMPLE = 64


class QdrantEdgeIndex(QdrantIndex):
    """Collections as folders under `root`, each used by one process at a time.

    A collection is locked from its first use until `close`. Calls hold the interpreter while the
    engine works, so `optimize` belongs to the end of an ingest and not into a serving process.
    """

    def __init__(
        self,
        root: Path,
        *,
        lock_timeout: float = 10.0,
        optimize_every: int = 50_000,
        text_tokenizer: TextTokenizer = "word",
    ) -> None:
        self._root = root
        self._lock_timeout = lock_timeout
        self._optimize_every = optimize_every
        self._text_tokenizer = text_tokenizer
        self._locks: dict[str, CollectionLock] = {}
        self._open: dict[str, EdgePoints] = {}
        self._guard = RLock()

    def binding(self, name: str) -> Collection | None:
        if opened := self._open.get(name):
            return opened.collection
        bound = self._bound(name)
        return bound.collection if bound else None

    def create(self, collection: Collection) -> None:
        with self._guard:
            bound = self.binding(collection.name)
            if bound is None:
                self._lock(collection.name)
                bound = self.binding(collection.name)
            if bound is not None:
                check_models(bound, collection)
                return
            folder = self._folder(collection.name)
            shard = folder.new_shard()
            points = self._make(shard, collection)
            folder.bind(collection, shard)
            self._open[collection.name] = points

    def points(self, name: str) -> EdgePoints:
        with self._guard:
            if name not in self._open:
                self.bound(name)
                self._lock(collection_of(name))
                bound = self._bound(name)
                if bound is None:
                    raise InvalidProject(f"Collection '{name}' has just been deleted")
                self._open[name] = EdgePoints.open(
                    bound.shard, bound.collection, optimize_every=self._optimize_every
                )
            return self._open[name]

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

    def flush(self, name: str) -> None:
        self.points(name).flush()

    def optimize(self, name: str) -> None:
        self.points(name).optimize()

    def stage(self, collection: Collection) -> str:
        name = successor_of(collection.name)
        with self._guard:
            self.bound(collection.name)
            self._lock(collection.name)
            staged = self.binding(name)
            if staged is None or not same_models(staged, collection):
                self._close_shard(name)
                folder = self._folder(collection.name)
                shard = folder.new_shard()
                points = self._make(shard, collection)
                folder.bind_successor(collection, shard)
                self._open[name] = points
                folder.delete_orphans()
        return name

    def staged(self, name: str) -> Collection | None:
        return self.binding(successor_of(name))

    def promote(self, name: str) -> None:
        with self._guard:
            self.bound(successor_of(name))
            self._lock(name)
            self._close_shard(name)
            self._close_shard(successor_of(name))
            folder = self._folder(name)
            folder.promote()
            folder.delete_orphans()

    def drop(self, name: str) -> None:
        with self._guard:
            self.bound(name)
            self._lock(name)
            self._close_shard(name)
            self._close_shard(successor_of(name))
            folder = self._folder(name)
            folder.unbind()
            folder.delete_orphans()
            self._locks.pop(name).release()

    def close(self) -> None:
        with self._guard:
            for name in list(self._open):
                self._close_shard(name)
            while self._locks:
                self._locks.popitem()[1].release()

    def _folder(self, name: str) -> CollectionFolder:
        return CollectionFolder(self._root / collection_of(name))

    def _bound(self, name: str) -> Bound | None:
        folder = self._folder(name)
        return folder.current() if name == collection_of(name) else folder.successor()

    def _lock(self, name: str) -> None:
        if name in self._locks:
            return
        folder = self._folder(name)
        lock = CollectionLock(folder.path, timeout=self._lock_timeout)
        lock.acquire()
        self._locks[name] = lock
        folder.delete_orphans()

    def _make(self, shard: Path, collection: Collection) -> EdgePoints:
        return EdgePoints.make(
            shard,
            collection,
            tokenizer=self._text_tokenizer,
            optimize_every=self._optimize_every,
        )

    def _close_shard(self, name: str) -> None:
        if name in self._open:
            self._open.pop(name).close()
