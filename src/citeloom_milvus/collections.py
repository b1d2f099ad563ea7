"""Collections in Milvus: each name is an alias of a collection that can be replaced."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Mapping

from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.records.schema import (
    check_models,
    from_json,
    successor_of,
    to_json,
)
from citeloom_milvus.fields import (
    DENSE,
    SCALARS,
    SPARSE,
    answering,
    create_loaded,
    schema_of,
)
from citeloom_milvus.settings import MilvusTable

_BINDING = "citeloom"
_MADE_AT = "citeloom_made_at"
_YOUNG_SECONDS = 3600
"""A collection without an alias that is younger than this may be about to get one."""


class MilvusCollections:
    """The collections behind the aliases; one of ours without an alias is an orphan of a crash."""

    def __init__(self, client: MilvusClient, *, options: MilvusTable, address: str) -> None:
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

    def make(self, collection: Collection) -> None:
        """Make the first collection of a name, unless another client does at the same time."""
        alias = alias_of(collection.name)
        self.delete_orphans(collection.name)
        with answering(self._address):
            self._create(first_name(alias), collection)
            self._loaded.discard(alias)
            if not self._client.has_collection(alias):
                self._unless_there(
                    alias, lambda: self._client.create_alias(first_name(alias), alias)
                )
        bound = self.read(collection.name)
        if bound is not None:
            check_models(bound, collection)

    def make_successor(self, collection: Collection) -> None:
        """Make an empty successor of a collection, in place of any that is staged."""
        alias = alias_of(successor_of(collection.name))
        target = physical_name(alias)
        with answering(self._address):
            staged = self._client.has_collection(alias)
            replaced = self._client.describe_alias(alias)["collection_name"] if staged else None
            self._create(target, collection)
            self._lead(alias, target)
            if replaced:
                self._client.drop_collection(replaced)
        self.delete_orphans(collection.name)

    def promote(self, name: str) -> None:
        """Swap the successor in: lead the collection's alias to it."""
        successor = alias_of(successor_of(name))
        with answering(self._address):
            target = self._client.describe_alias(successor)["collection_name"]
            replaced = self._client.describe_alias(alias_of(name))["collection_name"]
            self._lead(alias_of(name), target)
            self._client.drop_alias(successor)
            self._client.drop_collection(replaced)
        self.delete_orphans(name)

    def drop(self, name: str) -> None:
        """Delete a collection and its successor."""
        with answering(self._address):
            for alias in (alias_of(name), alias_of(successor_of(name))):
                self._loaded.discard(alias)
                if self._client.has_collection(alias):
                    target = self._client.describe_alias(alias)["collection_name"]
                    self._client.drop_alias(alias)
                    self._client.drop_collection(target)
        self.delete_orphans(name)

    def delete_orphans(self, name: str) -> None:
        """Delete the collections made for `name`, or for its successor, long ago that no alias
        leads to.
        """
        ours = (alias_of(name), alias_of(successor_of(name)))
        with answering(self._address):
            for target in self._client.list_collections():
                made_here = any(belongs_to(target, alias) for alias in ours)
                if made_here and self._is_orphan(target):
                    self._client.drop_collection(target)

    def _create(self, target: str, collection: Collection) -> None:
        """Create and load an empty collection, unless it is there."""
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
        binding = {_BINDING: json.dumps(to_json(collection)), _MADE_AT: str(int(time.time()))}
        schema = schema_of(collection)
        self._unless_there(
            target, lambda: create_loaded(self._client, target, schema, indexes, binding)
        )

    def _unless_there(self, name: str, make: Callable[[], object]) -> None:
        """Make something of that name; if another client has made it, leave it."""
        try:
            make()
        except MilvusException:
            if not self._client.has_collection(name):
                raise

    def _is_orphan(self, target: str) -> bool:
        if self._client.list_aliases(target)["aliases"]:
            return False
        properties = self._client.describe_collection(target).get("properties") or {}
        return time.time() - int(properties.get(_MADE_AT, 0)) > _YOUNG_SECONDS

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


# Names of collections as Milvus takes them: letters, digits and underscores.

_OTHERS = re.compile(r"[^A-Za-z0-9]")
_SEPARATOR = "__"
_LEADING = "c"
"""A name must not begin with a digit."""


def alias_of(name: str) -> str:
    """The alias of a collection; no two names share one."""
    if _OTHERS.search(name.replace("_", "")) is None and not name[:1].isdigit():
        return name
    return _LEADING + _SEPARATOR + _OTHERS.sub(_escape, name)


def physical_name(alias: str) -> str:
    """A new name for what stands behind an alias."""
    return f"{alias}{_SEPARATOR}{uuid.uuid4().hex}"


def first_name(alias: str) -> str:
    """The name of the first that stands behind an alias, the same for everybody, so that the server
    decides who makes it.
    """
    return f"{alias}{_SEPARATOR}{'0' * 32}"


def belongs_to(physical: str, alias: str) -> bool:
    """Whether `physical_name` or `first_name` made the name for the alias."""
    rest = physical.removeprefix(alias + _SEPARATOR)
    return rest != physical and re.fullmatch(r"[0-9a-f]{32}", rest) is not None


def _escape(match: re.Match[str]) -> str:
    return "".join(f"_{byte:02x}" for byte in match[0].encode())
