"""The catalogue of citeloom's collections among LangChain's, which other programs write into, too.

A rebuilt or dropped collection leaves the rows of other programs where they are found by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from citeloom.domain.errors import EmbeddingMismatch
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.records.schema import collection_of, successor_of
from citeloom_langchain_tables.tables import (
    LangChainTables,
    add_collection,
    dimension_of,
    drop_collection,
    id_type,
    move_rows_of_others,
    rename_collection,
    rows_of_others,
    uuid_of,
)
from citeloom_postgres.collections import Collections, StoredCollection
from citeloom_postgres.connections import Connection
from citeloom_postgres.tables import Tables

_UNWRITTEN = 0
"""The number of a collection that citeloom has not written to."""
_REMAINING = "@kept"
"""Ends the name of a collection for the moment in which its namesake is dropped."""
_HAS_COLUMN = """
SELECT FROM pg_attribute
WHERE attrelid = 'citeloom.collections'::regclass AND attname = 'langchain_uuid'"""
_ADD_COLUMN = "ALTER TABLE citeloom.collections ADD COLUMN langchain_uuid uuid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The project a collection is read for, the model it was embedded by, and how that is given its
    texts.
    """

    project_id: str
    dense_model: str
    dense_inputs: str | None = None


def is_unwritten(stored: StoredCollection) -> bool:
    """Whether citeloom has not written to a collection."""
    return stored.number == _UNWRITTEN


class LangChainCollections(Collections):
    """New collections are LangChain's; one that is there is taken over with its rows.

    What no catalogue names is read for the `owners` by the name of the collection.
    """

    changed_by_others = True

    def __init__(self, owners: Mapping[str, Owner]) -> None:
        super().__init__()
        self._owners = owners

    def read(self, connection: Connection, name: str) -> StoredCollection | None:
        return super().read(connection, name) or self._unwritten(connection, name)

    def locked(self, connection: Connection, name: str) -> StoredCollection:
        stored = super().locked(connection, name)
        if is_unwritten(stored):
            return self.make(connection, name, stored.collection)
        return stored

    def create(self, connection: Connection, collection: Collection) -> None:
        super().create(connection, collection)
        if is_unwritten(self.existing(connection, collection.name)):
            self.make(connection, collection.name, collection)

    def stage(self, connection: Connection, collection: Collection) -> None:
        _check_successor(connection, self.existing(connection, collection.name), collection)
        super().stage(connection, collection)

    def promote(self, connection: Connection, name: str) -> None:
        stored = self.locked(connection, name)
        successor = self.existing(connection, successor_of(name))
        _check_successor(connection, stored, successor.collection)
        if isinstance(stored.tables, LangChainTables) and isinstance(
            successor.tables, LangChainTables
        ):
            move_rows_of_others(connection, stored.tables.uuid, successor.tables.uuid)
            if stored.tables.recreated and (namesake := uuid_of(connection, name)):
                move_rows_of_others(connection, namesake, successor.tables.uuid)
                drop_collection(connection, namesake)
        super().promote(connection, name)

    def drop(self, connection: Connection, name: str) -> None:
        stored = self.existing(connection, name)
        if is_unwritten(stored):
            return
        tables = stored.tables
        if not (isinstance(tables, LangChainTables) and rows_of_others(connection, tables.uuid)):
            super().drop(connection, name)
            return
        remaining = add_collection(connection, f"{name}{_REMAINING}")
        move_rows_of_others(connection, tables.uuid, remaining)
        super().drop(connection, name)
        rename_collection(connection, remaining, name)

    def add(self, connection: Connection, name: str, collection: Collection) -> None:
        super().add(connection, name, collection)
        if not connection.execute(_HAS_COLUMN).fetchall():
            connection.execute(_ADD_COLUMN)
        uuid = _adopted(connection, name, collection) or add_collection(connection, name)
        connection.execute(
            "UPDATE citeloom.collections SET langchain_uuid = %s::uuid WHERE name = %s",
            (uuid, name),
        )

    def tables(
        self,
        connection: Connection,
        name: str,
        number: int,
        collection: Collection,
        place: str | None,
    ) -> Tables:
        if place is None:
            return super().tables(connection, name, number, collection, None)
        replaced = collection_of(name)
        return LangChainTables(
            number,
            collection,
            place,
            id_type=id_type(connection),
            replaced=uuid_of(connection, replaced) if replaced != name else None,
            recreated=uuid_of(connection, name) != place,
        )

    def rename(self, connection: Connection, stored: StoredCollection, name: str) -> None:
        super().rename(connection, stored, name)
        if isinstance(stored.tables, LangChainTables):
            rename_collection(connection, stored.tables.uuid, name)

    def _unwritten(self, connection: Connection, name: str) -> StoredCollection | None:
        owner = self._owners.get(name)
        uuid = uuid_of(connection, name) if owner else None
        dimension = dimension_of(connection, uuid) if uuid else None
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
        tables = self.tables(connection, name, _UNWRITTEN, collection, uuid)
        return StoredCollection(name=name, number=_UNWRITTEN, collection=collection, tables=tables)


def _check_successor(
    connection: Connection, stored: StoredCollection, collection: Collection
) -> None:
    """Raise `EmbeddingMismatch` if what another program wrote could not be in a successor."""
    if not isinstance(stored.tables, LangChainTables):
        return
    if stored.tables.recreated:
        _adopted(connection, stored.name, collection)
    bound = stored.collection
    if (bound.dense_model, bound.dimension) == (collection.dense_model, collection.dimension):
        return
    if rows := rows_of_others(connection, stored.tables.uuid):
        raise EmbeddingMismatch(
            f"LangChain's collection '{stored.name}' has {rows} rows of another program by "
            f"{bound.dense_model}, which {collection.dense_model} cannot search",
            f"Set embedding_model to {bound.dense_model}, or choose another collection.",
        )


def _adopted(connection: Connection, name: str, collection: Collection) -> str | None:
    """The collection of that name. Raises `EmbeddingMismatch` if its vectors are no match."""
    uuid = uuid_of(connection, name)
    dimension = dimension_of(connection, uuid) if uuid else None
    if dimension not in (None, collection.dimension):
        raise EmbeddingMismatch(
            f"LangChain's collection '{name}' has vectors of {dimension} dimensions; "
            f"{collection.dense_model} has {collection.dimension}",
            "Set embedding_model to the model its program uses, or choose another collection.",
        )
    return uuid
