"""The vector index on a Qdrant server or cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from citeloom.application.ports.vector_reader import IndexDescription
from citeloom.application.ports.write_lease import Waiting, WriteLease
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.qdrant.cluster import OVERSAMPLING, ClusterOptions
from citeloom.infrastructure.stores.qdrant.server import QdrantServer
from citeloom.infrastructure.stores.qdrant.server_collections import ServerCollections
from citeloom.infrastructure.stores.qdrant.server_points import ServerPoints
from citeloom.infrastructure.stores.records.binding import check_models, same_models
from citeloom.infrastructure.stores.records.filters import Filter
from citeloom.infrastructure.stores.records.points_index import PointsIndex
from citeloom.infrastructure.stores.records.schema import collection_of, successor_of

_SAMPLE = 64


class QdrantServerIndex(PointsIndex):
    """Collections on a server, which handles concurrent clients itself: nothing is ever locked.

    The server has a write-ahead log and optimises on its own, so `flush` only checks that the
    collection exists, and `optimize` deletes what a rebuild that was killed has left.
    """

    def __init__(self, server: QdrantServer, *, cluster: ClusterOptions | None = None) -> None:
        self.server = server
        self._cluster = cluster or ClusterOptions()
        self._collections = ServerCollections(server)

    @classmethod
    def connect(
        cls,
        *addresses: str,
        api_key: str | None = None,
        timeout: float = 30,
        retry_for: float = 0.0,
        cluster: ClusterOptions | None = None,
    ) -> QdrantServerIndex:
        """The index on the server at one of the addresses, contacted when it is first needed."""
        server = QdrantServer(addresses, api_key=api_key, timeout=timeout, retry_for=retry_for)
        return cls(server, cluster=cluster)

    def binding(self, name: str) -> Collection | None:
        found = self._collections.find(name)
        return found.collection if found else None

    def refresh(self) -> None:
        """Read again what collections are bound to when it is next needed."""
        self._collections.forget()

    def restore(self, name: str) -> bool:
        return self._collections.restore(name)

    def create(self, collection: Collection) -> None:
        bound = self.binding(collection.name)
        if bound is not None:
            check_models(bound, collection)
            return
        self._collections.make(collection, self._cluster)

    def points(self, name: str) -> ServerPoints:
        quantization = self._collections.opened(name).quantization
        oversampling = self._cluster.oversampling or OVERSAMPLING.get(quantization or "")
        return ServerPoints(
            self.server,
            self._collections,
            name,
            oversampling=oversampling if quantization else None,
        )

    def describe(self, name: str) -> IndexDescription:
        points = self.points(name)
        collection = self.bound(name)
        info = self._collections.info(self._collections.opened(name).target) or {}
        schema = info.get("payload_schema") or {}
        return IndexDescription(
            collection=collection,
            points=points.count(Filter(())),
            indexed_fields={key: str(schema[key]["data_type"]) for key in sorted(schema)},
            payload_keys=points.sample_keys(_SAMPLE),
            storage=self.server.address,
            details={
                "engine": "Qdrant server",
                "status": str(info.get("status", "")),
                "segments": str(info.get("segments_count", "")),
            },
        )

    def flush(self, name: str) -> None:
        self.bound(name)

    def optimize(self, name: str) -> None:
        self.bound(name)
        self._collections.delete_orphans(collection_of(name))

    def stage(self, collection: Collection) -> str:
        self.bound(collection.name)
        name = successor_of(collection.name)
        staged = self.staged(collection.name)
        if staged is None or not same_models(staged, collection):
            self._collections.make_successor(collection, self._cluster)
        return name

    def staged(self, name: str) -> Collection | None:
        self._collections.forget(successor_of(name))
        return self.binding(successor_of(name))

    def promote(self, name: str) -> None:
        self.bound(successor_of(name))
        self._collections.promote(name)

    def drop(self, name: str) -> None:
        self.bound(name)
        self._collections.drop(name)

    def close(self) -> None:
        self.server.close()


class ServerLease(WriteLease):
    """The lease of this machine. While it is held, the index waits longer for a server that is
    away; what collections are bound to is read again when it begins.
    """

    def __init__(self, here: WriteLease, index: Callable[[], QdrantServerIndex]) -> None:
        self._here = here
        self._index = index

    @contextmanager
    def hold(self, project_id: str, *, waiting: Waiting | None = None) -> Iterator[None]:
        with self._here.hold(project_id, waiting=waiting):
            index = self._index()
            index.refresh()
            with index.server.patient():
                yield
