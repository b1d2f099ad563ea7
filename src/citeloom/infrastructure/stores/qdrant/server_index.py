"""The vector index on a Qdrant server or cluster."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from uuid import uuid4

from citeloom.application.ports.vector_reader import (
    CollectionState,
    IndexDescription,
    StoreAddress,
    StoreState,
)
from citeloom.application.ports.write_lease import Waiting, WriteLease
from citeloom.domain.errors import CiteloomError, IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.qdrant.cluster import OVERSAMPLING, ClusterOptions
from citeloom.infrastructure.stores.qdrant.server import QdrantServer, collection_path
from citeloom.infrastructure.stores.qdrant.server_collections import ServerCollections
from citeloom.infrastructure.stores.qdrant.server_points import ServerPoints
from citeloom.infrastructure.stores.qdrant.server_translation import Json
from citeloom.infrastructure.stores.records.binding import check_models, same_models
from citeloom.infrastructure.stores.records.filters import Filter
from citeloom.infrastructure.stores.records.points_index import PointsIndex, no_collection
from citeloom.infrastructure.stores.records.schema import collection_of, successor_of

_SAMPLE = 64
_UNAUTHORISED, _FORBIDDEN, _NOT_FOUND = 401, 403, 404
_OLDEST, _NEWEST_TESTED = (1, 16), (1, 18)
_STANDSTILL = {
    "grey": "its indexing stands still until something is written (the server was restarted)",
    "red": "an operation of the server on it failed; see the server's log",
}


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
        count = points.count(Filter(()))
        target = self._collections.opened(name).target
        info = self._collections.info(target)
        if info is None:
            raise no_collection(name)
        state, schema = self._state_of(name, target, info), info.get("payload_schema") or {}
        _, peers = self._peers()
        return IndexDescription(
            collection=collection,
            points=count,
            indexed_fields={key: str(schema[key]["data_type"]) for key in sorted(schema)},
            payload_keys=points.sample_keys(_SAMPLE),
            storage=self.server.address,
            details={
                "engine": "Qdrant server",
                "status": state.status,
                "segments": str(info.get("segments_count", "")),
                **_distribution(state, peers),
            },
            problems=tuple(_faults_of(state)),
        )

    def check(self, names: Sequence[str]) -> StoreState:
        addresses = tuple(map(self._checked_address, self.server.addresses))
        state = StoreState(
            kind="Qdrant server",
            remote=True,
            addresses=addresses,
            problems=tuple(one.error for one in addresses if one.error),
            notes=tuple(dict.fromkeys(filter(None, map(_note_on_version, addresses)))),
        )
        if len(state.problems) == len(addresses):
            return state
        if not names:
            return replace(state, may_read=True)
        try:
            self.refresh()
            collections = tuple(map(self._collection_state, names))
            state = replace(state, may_read=True, collections=collections)
            state = replace(state, may_write=self._may_write(names))
        except CiteloomError as error:
            problems = (*state.problems, f"{error.message} ({error.hint})")
            return replace(state, may_read=state.may_read or False, problems=problems)
        away, peers = self._peers()
        faults = [fault for one in collections for fault in _faults_of(one)]
        faults += [f"the node {one} of the cluster is away" for one in away]
        return replace(state, peers=peers, problems=(*state.problems, *faults))

    def _checked_address(self, address: str) -> StoreAddress:
        try:
            found = self.server.version(address)
            started = time.perf_counter()
            self.server.version(address)
        except IndexUnavailable as error:
            refused = error.status in (_UNAUTHORISED, _FORBIDDEN)  # something answers, at least
            return StoreAddress(address=address, error="" if refused else error.message)
        milliseconds = round(1000 * (time.perf_counter() - started), 1)
        return StoreAddress(address=address, version=found, milliseconds=milliseconds)

    def _collection_state(self, name: str) -> CollectionState:
        found = self._collections.find(name)
        info = self._collections.info(found.target) if found else None
        if found is None or info is None:
            return CollectionState(name=name, exists=False)
        return self._state_of(name, found.target, info)

    def _state_of(self, name: str, target: str, info: Json) -> CollectionState:
        shards, copies = self._copies(target)
        parameters = info["config"]["params"]
        return CollectionState(
            name=name,
            exists=True,
            points=info.get("points_count") or 0,
            status=str(info.get("status", "")),
            shards=shards or parameters.get("shard_number") or 0,
            copies=copies,
            copies_configured=(parameters.get("replication_factor") or 1) if shards else 0,
        )

    def _copies(self, target: str) -> tuple[int, int]:
        """The number of shards, and of active copies of the one with the fewest; 0 where the server
        does not say.
        """
        try:
            told = self.server.get(collection_path(target, "/cluster"))
        except IndexUnavailable:  # a key for some collections alone
            return 0, 0
        active: Counter[object] = Counter()
        for shard in (*told.get("local_shards", ()), *told.get("remote_shards", ())):
            active[shard["shard_id"]] += shard.get("state") == "Active"
        return len(active), min(active.values(), default=0)

    def _may_write(self, names: Sequence[str]) -> bool:
        """Whether the server lets this key write; asked for the deletion of what is not there."""
        nothing = str(uuid4())
        try:
            for name in names:
                if found := self._collections.find(name):
                    path = collection_path(found.target, "/points/delete")
                    self.server.send("POST", path, {"filter": {"must": [{"has_id": [nothing]}]}})
                    return True
            self.server.send("DELETE", collection_path(f"citeloom-{nothing}"))
        except IndexUnavailable as refusal:
            if refusal.status not in (_FORBIDDEN, _NOT_FOUND):
                raise
            return refusal.status == _NOT_FOUND
        return True

    def _peers(self) -> tuple[list[str], tuple[str, ...]]:
        """The nodes of the cluster that are away, and all; none where there is no cluster."""
        try:
            told = self.server.get("/cluster")
        except IndexUnavailable:
            return [], ()
        peers = told.get("peers") or {}
        uris = {str(key): str(peer.get("uri", key)) for key, peer in peers.items()}
        failing = told.get("message_send_failures") or {}
        return [uris.get(one, one) for one in failing], tuple(uris.values())

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


def _distribution(state: CollectionState, peers: Sequence[str]) -> dict[str, str]:
    """How a collection is spread over the nodes of a cluster, as far as the server tells."""
    told = {"shards": str(state.shards) if state.shards else ""}
    if state.copies_configured > 1:
        told["copies"] = f"{state.copies} of {state.copies_configured} active"
    return {key: value for key, value in (*told.items(), ("nodes", ", ".join(peers))) if value}


def _faults_of(state: CollectionState) -> list[str]:
    """What is wrong with a collection, a sentence each."""
    found = []
    if state.copies < state.copies_configured:
        found.append(
            f"a shard of collection '{state.name}' has {state.copies} active copies of "
            f"{state.copies_configured}: start the missing node, or let the cluster restore them"
        )
    if state.status in _STANDSTILL:
        found.append(f"collection '{state.name}' is {state.status}: {_STANDSTILL[state.status]}")
    return found


def _note_on_version(checked: StoreAddress) -> str:
    """A sentence where the server is older than needed, or newer than tested; else empty."""
    parts = tuple(int(part) for part in re.findall(r"\d+", checked.version)[:2])
    if not parts or _OLDEST <= parts <= _NEWEST_TESTED:
        return ""
    if parts < _OLDEST:
        return f"Qdrant {checked.version} at {checked.address} is too old: 1.16 or newer is needed"
    return f"Qdrant {checked.version} at {checked.address} is newer than the tested 1.18"


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
