"""The vector index whose collections are LangChain's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.project import published_name
from citeloom_langchain_tables.collections import LangChainCollections, Owner, is_unwritten
from citeloom_langchain_tables.tables import LangChainTables
from citeloom_postgres.connections import Database
from citeloom_postgres.index import PostgresIndex

if TYPE_CHECKING:
    from citeloom.infrastructure.settings import Settings
    from citeloom_postgres.points import PostgresPoints


def open_store(settings: Settings) -> LangChainIndex:
    """The index in the database of the address."""
    store = settings.store
    _, _, rest = (store.url or "").partition("://")
    password = store.password.get_secret_value() if store.password else None
    database = Database(f"postgresql://{rest}", password=password, timeout=store.timeout)
    owners = {
        project.collection: Owner(
            project_id=project.id,
            dense_model=published_name(project.embedding_model),
            dense_inputs=project.dense_inputs,
        )
        for project in settings.projects()
    }
    return LangChainIndex(database, owners)


class LangChainIndex(PostgresIndex):
    """Collections of LangChain's, each searched in place until citeloom first writes into it."""

    def __init__(self, database: Database, owners: Mapping[str, Owner] | None = None) -> None:
        super().__init__(database, collections=LangChainCollections(owners or {}))

    def points(self, name: str) -> PostgresPoints:
        stored = self.find(name)
        if stored and isinstance(stored.tables, LangChainTables) and stored.tables.recreated:
            raise IndexUnavailable(
                f"LangChain's collection '{name}' was deleted or made anew by another program, and "
                "what citeloom had stored in it is gone",
                "Store everything again: citeloom ingest --rebuild",
            )
        return super().points(name)

    def optimize(self, name: str) -> None:
        stored = self.find(name)
        if stored is None or not is_unwritten(stored):
            super().optimize(name)
