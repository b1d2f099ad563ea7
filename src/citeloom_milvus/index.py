"""The vector index in Milvus: a server or cluster, or Milvus Lite in a folder."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from citeloom.application.ports.vector_index import (
    Capability,
    CollectionState,
    IndexDescription,
    StoreAddress,
    StoreState,
)
from citeloom.domain.errors import CiteloomError, ConfigError, IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.passage import ChunkText, ExaminedChunk, Selection, StoredChunk
from citeloom.infrastructure.stores.records.payload import from_payload, text_of_payload
from citeloom.infrastructure.stores.records.points_index import PointsIndex, Record, examined
from citeloom.infrastructure.stores.records.queries import selecting
from citeloom.infrastructure.stores.records.schema import check_models, same_models, successor_of
from citeloom_milvus.collections import MilvusCollections, alias_of
from citeloom_milvus.fields import (
    LISTS,
    PAYLOAD,
    answering,
    open_lite,
    release_lite,
)
from citeloom_milvus.points import MilvusPoints, batched
from citeloom_milvus.settings import MilvusTable

if TYPE_CHECKING:
    from citeloom.infrastructure.settings import Settings

_PAGE = 256
_SAMPLE = 64
_CAPABILITIES = frozenset({Capability.FUSION, Capability.SWAP})


logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # it logs what it also raises
logging.getLogger("grpc._server").setLevel(logging.CRITICAL)  # of calls that Milvus Lite lacks


class MilvusIndex(PointsIndex):
    """Collections in Milvus, which fuses hybrid queries itself.

    It neither weights terms by their inverse document frequency nor counts values: the
    application does. A server handles concurrent clients; a folder of Milvus Lite belongs to one
    process at a time, and `IndexLocked` is raised in others.
    """

    def __init__(
        self,
        client: MilvusClient,
        *,
        address: str,
        options: MilvusTable | None = None,
        release: Callable[[], None] | None = None,
    ) -> None:
        self._client = client
        self._address = address
        self._release = release
        self._options = options or MilvusTable()
        self._collections = MilvusCollections(client, options=self._options, address=address)

    @classmethod
    def connect(
        cls, url: str, *, token: str = "", timeout: float = 30, options: MilvusTable | None = None
    ) -> MilvusIndex:
        """The index on the server at `url`. Raises `IndexUnavailable` if none answers."""
        try:
            client = MilvusClient(url, token=token, timeout=timeout)
        except MilvusException as error:
            raise IndexUnavailable(
                f"No Milvus server answers at {url}: {error.message}",
                "Start it, or correct the url; its token belongs in the environment.",
            ) from error
        return cls(client, address=url, options=options)

    @classmethod
    def embedded(cls, folder: Path, *, options: MilvusTable | None = None) -> MilvusIndex:
        """The index of Milvus Lite in a folder whose name ends in `.db`.

        Raises `IndexLocked` if another process has it open.
        """
        client = open_lite(folder)
        return cls(
            client, address=str(folder), options=options, release=lambda: release_lite(folder)
        )

    @property
    def client(self) -> MilvusClient:
        """The client of the server, or of the folder."""
        return self._client

    @property
    def address(self) -> str:
        """The server's address, or the folder."""
        return self._address

    @property
    def capabilities(self) -> frozenset[Capability]:
        return _CAPABILITIES

    def binding(self, name: str) -> Collection | None:
        return self._collections.read(name)

    def create(self, collection: Collection) -> None:
        bound = self.binding(collection.name)
        if bound is not None:
            check_models(bound, collection)
            return
        self._collections.make(collection)

    def points(self, name: str) -> MilvusPoints:
        bound = self.bound(name)
        return MilvusPoints(
            self._client,
            self._collections.loaded(name),
            hybrid=bound.hybrid,
            options=self._options,
            address=self._address,
        )

    def chunk_ids(self, name: str, selection: Selection) -> frozenset[str]:
        stored = self.scroll(name, selection)
        return frozenset(chunk.chunk.id for chunk in stored)

    def scroll(self, name: str, selection: Selection) -> Iterator[StoredChunk]:
        return (from_payload(each.id, each.payload) for each in self._records(name, selection))

    def texts(self, name: str, selection: Selection) -> Iterator[ChunkText]:
        return (text_of_payload(each.id, each.payload) for each in self._records(name, selection))

    def _records(self, name: str, selection: Selection) -> Iterator[Record]:
        points = self.points(name)
        return (
            record
            for ids in batched(points.ids(selecting(selection)), _PAGE)
            for record in points.records(ids)
        )

    def scroll_batch(self, name: str, selections: Sequence[Selection]) -> list[list[StoredChunk]]:
        return [list(self.scroll(name, selection)) for selection in selections]

    def examine(self, name: str, selection: Selection) -> Iterator[ExaminedChunk]:
        points = self.points(name)
        return (
            examined(record)
            for ids in batched(points.ids(selecting(selection)), _PAGE)
            for record in points.records(ids, full=True)
        )

    def describe(self, name: str) -> IndexDescription:
        collection, alias = self.bound(name), self._collections.loaded(name)
        with answering(self._address):
            [row] = self._client.query(alias, filter="", output_fields=["count(*)"])
            indexes = {
                field: str(self._client.describe_index(alias, field)["index_type"])
                for field in self._client.list_indexes(alias)
            }
            sample = self._client.query(alias, filter="", output_fields=[PAYLOAD], limit=_SAMPLE)
        return IndexDescription(
            collection=collection,
            points=int(row["count(*)"]),
            indexed_fields={**indexes, **dict.fromkeys(LISTS, "JSON")},
            payload_keys=tuple(sorted({key for row in sample for key in row[PAYLOAD]})),
            storage=self._address,
            disk_bytes=_size(Path(self._address)),
            details={"engine": "Milvus", "metric": self._options.metric},
        )

    def check(self, names: Sequence[str]) -> StoreState:
        address, remote = StoreAddress(address=self._address), self._release is None
        kind = "Milvus" if remote else "Milvus Lite"
        state = StoreState(kind=kind, remote=remote, addresses=(address,))
        started = time.perf_counter()
        may_write: bool | None = None
        try:
            with answering(self._address):
                known = str(self._client.get_server_version())
            milliseconds = round(1000 * (time.perf_counter() - started), 1)
            address = replace(address, version=known, milliseconds=milliseconds)
            collections = tuple(self._collection_state(name) for name in names)
        except CiteloomError as error:
            problem = f"{error.message} ({error.hint})"
            failed = replace(address, error=error.message)
            return replace(state, addresses=(failed,), problems=(problem,))
        for collection in collections:
            may_write = may_write or (
                self._may_delete(collection.name) if collection.exists else None
            )
        return replace(
            state,
            addresses=(address,),
            may_read=True,
            may_write=may_write,
            collections=collections,
        )

    def _collection_state(self, name: str) -> CollectionState:
        if self.binding(name) is None:
            return CollectionState(name=name, exists=False)
        alias = self._collections.loaded(name)
        with answering(self._address):
            [row] = self._client.query(alias, filter="", output_fields=["count(*)"])
        return CollectionState(name=name, exists=True, points=int(row["count(*)"]))

    def _may_delete(self, name: str) -> bool:
        """Whether the user may delete chunks, tested by deleting one that does not exist."""
        try:
            self._client.delete(self._collections.loaded(name), ids=[str(uuid4())])
        except MilvusException:
            return False
        return True

    def flush(self, name: str) -> None:
        self.bound(name)
        with answering(self._address):
            self._client.flush(alias_of(name))

    def optimize(self, name: str) -> None:
        self.flush(name)

    def stage(self, collection: Collection) -> str:
        self.bound(collection.name)
        name = successor_of(collection.name)
        staged = self.binding(name)
        if staged is None or not same_models(staged, collection):
            self._collections.make_successor(collection)
        return name

    def promote(self, name: str) -> None:
        self.bound(name)
        self.bound(successor_of(name))
        self._collections.promote(name)

    def drop(self, name: str) -> None:
        self.bound(name)
        self._collections.drop(name)

    def close(self) -> None:
        self._client.close()
        release, self._release = self._release, None
        if release:
            release()


def _size(folder: Path) -> int:
    """The bytes of the files in a folder; 0 where the store is elsewhere."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def open_store(settings: Settings) -> MilvusIndex:
    """The index on the server of `[store] url`, or in the data folder."""
    store, options = settings.store, settings.table(MilvusTable)
    scheme, _, rest = (store.url or "").partition(":")
    if scheme == "milvus-lite":
        if rest:
            raise ConfigError(
                f"Milvus Lite is in the data folder and has no address: {store.url}",
                'Write url = "milvus-lite:" under [store].',
            )
        return MilvusIndex.embedded(settings.data_dir / "milvus.db", options=options)
    return MilvusIndex.connect(
        f"{'https' if scheme.endswith('https') else 'http'}:{rest}",
        token=store.password.get_secret_value() if store.password else "",
        timeout=store.timeout,
        options=options,
    )
