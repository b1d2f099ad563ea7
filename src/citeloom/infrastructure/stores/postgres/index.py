"""The vector index in PostgreSQL with pgvector."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Event
from typing import TypeVar, cast

from psycopg import sql

from citeloom.application.ports.runtime import WriteLease
from citeloom.application.ports.vector_index import (
    CollectionState,
    IndexDescription,
    StoreAddress,
    StoreState,
)
from citeloom.domain.errors import CiteloomError
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.postgres.collections import (
    UNWRITTEN,
    Collections,
    Layout,
    Owner,
    StoredCollection,
    pgvector_version,
)
from citeloom.infrastructure.stores.postgres.connections import Connection, Database, DatabaseLease
from citeloom.infrastructure.stores.postgres.points import PostgresPoints, Work
from citeloom.infrastructure.stores.records.points_index import PointsIndex, no_collection
from citeloom.infrastructure.stores.records.schema import (
    KEYWORD_FIELDS,
    check_models,
    same_models,
    successor_of,
)

T = TypeVar("T")

_SAMPLE = 64
_FLOAT_BYTES, _NODE_BYTES = 4, 512
_LEAST_MEMORY_KB, _MOST_MEMORY_KB = 64 << 10, 2 << 20
_RIGHTS = """
SELECT current_setting('server_version'),
    pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean,
    CASE WHEN to_regnamespace('citeloom') IS NULL
        THEN has_database_privilege(current_database(), 'CREATE')
        ELSE has_schema_privilege(to_regnamespace('citeloom')::oid, 'CREATE') END"""
_KEYS = """
SELECT array_agg(DISTINCT key ORDER BY key)
FROM (SELECT * FROM {} AS rows LIMIT %(sample)s) AS chunks,
    LATERAL jsonb_object_keys(fields || body) AS key"""


class PostgresIndex(PointsIndex):
    """Collections as tables, which any number of processes on any machines use at once.

    Each write is one transaction under a lock on its collection, so that nothing is ever half
    written and two writers follow one another. Up to `hnsw_from` chunks every search compares all
    vectors, which is exact; `optimize` builds the HNSW index of a larger collection once, after
    loading. `owners` names the projects that LangChain's collections are read for.
    """

    def __init__(
        self,
        database: Database,
        *,
        layout: Layout = "citeloom",
        owners: Mapping[str, Owner] | None = None,
        hnsw_from: int = 10_000,
    ) -> None:
        self.database = database
        self._layout = layout
        self._owners = owners or {}
        self._hnsw_from = hnsw_from
        self._catalogued = Event()
        self._known: dict[str, StoredCollection] = {}

    def id_of(self, chunk_id: str) -> str:
        return chunk_id

    def binding(self, name: str) -> Collection | None:
        stored = self._find(name)
        return stored.collection if stored else None

    def refresh(self) -> None:
        """Read the bindings of collections again at their next use."""
        self._known.clear()

    def write_lease(self, here: WriteLease) -> WriteLease:
        return DatabaseLease(here, self.database, begins=self.refresh)

    def points(self, name: str) -> PostgresPoints:
        stored = self._find(name)
        if stored is None:
            raise no_collection(name)
        return PostgresPoints(
            read=lambda work: self._reading(name, work, stored),
            write=lambda work: self._changing(name, work),
        )

    def create(self, collection: Collection) -> None:
        def create(collections: Collections) -> None:
            collections.lock(collection.name)
            existing = collections.read(collection.name)
            if existing is not None:
                check_models(existing.collection, collection)
            if existing is None or existing.number == UNWRITTEN:
                collections.make(collection.name, collection)

        self._change(create)

    def describe(self, name: str) -> IndexDescription:
        return self._reading(name, self._described)

    def check(self, names: Sequence[str]) -> StoreState:
        state = StoreState(
            kind="PostgreSQL",
            remote=True,
            addresses=(StoreAddress(address=self.database.address),),
        )
        try:
            if names:
                self.refresh()
            return self.database.read(lambda connection: self._checked(connection, names, state))
        except CiteloomError as error:
            failed = StoreAddress(address=self.database.address, error=error.message)
            problem = f"{error.message} ({error.hint})"
            return replace(state, addresses=(failed,), problems=(problem,))

    def _checked(
        self, connection: Connection, names: Sequence[str], state: StoreState
    ) -> StoreState:
        started = time.perf_counter()
        [(server, read_only, may_make)] = connection.execute(_RIGHTS).fetchall()
        milliseconds = round(1000 * (time.perf_counter() - started), 1)
        extension = pgvector_version(connection)
        problems = []
        if extension is None:
            problems.append("the extension vector is not in the database (CREATE EXTENSION vector)")
        if read_only:
            problems.append("the database only answers questions: a replica, perhaps")
        collections = self._collections(connection)
        stored = {name: collections.read(name) for name in names}
        may_write = not read_only and all(
            may_make if collection is None else _may_change(connection, collection)
            for collection in stored.values()
        )
        return replace(
            state,
            addresses=(
                StoreAddress(
                    address=self.database.address,
                    version=f"{server}, pgvector {extension or 'none'}",
                    milliseconds=milliseconds,
                ),
            ),
            may_read=True,
            may_write=bool(may_write),
            collections=tuple(
                CollectionState(name=name, exists=False)
                if collection is None
                else CollectionState(name=name, exists=True, points=_count(connection, collection))
                for name, collection in stored.items()
            ),
            problems=tuple(problems),
        )

    def flush(self, name: str) -> None:
        self.bound(name)

    def optimize(self, name: str) -> None:
        stored = self._read(lambda collections: _existing(collections, name))
        if stored.number == UNWRITTEN:
            return
        self._changing(name, self._add_hnsw)
        for table in stored.tables.relations:
            self.database.vacuum(table)

    def stage(self, collection: Collection) -> str:
        name = successor_of(collection.name)

        def stage(collections: Collections) -> None:
            collections.lock(name)
            collections.check_successor(_existing(collections, collection.name), collection)
            staged = collections.read(name)
            if staged is not None and same_models(staged.collection, collection):
                return
            if staged is not None:
                collections.drop(staged)
            collections.make(name, collection)

        self._change(stage)
        return name

    def staged(self, name: str) -> Collection | None:
        return self.binding(successor_of(name))

    def promote(self, name: str) -> None:
        def promote(collections: Collections) -> None:
            collections.lock(name)
            successor = _existing(collections, successor_of(name))
            collections.replace(_existing(collections, name), successor)

        self._change(promote)

    def drop(self, name: str) -> None:
        def drop(collections: Collections) -> None:
            collections.lock(name)
            collections.drop_own(_existing(collections, name))
            if successor := collections.read(successor_of(name)):
                collections.drop(successor)

        self._change(drop)

    def close(self) -> None:
        self.database.close()

    def _find(self, name: str) -> StoredCollection | None:
        """The collection of that name, read once; LangChain's may get another number unnoticed, so
        that they are read each time.
        """
        known = self._known.get(name)
        if known is None:
            known = self._read(lambda collections: collections.read(name))
            if known is not None and known.langchain is None and self._layout == "citeloom":
                self._known[name] = known
        return known

    def _read(self, work: Callable[[Collections], T]) -> T:
        return self.database.read(lambda connection: work(self._collections(connection)))

    def _change(self, work: Callable[[Collections], T]) -> T:
        self.refresh()
        try:
            return self.database.change(lambda connection: work(self._collections(connection)))
        finally:
            self.refresh()

    def _collections(self, connection: Connection) -> Collections:
        return Collections(
            connection, layout=self._layout, owners=self._owners, catalogued=self._catalogued
        )

    def _reading(self, name: str, work: Work[T], stored: StoredCollection | None = None) -> T:
        """The result of `work` for the collection, which is read again if it was replaced."""
        known = iter(() if stored is None else (stored,))

        def run(connection: Connection) -> T:
            if collection := next(known, None):
                return work(connection, collection)
            self._known.pop(name, None)
            again = _existing(self._collections(connection), name)
            if stored is not None:
                check_models(again.collection, stored.collection)
            return work(connection, again)

        return self.database.read(run)

    def _changing(self, name: str, work: Work[T]) -> T:
        """The result of `work` for the collection, locked against other changes."""

        def run(connection: Connection) -> T:
            collections = self._collections(connection)
            collections.lock(name)
            stored = _existing(collections, name)
            if stored.number == UNWRITTEN:
                stored = collections.make(name, stored.collection)
            return work(connection, stored)

        return self.database.change(run)

    def _add_hnsw(self, connection: Connection, stored: StoredCollection) -> None:
        tables = stored.tables
        count = _count(connection, stored)
        if not tables.may_have_hnsw or count < self._hnsw_from:
            return
        needed = count * (tables.dimension * _FLOAT_BYTES + _NODE_BYTES) // 1024
        memory = min(max(needed, _LEAST_MEMORY_KB), _MOST_MEMORY_KB)
        connection.execute("SELECT set_config('maintenance_work_mem', %s, true)", (f"{memory}kB",))
        connection.execute(tables.add_hnsw())

    def _described(self, connection: Connection, stored: StoredCollection) -> IndexDescription:
        tables = stored.tables
        keys = connection.execute(
            sql.SQL(_KEYS).format(tables.rows), {"sample": _SAMPLE, **tables.values}
        ).fetchone()
        [(size, server, hnsw)] = connection.execute(
            "SELECT (SELECT sum(pg_total_relation_size(name::regclass)) "
            "FROM unnest(%s::text[]) AS name), current_setting('server_version'), "
            "to_regclass(%s) IS NOT NULL",
            (list(tables.relations), tables.hnsw_name),
        ).fetchall()
        return IndexDescription(
            collection=stored.collection,
            points=_count(connection, stored),
            indexed_fields={**dict.fromkeys(KEYWORD_FIELDS, "keyword"), "year": "number"},
            payload_keys=tuple(cast("list[str]", keys[0] or [])) if keys else (),
            storage=self.database.address,
            disk_bytes=int(str(size)),
            details={
                "engine": f"PostgreSQL {server}, pgvector {pgvector_version(connection)}",
                "layout": "langchain" if stored.langchain else "citeloom",
                "search": "HNSW" if hnsw else "exact",
            },
        )


def _may_change(connection: Connection, stored: StoredCollection) -> bool:
    """Whether the user may insert into, and delete from, each table of a collection."""
    [(may,)] = connection.execute(
        "SELECT bool_and(has_table_privilege(name, 'INSERT') AND has_table_privilege(name, "
        "'DELETE')) FROM unnest(%s::text[]) AS name",
        (list(stored.tables.relations),),
    ).fetchall()
    return bool(may)


def _existing(collections: Collections, name: str) -> StoredCollection:
    stored = collections.read(name)
    if stored is None:
        raise no_collection(name)
    return stored


def _count(connection: Connection, stored: StoredCollection) -> int:
    [(count,)] = connection.execute(
        sql.SQL("SELECT count(*) FROM {}").format(stored.tables.joined), stored.tables.values
    ).fetchall()
    return int(str(count))
