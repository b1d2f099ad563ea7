"""The vector index on a Qdrant server or cluster."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from citeloom.application.ports.runtime import WriteLease
from citeloom.application.ports.vector_index import (
    Capability,
    CollectionState,
    IndexDescription,
    StoreAddress,
    StoreState,
)
from citeloom.domain.errors import CiteloomError, IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.records.payload import Payload
from citeloom.infrastructure.stores.records.points_index import (
    Point,
    Points,
    PointsIndex,
    Record,
    no_collection,
)
from citeloom.infrastructure.stores.records.queries import (
    MARGIN,
    Filter,
    IndexSearch,
    fused_from,
    side_searches,
)
from citeloom.infrastructure.stores.records.schema import (
    check_models,
    collection_of,
    same_models,
    successor_of,
)
from citeloom.infrastructure.wiring.stores import machine_of
from citeloom_qdrant.client import QdrantServer, peers_of
from citeloom_qdrant.collections import (
    Opened,
    ServerCollections,
    add_index,
)
from citeloom_qdrant.lease import ServerLease
from citeloom_qdrant.official_client import QdrantClient, models
from citeloom_qdrant.settings import OVERSAMPLING, ClusterOptions, QdrantTable
from citeloom_qdrant.translation import (
    has_id,
    metadata_index,
    server_filter,
    server_point,
    server_query,
    server_record,
)

if TYPE_CHECKING:
    from citeloom.infrastructure.settings import Settings

_ALL_VALUES = 1_000_000

T = TypeVar("T")


class ServerPoints(Points):
    """Every write is waited for, so that the next read sees it."""

    def __init__(
        self,
        server: QdrantServer,
        collections: ServerCollections,
        name: str,
        *,
        oversampling: float | None = None,
    ) -> None:
        self._server = server
        self._collections = collections
        self._name = name
        self._oversampling = oversampling

    def upsert(self, points: Sequence[Point]) -> None:
        sent = [server_point(point) for point in points]
        self._write(lambda qdrant, target: qdrant.upsert(target, sent))

    def index_metadata(self, keys: frozenset[str]) -> None:
        def index(known: Opened) -> None:
            for key in sorted(keys - known.indexed):
                add_index(self._server, known.target, key, metadata_index(key))
                known.indexed.add(key)

        self._collections.on(self._name, index)

    def delete(self, where: Filter) -> None:
        self._write(lambda qdrant, target: qdrant.delete(target, server_filter(where)))

    def set_payload(self, where: Filter, payload: Payload) -> None:
        self._write(
            lambda qdrant, target: qdrant.set_payload(target, payload, server_filter(where))
        )

    def search(self, search: IndexSearch, limit: int) -> list[Record]:
        [records] = self.search_batch([(search, limit)])
        return records

    def search_batch(self, searches: Sequence[tuple[IndexSearch, int]]) -> list[list[Record]]:
        """The results of each search. A server that fuses ranks equal points of a side as they are
        stored, so the ids of each side come along, by which the fused points are put in order.
        """
        sides = [side_searches(search) for search, _ in searches]
        asked = [*searches, *(side for each in sides for side in each)]
        answers = self._query([server_query(*search, self._oversampling) for search in asked])
        alone = iter(answers[len(searches) :])
        return [
            self._fused(search, limit, found, [*islice(alone, len(each))]) if each else found
            for (search, limit), found, each in zip(searches, answers, sides)
        ]

    def _fused(
        self,
        search: IndexSearch,
        limit: int,
        found: Sequence[Record],
        sides: Sequence[Sequence[Record]],
    ) -> list[Record]:
        """The best points of a fusion of these sides, most of which were found by it."""
        ranked = fused_from(search, limit, self.search, sides)
        scores = {str(record.id): score for record, score in ranked}
        records = {str(record.id): record for record in found}
        needed = list(scores)[: max(limit - MARGIN, 1)]  # those behind may be others of their score
        if missing := [point for point in needed if point not in records]:
            fetched = self._ask(
                lambda qdrant, target: qdrant.retrieve(
                    target,
                    missing,
                    with_payload=list(search.keys) or True,
                    with_vectors=list(search.vectors) or False,
                ),
                question=True,
            )
            records.update((str(point.id), server_record(point)) for point in fetched)
        return [
            replace(records[point], score=score)
            for point, score in scores.items()
            if point in records
        ]

    def page(
        self, where: Filter, limit: int, after: str | None, keys: tuple[str, ...]
    ) -> tuple[list[Record], str | None]:
        return self._scroll(where, limit, after, keys=keys)

    def page_batch(self, wheres: Sequence[Filter], limit: int) -> list[list[Record]]:
        """Queries without a vector, which return the matching points in the order of their ids."""
        return self._query(
            [
                models.QueryRequest(filter=server_filter(where), limit=limit, with_payload=True)
                for where in wheres
            ]
        )

    def full_page(
        self, where: Filter, limit: int, after: str | None
    ) -> tuple[list[Record], str | None]:
        return self._scroll(where, limit, after, with_vectors=True)

    def count(self, where: Filter) -> int:
        return self._ask(lambda qdrant, target: qdrant.count(target, server_filter(where))).count

    def facet(self, key: str, where: Filter) -> dict[str, int]:
        if not self._collections.on(self._name, lambda known: key in known.indexed):
            return self.count_values(key, where)
        facets = self._ask(
            lambda qdrant, target: qdrant.facet(
                target, key, server_filter(where), limit=_ALL_VALUES, exact=True
            )
        )
        return {str(hit.value): hit.count for hit in facets.hits}

    def sample_keys(self, size: int) -> tuple[str, ...]:
        """The payload keys of the first `size` points, sorted."""
        records, _ = self.page(Filter(()), size, None, ())
        return tuple(sorted({key for record in records for key in record.payload}))

    def _query(self, queries: Sequence[models.QueryRequest]) -> list[list[Record]]:
        """The points that each query finds, in one exchange."""
        if not queries:
            return []
        answers = self._ask(
            lambda qdrant, target: qdrant.query_batch_points(target, queries), question=True
        )
        return [list(map(server_record, answer.points)) for answer in answers]

    def _scroll(
        self,
        where: Filter,
        limit: int,
        after: str | None,
        *,
        keys: tuple[str, ...] = (),
        with_vectors: bool = False,
    ) -> tuple[list[Record], str | None]:
        points, following = self._ask(
            lambda qdrant, target: qdrant.scroll(
                target,
                server_filter(where),
                limit,
                offset=after,
                with_payload=list(keys) or True,
                with_vectors=with_vectors,
            )
        )
        return list(map(server_record, points)), None if following is None else str(following)

    def _write(self, request: Callable[[QdrantClient, str], object]) -> None:
        """Raises `IndexLocked` where another machine has taken the project over."""
        project = self._collections.opened(self._name).collection.project_id
        if lost := self._server.lost_leases.get(project):
            raise lost
        self._ask(request)

    def _ask(self, request: Callable[[QdrantClient, str], T], *, question: bool = False) -> T:
        """The result of a request to the collection behind the name."""
        return self._collections.on(
            self._name,
            lambda known: self._server.ask(
                lambda qdrant: request(qdrant, known.target), question=question
            ),
        )


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

    def __init__(
        self,
        server: QdrantServer,
        *,
        cluster: ClusterOptions | None = None,
        machine: Callable[[], str] = str,
    ) -> None:
        self.server = server
        self._machine = machine
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
        machine: Callable[[], str] = str,
    ) -> QdrantServerIndex:
        """The index on the server at one of the addresses, contacted when it is first needed;
        `machine` gives the id of the data folder that takes leases.
        """
        server = QdrantServer(addresses, api_key=api_key, timeout=timeout, retry_for=retry_for)
        return cls(server, cluster=cluster, machine=machine)

    def binding(self, name: str) -> Collection | None:
        opened = self._collections.find(name)
        return opened.collection if opened else None

    def refresh(self) -> None:
        """Read the bindings of collections again at their next use."""
        self._collections.forget()

    def write_lease(self, here: WriteLease) -> WriteLease:
        return ServerLease(here, self.server, self._machine, begins=self.refresh)

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability)

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
        state, schema = self._state_of(name, target, info), info.payload_schema
        _, peers = self._peers()
        return IndexDescription(
            collection=collection,
            points=count,
            indexed_fields={key: schema[key].data_type.value for key in sorted(schema)},
            payload_keys=points.sample_keys(_SAMPLE),
            storage=self.server.address,
            details={
                "engine": "Qdrant server",
                "status": state.status,
                "segments": str(info.segments_count),
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
            problems=tuple(
                fault for address in addresses if (fault := address.error or _too_old(address))
            ),
            notes=tuple(dict.fromkeys(filter(None, map(_note_on_version, addresses)))),
        )
        if all(address.error for address in addresses):
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
        faults = [fault for collection in collections for fault in _faults_of(collection)]
        faults += [f"the node {node} of the cluster is away" for node in away]
        return replace(state, peers=peers, problems=(*state.problems, *faults))

    def _checked_address(self, address: str) -> StoreAddress:
        try:
            version = self.server.version(address)
            started = time.perf_counter()
            self.server.version(address)
        except IndexUnavailable as error:
            refused = error.status in (_UNAUTHORISED, _FORBIDDEN)  # something answers, at least
            return StoreAddress(address=address, error="" if refused else error.message)
        milliseconds = round(1000 * (time.perf_counter() - started), 1)
        return StoreAddress(address=address, version=version, milliseconds=milliseconds)

    def _collection_state(self, name: str) -> CollectionState:
        opened = self._collections.find(name)
        info = self._collections.info(opened.target) if opened else None
        if opened is None or info is None:
            return CollectionState(name=name, exists=False)
        return self._state_of(name, opened.target, info)

    def _state_of(self, name: str, target: str, info: models.CollectionInfo) -> CollectionState:
        shards, copies = self._copies(target)
        parameters = info.config.params
        return CollectionState(
            name=name,
            exists=True,
            points=info.points_count or 0,
            status=info.status.value,
            shards=shards or parameters.shard_number or 0,
            copies=copies,
            copies_configured=(parameters.replication_factor or 1) if shards else 0,
        )

    def _copies(self, target: str) -> tuple[int, int]:
        """The number of shards, and of active copies of the one with the fewest; 0 where the server
        does not say.
        """
        try:
            cluster = self.server.ask(lambda qdrant: qdrant.collection_cluster_info(target))
        except IndexUnavailable:  # a key for some collections alone
            return 0, 0
        active: Counter[object] = Counter()
        for shard in cluster.local_shards:
            active[shard.shard_id] += shard.state is models.ReplicaState.ACTIVE
        for copy in cluster.remote_shards:
            active[copy.shard_id] += copy.state is models.ReplicaState.ACTIVE
        return len(active), min(active.values(), default=0)

    def _may_write(self, names: Sequence[str]) -> bool:
        """Whether this key may write, tested by deleting what does not exist."""
        nothing = str(uuid4())
        no_point = models.Filter(must=[has_id(nothing)])
        try:
            if opened := next(filter(None, map(self._collections.find, names)), None):
                self.server.ask(lambda qdrant: qdrant.delete(opened.target, no_point))
            else:
                self.server.ask(lambda qdrant: qdrant.delete_collection(f"citeloom-{nothing}"))
        except IndexUnavailable as refusal:
            if refusal.status not in (_FORBIDDEN, _NOT_FOUND):
                raise
            return refusal.status == _NOT_FOUND
        return True

    def _peers(self) -> tuple[list[str], tuple[str, ...]]:
        """The nodes of the cluster that are away, and all; none where there is no cluster."""
        try:
            return peers_of(self.server.ask(lambda qdrant: qdrant.cluster_status()))
        except IndexUnavailable:
            return [], ()

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
        return super().staged(name)

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
    distribution = {"shards": str(state.shards) if state.shards else ""}
    if state.copies_configured > 1:
        distribution["copies"] = f"{state.copies} of {state.copies_configured} active"
    return {
        key: value for key, value in (*distribution.items(), ("nodes", ", ".join(peers))) if value
    }


def _faults_of(state: CollectionState) -> list[str]:
    """The faults of a collection, a sentence each."""
    faults = []
    if state.copies < state.copies_configured:
        faults.append(
            f"a shard of collection '{state.name}' has {state.copies} active copies of "
            f"{state.copies_configured}: start the missing node, or let the cluster restore them"
        )
    if state.status in _STANDSTILL:
        faults.append(f"collection '{state.name}' is {state.status}: {_STANDSTILL[state.status]}")
    return faults


def _too_old(checked: StoreAddress) -> str:
    """A sentence where the server is older than needed; else empty."""
    if not () < _parts(checked) < _OLDEST:
        return ""
    return f"Qdrant {checked.version} at {checked.address} is too old: 1.16 or newer is needed"


def _note_on_version(checked: StoreAddress) -> str:
    """A sentence where the server is newer than tested; else empty."""
    if _parts(checked) <= _NEWEST_TESTED:
        return ""
    return f"Qdrant {checked.version} at {checked.address} is newer than the tested 1.18"


def _parts(checked: StoreAddress) -> tuple[int, ...]:
    """The first two numbers of a version; empty where it has none."""
    return tuple(int(part) for part in re.findall(r"\d+", checked.version)[:2])


def open_store(settings: Settings) -> QdrantServerIndex:
    """The index on the server of `[qdrant] url`."""
    table = settings.table(QdrantTable)
    return QdrantServerIndex.connect(
        *(table.url or ()),
        api_key=table.api_key.get_secret_value() if table.api_key else None,
        timeout=table.timeout,
        retry_for=table.retry_for,
        cluster=table,
        machine=lambda: machine_of(settings, make=True) or "",
    )
