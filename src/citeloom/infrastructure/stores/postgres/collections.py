"""The collections of a database: which there are, what they are bound to, where their rows are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Literal, cast

from citeloom.domain.errors import EmbeddingMismatch, IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.postgres.connections import (
    Connection,
    execute_all,
    lock,
    relation_exists,
)
from citeloom.infrastructure.stores.postgres.langchain_tables import LangChain, LangChainTables
from citeloom.infrastructure.stores.postgres.tables import OwnTables, Tables
from citeloom.infrastructure.stores.records.schema import collection_of, from_json, to_json

Layout = Literal["citeloom", "langchain"]

CATALOGUE = "citeloom.collections"
_MAKE_CATALOGUE = """
CREATE TABLE IF NOT EXISTS citeloom.collections (
    name text PRIMARY KEY,
    number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    langchain_uuid uuid,
    binding jsonb NOT NULL,
    chunks bigint NOT NULL DEFAULT 0
)"""
_LEAST_VERSION = (0, 8)
_REMAINING = "@kept"
"""Ends the name of a collection for the moment in which its namesake is dropped."""
UNWRITTEN = 0
"""The number of a collection of LangChain's that citeloom has not written to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCollection:
    """A collection as it is stored; `chunks` are those with sparse vectors, `terms` those that have
    been read so far by their numbers, which never change. One of LangChain's is `recreated` where
    its program has deleted it, and perhaps made another of its name.
    """

    name: str
    number: int
    collection: Collection
    chunks: int
    tables: Tables
    langchain: str | None
    terms: dict[int, int] = field(default_factory=dict, compare=False)
    recreated: bool = False

    def check_current(self) -> None:
        """Raise `IndexUnavailable` if LangChain's collection was recreated."""
        if self.recreated:
            raise IndexUnavailable(
                f"LangChain's collection '{self.name}' was deleted or made anew by another "
                "program, and what citeloom had stored in it is gone",
                "Store everything again: citeloom ingest --rebuild",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The project a collection of LangChain's is read for, the model it was embedded by, and how
    that is given its texts.
    """

    project_id: str
    dense_model: str
    dense_inputs: str | None = None


class Collections:
    """The catalogue, over one connection. `owners` are those of LangChain's collections;
    `catalogued` is set once the catalogue has been seen.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        layout: Layout,
        owners: Mapping[str, Owner],
        catalogued: Event,
    ) -> None:
        self._connection = connection
        self._catalogued = catalogued
        self._layout = layout
        self._owners = owners
        self._langchain = LangChain(connection)

    def read(self, name: str) -> StoredCollection | None:
        """The collection of that name; None where there is none."""
        if not self._has_catalogue():
            return self._unwritten(name)
        row = self._connection.execute(
            "SELECT number, langchain_uuid::text, binding, chunks FROM citeloom.collections "
            "WHERE name = %s",
            (name,),
        ).fetchone()
        if row is None:
            return self._unwritten(name)
        number, uuid, binding, chunks = cast(
            "tuple[int, str | None, Mapping[str, object], int]", row
        )
        stored = self._stored(name, number, uuid, _bound(name, binding), chunks)
        return replace(stored, recreated=uuid is not None and self._langchain.uuid(name) != uuid)

    def lock(self, name: str) -> None:
        """Lock the collection and its successor against changes until the transaction ends."""
        lock(self._connection, "collection", collection_of(name))

    def make(self, name: str, collection: Collection) -> StoredCollection:
        """Add an empty collection; one of LangChain's that is there is taken over with its rows."""
        self._prepare()
        uuid = None
        if self._layout == "langchain":
            uuid = self._adopt(name, collection) or self._langchain.make(name)
        [(number,)] = self._connection.execute(
            "INSERT INTO citeloom.collections (name, langchain_uuid, binding) "
            "VALUES (%s, %s, %s::jsonb) RETURNING number",
            (name, uuid, json.dumps(to_json(collection))),
        ).fetchall()
        made = self._stored(name, int(str(number)), uuid, collection, 0)
        execute_all(self._connection, made.tables.make())
        return made

    def drop(self, stored: StoredCollection) -> None:
        """Drop a collection with its rows."""
        execute_all(self._connection, stored.tables.drop())
        self._connection.execute("DELETE FROM citeloom.collections WHERE name = %s", (stored.name,))

    def drop_own(self, stored: StoredCollection) -> None:
        """Drop a collection, but leave LangChain's with what another program wrote into it."""
        uuid = stored.langchain
        if uuid is None or not self._langchain.others(uuid):
            self.drop(stored)
            return
        remaining = self._langchain.make(f"{stored.name}{_REMAINING}")
        self._langchain.move_others(uuid, remaining)
        self.drop(stored)
        self._langchain.rename(remaining, stored.name)

    def replace(self, stored: StoredCollection, successor: StoredCollection) -> None:
        """Drop a collection and give its name to its successor, and to that what another program
        wrote into it.
        """
        self.check_successor(stored, successor.collection)
        if stored.langchain is not None and successor.langchain is not None:
            self._langchain.move_others(stored.langchain, successor.langchain)
        if stored.recreated and successor.langchain is not None:
            self._absorb_namesake(stored.name, successor.langchain)
        self.drop(stored)
        self._rename(successor, stored.name)

    def _absorb_namesake(self, name: str, target: str) -> None:
        """Move the rows of a collection that another program recreated, and drop it."""
        if namesake := self._langchain.uuid(name):
            self._langchain.move_others(namesake, target)
            self._langchain.drop(namesake)

    def check_successor(self, stored: StoredCollection, collection: Collection) -> None:
        """Raise `EmbeddingMismatch` if what another program wrote could not be in a successor."""
        if stored.recreated:
            self._adopt(stored.name, collection)
        bound = stored.collection
        models = (bound.dense_model, bound.dimension)
        if stored.langchain is None or models == (collection.dense_model, collection.dimension):
            return
        if rows := self._langchain.others(stored.langchain):
            raise EmbeddingMismatch(
                f"LangChain's collection '{stored.name}' has {rows} rows of another program by "
                f"{bound.dense_model}, which {collection.dense_model} cannot search",
                f"Set embedding_model to {bound.dense_model}, or choose another collection.",
            )

    def _rename(self, stored: StoredCollection, name: str) -> None:
        """Give a collection another name."""
        self._connection.execute(
            "UPDATE citeloom.collections SET name = %s WHERE name = %s", (name, stored.name)
        )
        if stored.langchain is not None:
            self._langchain.rename(stored.langchain, name)

    def _adopt(self, name: str, collection: Collection) -> str | None:
        uuid = self._langchain.uuid(name)
        dimension = self._langchain.dimension(uuid) if uuid else None
        if dimension not in (None, collection.dimension):
            raise EmbeddingMismatch(
                f"LangChain's collection '{name}' has vectors of {dimension} dimensions; "
                f"{collection.dense_model} has {collection.dimension}",
                "Set embedding_model to the model its program uses, or choose another collection.",
            )
        return uuid

    def _unwritten(self, name: str) -> StoredCollection | None:
        owner = self._owners.get(name)
        uuid = self._langchain.uuid(name) if owner else None
        dimension = self._langchain.dimension(uuid) if uuid else None
        if owner is None or uuid is None or dimension is None:
            return None
        collection = Collection(
            name=name,
            project_id=owner.project_id,
            generation="langchain",
            dense_model=owner.dense_model,
            dense_inputs=owner.dense_inputs,
            dimension=dimension,
            sparse_model=None,
        )
        return self._stored(name, UNWRITTEN, uuid, collection, 0)

    def _stored(
        self, name: str, number: int, uuid: str | None, collection: Collection, chunks: int
    ) -> StoredCollection:
        tables: Tables = OwnTables(number, collection.dimension)
        if uuid is not None:
            id_type = self._langchain.id_type()
            replaced = None if name == collection_of(name) else collection_of(name)
            tables = LangChainTables(
                number,
                collection,
                uuid,
                id_type=id_type,
                replaced=self._langchain.uuid(replaced) if replaced else None,
            )
        return StoredCollection(
            name=name,
            number=number,
            collection=collection,
            chunks=chunks,
            tables=tables,
            langchain=uuid,
        )

    def _has_catalogue(self) -> bool:
        if not self._catalogued.is_set() and relation_exists(self._connection, CATALOGUE):
            self._catalogued.set()
        return self._catalogued.is_set()

    def _prepare(self) -> None:
        """Make what is the same for all collections, where it is not there."""
        if self._has_catalogue():
            return
        lock(self._connection, "catalogue")
        version = pgvector_version(self._connection)
        if version is None:
            self._connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            version = pgvector_version(self._connection) or ""
        if tuple(int(part) for part in version.split(".")[:2]) < _LEAST_VERSION:
            raise IndexUnavailable(
                f"The database has pgvector {version}, which cannot filter while it searches",
                "Install pgvector 0.8 or newer, then: ALTER EXTENSION vector UPDATE;",
            )
        [(there,)] = self._connection.execute("SELECT to_regnamespace('citeloom')").fetchall()
        if there is None:
            self._connection.execute("CREATE SCHEMA citeloom")
        self._connection.execute(_MAKE_CATALOGUE)


def pgvector_version(connection: Connection) -> str | None:
    """The version of pgvector in the database; None where it has not been created there."""
    row = connection.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    ).fetchone()
    return str(row[0]) if row else None


def _bound(name: str, binding: Mapping[str, object]) -> Collection:
    try:
        return from_json(binding)
    except (TypeError, ValueError, LookupError) as error:
        raise IndexUnavailable(
            f"The binding of collection '{name}' cannot be read: {error}",
            "Delete its row in citeloom.collections and ingest again.",
        ) from error
