"""The vector index in PostgreSQL with pgvector."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, cast

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
from citeloom.infrastructure.stores.records.points_index import PointsIndex, no_collection
from citeloom.infrastructure.stores.records.schema import (
    KEYWORD_FIELDS,
    check_models,
    successor_of,
)
from citeloom_postgres.collections import (
    Collections,
    StoredCollection,
    pgvector_version,
)
from citeloom_postgres.connections import Connection, Database, DatabaseLease
from citeloom_postgres.points import PostgresPoints, Work

if TYPE_CHECKING:
    from citeloom.infrastructure.settings import Settings

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
    loading. Rows are where the `collections` say.
    """

    def __init__(
        self,
        database: Database,
        *,
        collections: Collections | None = None,
        hnsw_from: int = 10_000,
    ) -> None:
        self.database = database
        self._collections = collections or Collections()
        self._hnsw_from = hnsw_from
        self._known: dict[str, StoredCollection] = {}

    def id_of(self, chunk_id: str) -> str:
        return chunk_id

    def binding(self, name: str) -> Collection | None:
        stored = self.find(name)
        return stored.collection if stored else None

    def refresh(self) -> None:
        """Read the bindings of collections again at their next use."""
        self._known.clear()

    def write_lease(self, here: WriteLease) -> WriteLease:
        return DatabaseLease(here, self.database, begins=self.refresh)

    def points(self, name: str) -> PostgresPoints:
        stored = self.find(name)
        if stored is None:
            raise no_collection(name)
        return PostgresPoints(
            read=lambda work: self._reading(name, work, stored),
            write=lambda work: self._changing(name, work),
        )

    def create(self, collection: Collection) -> None:
        self._change(lambda connection: self._collections.create(connection, collection))

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
        stored = {name: self._collections.read(connection, name) for name in names}
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
        self._changing(name, self._add_hnsw)
        for table in self._reading(name, lambda _, stored: stored.tables.relations):
            self.database.vacuum(table)

    def stage(self, collection: Collection) -> str:
        self._change(lambda connection: self._collections.stage(connection, collection))
        return successor_of(collection.name)

    def promote(self, name: str) -> None:
        self._change(lambda connection: self._collections.promote(connection, name))

    def drop(self, name: str) -> None:
        self._change(lambda connection: self._collections.drop(connection, name))

    def close(self) -> None:
        self.database.close()

    def find(self, name: str) -> StoredCollection | None:
        """The collection of that name; None where there is none."""
        known = self._known.get(name)
        if known is None:
            known = self.database.read(lambda opened: self._collections.read(opened, name))
            if known is not None and not self._collections.changed_by_others:
                self._known[name] = known
        return known

    def _change(self, work: Callable[[Connection], None]) -> None:
        self.refresh()
        try:
            self.database.change(work)
        finally:
            self.refresh()

    def _reading(self, name: str, work: Work[T], stored: StoredCollection | None = None) -> T:
        """The result of `work` for the collection, which is read again if it was replaced."""
        known = iter(() if stored is None else (stored,))

        def run(connection: Connection) -> T:
            if collection := next(known, None):
                return work(connection, collection)
            self._known.pop(name, None)
            again = self._collections.existing(connection, name)
            if stored is not None:
                check_models(again.collection, stored.collection)
            return work(connection, again)

        return self.database.read(run)

    def _changing(self, name: str, work: Work[T]) -> T:
        """The result of `work` for the collection, locked against other changes."""
        return self.database.change(
            lambda connection: work(connection, self._collections.locked(connection, name))
        )

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
            sql.SQL(_KEYS).format(tables.rows), {"sample": _SAMPLE}
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
                "layout": tables.layout,
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


def _count(connection: Connection, stored: StoredCollection) -> int:
    [(count,)] = connection.execute(
        sql.SQL("SELECT count(*) FROM {} AS chunks").format(stored.tables.rows)
    ).fetchall()
    return int(str(count))


def open_store(settings: Settings) -> PostgresIndex:
    """The index in the database of `[store] url`."""
    store = settings.store
    password = store.password.get_secret_value() if store.password else None
    return PostgresIndex(Database(store.url or "", password=password, timeout=store.timeout))
