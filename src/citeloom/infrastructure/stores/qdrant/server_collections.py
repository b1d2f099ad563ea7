"""Collections on a Qdrant server: each name is an alias of a collection that can be replaced."""

from __future__ import annotations

import uuid

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.qdrant.cluster import ClusterOptions
from citeloom.infrastructure.stores.qdrant.server_points import answering
from citeloom.infrastructure.stores.qdrant.server_translation import (
    METADATA_KEY,
    collection_request,
    payload_indexes,
)
from citeloom.infrastructure.stores.records.binding import from_json
from citeloom.infrastructure.stores.records.schema import successor_of

_NOT_FOUND = 404


class ServerCollections:
    """The collections behind the aliases; one of ours without an alias is an orphan of a crash."""

    def __init__(self, client: QdrantClient, *, address: str) -> None:
        self._client = client
        self._address = address

    def info(self, name: str) -> models.CollectionInfo | None:
        """The server's information about a collection; None where there is none."""
        with answering(self._address):
            try:
                return self._client.get_collection(name)
            except UnexpectedResponse as error:
                if error.status_code != _NOT_FOUND:
                    raise
            except ValueError:  # how the client's local mode says the same
                pass
        return None

    def read(self, name: str) -> Collection | None:
        """The collection behind an alias, from its metadata."""
        info = self.info(name)
        values = (info.config.metadata or {}).get(METADATA_KEY) if info else None
        if values is None:
            return None
        try:
            return from_json(values)
        except (TypeError, ValueError, LookupError) as error:
            raise IndexUnavailable(
                f"The metadata of collection '{name}' cannot be read: {error}",
                "Delete the collection on the server and ingest again.",
            ) from error

    def make(self, alias: str, collection: Collection, cluster: ClusterOptions) -> None:
        """A new, empty collection with its payload indexes, behind `alias` when it is ready."""
        self.delete_orphans(collection.name)
        target = f"{collection.name}--{uuid.uuid4().hex}"
        with answering(self._address):
            self._client.create_collection(target, **collection_request(collection, cluster))
            for field, params in payload_indexes().items():
                self._client.create_payload_index(target, field, params, wait=True)
        if self.read(target) is None:
            raise IndexUnavailable(
                f"The Qdrant server at {self._address} keeps no metadata with a collection",
                "Use Qdrant 1.16 or newer.",
            )
        self._change([_alias(alias, target)])

    def promote(self, name: str) -> None:
        """Swap the successor in: move the collection's alias to it with one request."""
        target = self._targets()[successor_of(name)]
        self._change([_no_alias(name), _alias(name, target), _no_alias(successor_of(name))])
        self.delete_orphans(name)

    def unname(self, name: str) -> None:
        """Delete the aliases of a collection and its successor; `delete_orphans` does the rest."""
        known = self._targets()
        self._change([_no_alias(alias) for alias in (name, successor_of(name)) if alias in known])

    def delete_orphans(self, name: str) -> None:
        """Delete the collections made for `name` that no alias leads to."""
        named = set(self._targets().values())
        with answering(self._address):
            found = [one.name for one in self._client.get_collections().collections]
        for target in found:
            if target in named or not target.startswith(f"{name}--"):
                continue
            orphan = self.read(target)
            if orphan is not None and orphan.name == name:
                with answering(self._address):
                    self._client.delete_collection(target)

    def _targets(self) -> dict[str, str]:
        with answering(self._address):
            aliases = self._client.get_aliases().aliases
        return {alias.alias_name: alias.collection_name for alias in aliases}

    def _change(self, operations: list[models.AliasOperations]) -> None:
        with answering(self._address):
            self._client.update_collection_aliases(operations)


def _alias(alias: str, target: str) -> models.CreateAliasOperation:
    return models.CreateAliasOperation(
        create_alias=models.CreateAlias(alias_name=alias, collection_name=target)
    )


def _no_alias(alias: str) -> models.DeleteAliasOperation:
    return models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))
