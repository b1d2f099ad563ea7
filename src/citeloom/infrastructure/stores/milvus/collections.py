"""Collections in Milvus: each name is an alias of a collection that can be replaced."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pymilvus import MilvusClient

from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.milvus.answering import answering
from citeloom.infrastructure.stores.milvus.creating import create_loaded
from citeloom.infrastructure.stores.milvus.fields import DENSE, SCALARS, SPARSE, schema_of
from citeloom.infrastructure.stores.milvus.names import alias_of, belongs_to, physical_name
from citeloom.infrastructure.stores.milvus.options import MilvusOptions
from citeloom.infrastructure.stores.records.binding import from_json, to_json
from citeloom.infrastructure.stores.records.schema import successor_of

_BINDING = "citeloom"


class MilvusCollections:
    """The collections behind the aliases; one of ours without an alias is an orphan of a crash."""

    def __init__(self, client: MilvusClient, *, options: MilvusOptions, address: str) -> None:
        self._client = client
        self._options = options
        self._address = address
        self._loaded: set[str] = set()

    def loaded(self, name: str) -> str:
        """The alias of a collection, ready to be searched."""
        alias = alias_of(name)
        if alias not in self._loaded:
            with answering(self._address):
                self._client.load_collection(alias)
            self._loaded.add(alias)
        return alias

    def read(self, name: str) -> Collection | None:
        """The collection behind an alias, from its properties; None where there is none."""
        alias = alias_of(name)
        with answering(self._address):
            if not self._client.has_collection(alias):
                return None
            properties = self._client.describe_collection(alias).get("properties") or {}
        return _bound(alias, properties)

    def make(self, name: str, collection: Collection) -> None:
        """A new, empty collection with its indexes, behind the alias when it is ready."""
        alias = alias_of(name)
        self.delete_orphans(name)
        target = physical_name(alias)
        indexes = self._client.prepare_index_params()
        indexes.add_index(
            DENSE,
            index_type=self._options.index,
            metric_type=self._options.metric,
            params=self._options.build_parameters,
        )
        if collection.hybrid:
            indexes.add_index(SPARSE, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        for key in SCALARS:
            indexes.add_index(key, index_type="INVERTED")
        with answering(self._address):
            binding = {_BINDING: json.dumps(to_json(collection))}
            create_loaded(self._client, target, schema_of(collection), indexes, binding)
            self._lead(alias, target)

    def promote(self, name: str) -> None:
        """Swap the successor in: lead the collection's alias to it."""
        successor = alias_of(successor_of(name))
        with answering(self._address):
            target = self._client.describe_alias(successor)["collection_name"]
            self._lead(alias_of(name), target)
            self._client.drop_alias(successor)
        self.delete_orphans(name)

    def drop(self, name: str) -> None:
        """Delete a collection and its successor."""
        with answering(self._address):
            for alias in (alias_of(name), alias_of(successor_of(name))):
                self._loaded.discard(alias)
                if self._client.has_collection(alias):
                    self._client.drop_alias(alias)
        self.delete_orphans(name)

    def delete_orphans(self, name: str) -> None:
        """Delete the collections made for `name`, or for its successor, that no alias leads to."""
        ours = (alias_of(name), alias_of(successor_of(name)))
        with answering(self._address):
            for target in self._client.list_collections():
                made_here = any(belongs_to(target, alias) for alias in ours)
                if made_here and not self._client.list_aliases(target)["aliases"]:
                    self._client.drop_collection(target)

    def _lead(self, alias: str, target: str) -> None:
        self._loaded.discard(alias)
        known = self._client.has_collection(alias)
        change = self._client.alter_alias if known else self._client.create_alias
        change(target, alias)


def _bound(alias: str, properties: Mapping[str, str]) -> Collection | None:
    if _BINDING not in properties:
        return None
    try:
        return from_json(json.loads(properties[_BINDING]))
    except (TypeError, ValueError, LookupError) as error:
        raise IndexUnavailable(
            f"The properties of the Milvus collection '{alias}' cannot be read: {error}",
            "Delete the collection and ingest again.",
        ) from error
