"""The collections of a database: which there are, what they are bound to, where their rows are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import cast

from citeloom.domain.errors import ConfigError, IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.records.points_index import no_collection
from citeloom.infrastructure.stores.records.schema import (
    check_models,
    collection_of,
    from_json,
    same_models,
    successor_of,
    to_json,
)
from citeloom_postgres.connections import (
    Connection,
    execute_all,
    lock,
    relation_exists,
)
from citeloom_postgres.tables import Tables

CATALOGUE = "citeloom.collections"
_MAKE_CATALOGUE = """
CREATE TABLE IF NOT EXISTS citeloom.collections (
    name text PRIMARY KEY,
    number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    binding jsonb NOT NULL,
    chunks bigint NOT NULL DEFAULT 0
)"""
_READ = """
SELECT number, binding, to_jsonb(stored) ->> 'langchain_uuid' FROM citeloom.collections AS stored
WHERE name = %s"""
_LEAST_VERSION = (0, 8)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCollection:
    """A collection as it is stored; `terms` are those that have been read so far by their numbers,
    which never change.
    """

    name: str
    number: int
    collection: Collection
    tables: Tables
    terms: dict[int, int] = field(default_factory=dict, compare=False)


class Collections:
    """The catalogue of a database, each method over the connection it is given; what changes a
    collection runs in one transaction.

    A subclass may keep the rows of some collections elsewhere: it says by `add` and `tables` where,
    and by the others what becomes of rows there that are not citeloom's.
    """

    changed_by_others = False
    """Whether another program may recreate a collection, so that it has to be read each time."""

    def __init__(self) -> None:
        self._catalogued = Event()

    def read(self, connection: Connection, name: str) -> StoredCollection | None:
        """The collection of that name; None where there is none."""
        if not self._has_catalogue(connection):
            return None
        row = connection.execute(_READ, (name,)).fetchone()
        if row is None:
            return None
        number, binding, place = cast("tuple[int, Mapping[str, object], str | None]", row)
        collection = _bound(name, binding)
        tables = self.tables(connection, name, number, collection, place)
        return StoredCollection(name=name, number=number, collection=collection, tables=tables)

    def existing(self, connection: Connection, name: str) -> StoredCollection:
        """As `read`. Raises `InvalidProject` where there is none."""
        stored = self.read(connection, name)
        if stored is None:
            raise no_collection(name)
        return stored

    def locked(self, connection: Connection, name: str) -> StoredCollection:
        """The collection, which nobody else changes until the transaction ends."""
        _lock(connection, name)
        return self.existing(connection, name)

    def create(self, connection: Connection, collection: Collection) -> None:
        """Add a collection. Raises `EmbeddingMismatch` if there is one with other models."""
        _lock(connection, collection.name)
        existing = self.read(connection, collection.name)
        if existing is None:
            self.make(connection, collection.name, collection)
        else:
            check_models(existing.collection, collection)

    def stage(self, connection: Connection, collection: Collection) -> None:
        """Add an empty successor, or continue the one with the same models."""
        self.locked(connection, collection.name)
        name = successor_of(collection.name)
        staged = self.read(connection, name)
        if staged is not None and same_models(staged.collection, collection):
            return
        if staged is not None:
            self.remove(connection, staged)
        self.make(connection, name, collection)

    def promote(self, connection: Connection, name: str) -> None:
        """Remove a collection and give its name to its successor."""
        stored = self.locked(connection, name)
        successor = self.existing(connection, successor_of(name))
        self.remove(connection, stored)
        self.rename(connection, successor, name)

    def drop(self, connection: Connection, name: str) -> None:
        """Remove a collection and its successor."""
        self.remove(connection, self.locked(connection, name))
        if successor := self.read(connection, successor_of(name)):
            self.remove(connection, successor)

    def make(self, connection: Connection, name: str, collection: Collection) -> StoredCollection:
        """An empty collection."""
        self._prepare(connection)
        self.add(connection, name, collection)
        made = self.existing(connection, name)
        execute_all(connection, made.tables.make())
        return made

    def add(self, connection: Connection, name: str, collection: Collection) -> None:
        """Add a collection to the catalogue."""
        connection.execute(
            "INSERT INTO citeloom.collections (name, binding) VALUES (%s, %s::jsonb)",
            (name, json.dumps(to_json(collection))),
        )

    def tables(
        self,
        connection: Connection,  # noqa: ARG002 - a subclass may look at its own tables
        name: str,
        number: int,
        collection: Collection,
        place: str | None,
    ) -> Tables:
        """The tables of a collection; `place` is set where they are not citeloom's own."""
        if place is not None:
            raise ConfigError(
                f"The collection '{name}' is in LangChain's tables",
                "Begin [store] url with postgresql+langchain://, which needs: "
                "pip install ./recipes/pdf-in-portuguese/extension",
            )
        return Tables(number, collection.dimension)

    def rename(self, connection: Connection, stored: StoredCollection, name: str) -> None:
        """Give a collection another name."""
        connection.execute(
            "UPDATE citeloom.collections SET name = %s WHERE name = %s", (name, stored.name)
        )

    def remove(self, connection: Connection, stored: StoredCollection) -> None:
        """Remove a collection with its rows."""
        execute_all(connection, stored.tables.drop())
        connection.execute("DELETE FROM citeloom.collections WHERE name = %s", (stored.name,))

    def _has_catalogue(self, connection: Connection) -> bool:
        if not self._catalogued.is_set() and relation_exists(connection, CATALOGUE):
            self._catalogued.set()
        return self._catalogued.is_set()

    def _prepare(self, connection: Connection) -> None:
        """Make what is the same for all collections, where it is not there."""
        if self._has_catalogue(connection):
            return
        lock(connection, "catalogue")
        version = pgvector_version(connection)
        if version is None:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            version = pgvector_version(connection) or ""
        if tuple(int(part) for part in version.split(".")[:2]) < _LEAST_VERSION:
            raise IndexUnavailable(
                f"The database has pgvector {version}, which cannot filter while it searches",
                "Install pgvector 0.8 or newer, then: ALTER EXTENSION vector UPDATE;",
            )
        [(there,)] = connection.execute("SELECT to_regnamespace('citeloom')").fetchall()
        if there is None:
            connection.execute("CREATE SCHEMA citeloom")
        connection.execute(_MAKE_CATALOGUE)


def pgvector_version(connection: Connection) -> str | None:
    """The version of pgvector in the database; None where it has not been created there."""
    row = connection.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    ).fetchone()
    return str(row[0]) if row else None


def _lock(connection: Connection, name: str) -> None:
    """Lock a collection and its successor against changes until the transaction ends."""
    lock(connection, "collection", collection_of(name))


def _bound(name: str, binding: Mapping[str, object]) -> Collection:
    try:
        return from_json(binding)
    except (TypeError, ValueError, LookupError) as error:
        raise IndexUnavailable(
            f"The binding of collection '{name}' cannot be read: {error}",
            "Delete its row in citeloom.collections and ingest again.",
        ) from error
