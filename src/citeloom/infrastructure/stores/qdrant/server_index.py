"""The vector index on a Qdrant server or cluster."""

from __future__ import annotations

from qdrant_client import QdrantClient

from citeloom.application.ports.vector_reader import IndexDescription
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.qdrant.cluster import ClusterOptions
from citeloom.infrastructure.stores.qdrant.server_collections import ServerCollections
from citeloom.infrastructure.stores.qdrant.server_points import ServerPoints, answering
from citeloom.infrastructure.stores.records.binding import check_models, same_models
from citeloom.infrastructure.stores.records.points_index import PointsIndex
from citeloom.infrastructure.stores.records.schema import successor_of

_SAMPLE = 64


class QdrantServerIndex(PointsIndex):
    """Collections on a server, which handles concurrent clients itself: nothing is ever locked.

    The server has a write-ahead log and optimises on its own, so `flush` and `optimize` only check
    that the collection exists.
    """

    def __init__(
        self,
        client: QdrantClient,
        *,
        address: str,
        cluster: ClusterOptions | None = None,
    ) -> None:
        self._client = client
        self._address = address
        self._cluster = cluster or ClusterOptions()
        self._collections = ServerCollections(client, address=address)

    @classmethod
    def connect(
        cls,
        url: str,
        *,
        api_key: str | None = None,
        timeout: int = 30,
        cluster: ClusterOptions | None = None,
    ) -> QdrantServerIndex:
        """The index on the server at `url`, which is contacted when it is first needed."""
        client = QdrantClient(url=url, api_key=api_key, timeout=timeout, check_compatibility=False)
        return cls(client, address=url, cluster=cluster)

    def binding(self, name: str) -> Collection | None:
        return self._collections.read(name)

    def create(self, collection: Collection) -> None:
        bound = self.binding(collection.name)
        if bound is not None:
            check_models(bound, collection)
            return
        self._make(collection.name, collection)

    def points(self, name: str) -> ServerPoints:
        self.bound(name)
        return ServerPoints(self._client, name, address=self._address)

    def describe(self, name: str) -> IndexDescription:
        collection, info = self.bound(name), self._collections.info(name)
        schema = info.payload_schema if info else {}
        with answering(self._address):
            points = self._client.count(name, exact=True).count
            sample, _ = self._client.scroll(name, limit=_SAMPLE, with_payload=True)
        return IndexDescription(
            collection=collection,
            points=points,
            indexed_fields={key: str(index.data_type) for key, index in sorted(schema.items())},
            payload_keys=tuple(sorted({key for point in sample for key in point.payload or {}})),
            storage=self._address,
            details={
                "engine": "Qdrant server",
                "status": str(info.status.value) if info else "",
                "segments": str(info.segments_count) if info else "",
            },
        )

    def flush(self, name: str) -> None:
        self.bound(name)

    def optimize(self, name: str) -> None:
        self.bound(name)

    def stage(self, collection: Collection) -> str:
        self.bound(collection.name)
        name = successor_of(collection.name)
        staged = self.binding(name)
        if staged is None or not same_models(staged, collection):
            self._make(name, collection)
            self._collections.delete_orphans(collection.name)
        return name

    def staged(self, name: str) -> Collection | None:
        return self.binding(successor_of(name))

    def promote(self, name: str) -> None:
        self.bound(successor_of(name))
        self._collections.promote(name)

    def drop(self, name: str) -> None:
        self.bound(name)
        self._collections.unname(name)
        self._collections.delete_orphans(name)

    def close(self) -> None:
        self._client.close()

    def _make(self, alias: str, collection: Collection) -> None:
        self._collections.make(alias, collection, self._cluster)
