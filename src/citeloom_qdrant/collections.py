"""Collections on a Qdrant server: each name is an alias of a collection that can be replaced."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

import structlog

from citeloom.domain.errors import IndexUnavailable, InvalidProject
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.records.points_index import no_collection
from citeloom.infrastructure.stores.records.schema import (
    check_models,
    collection_of,
    from_json,
    same_models,
    successor_of,
)
from citeloom_qdrant.client import QdrantServer
from citeloom_qdrant.official_client import models
from citeloom_qdrant.settings import ClusterOptions
from citeloom_qdrant.translation import (
    MADE_AT,
    METADATA_KEY,
    collection_request,
    payload_indexes,
)

_FORBIDDEN, _NOT_FOUND, _CONFLICT = 403, 404, 409
_YOUNG_SECONDS = 3600
"""A collection without an alias that is younger than this may be about to get one."""

T = TypeVar("T")
_log = structlog.get_logger("citeloom.store")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The collection behind a name: `target` is what the server calls it, `indexed` the keys that
    have a payload index, to which those that get one are added, `quantization` how its vectors are
    compressed.
    """

    target: str
    collection: Collection
    quantization: str | None = None
    indexed: set[str] = field(default_factory=set)


class ServerCollections:
    """The collections behind the aliases; one of ours without an alias is an orphan of a crash.

    What is behind a name is read once, and again when the server has it no more: a rebuilt
    collection has a name of its own, and the one that it replaces is deleted. The first collection
    of a name is called the same by everybody, so that the server decides which of two clients
    makes it.
    """

    def __init__(self, server: QdrantServer) -> None:
        self._server = server
        self._known: dict[str, Opened] = {}
        self._guard = Lock()

    def find(self, name: str) -> Opened | None:
        """The collection behind a name; None where there is none.

        Raises `InvalidProject` where another program's collection has the name.
        """
        with self._guard:
            known = self._known.get(name)
        if known is None and (known := self._read(name)) is not None:
            with self._guard:
                self._known[name] = known
        return known

    def opened(self, name: str) -> Opened:
        """The collection behind a name. Raises `InvalidProject` where there is none."""
        existing = self.find(name)
        if existing is None:
            raise no_collection(name)
        return existing

    def on(self, name: str, ask: Callable[[Opened], T]) -> T:
        """The result of `ask` for the collection behind a name, which is read again if it was
        replaced.

        Raises `EmbeddingMismatch` if it was replaced by one with other models.
        """
        known = self.opened(name)
        try:
            return ask(known)
        except IndexUnavailable as refusal:
            if refusal.status != _NOT_FOUND:
                raise
        self.forget(name)
        again = self.opened(name)
        check_models(again.collection, known.collection)
        return ask(again)

    def forget(self, *names: str) -> None:
        """Forget the collections behind the names, or behind all, so that they are read again."""
        with self._guard:
            for name in names or tuple(self._known):
                self._known.pop(name, None)

    def info(self, name: str) -> models.CollectionInfo | None:
        """The server's information about a collection; None where there is none."""
        try:
            return self._server.ask(lambda qdrant: qdrant.get_collection(name))
        except IndexUnavailable as refusal:
            if refusal.status == _NOT_FOUND:
                return None
            raise

    def make(self, collection: Collection, cluster: ClusterOptions) -> None:
        """Make the first collection of a name, unless another client does at the same time."""
        name = collection.name
        if self._adopted(name, collection):
            return
        target = f"{name}--1"
        if not self._created(target, collection, cluster):
            existing = self._checked(target, self.info(target))
            if existing is None or not self._is_ours(existing, name):
                raise _foreign(target, self._server.address)
            if not same_models(existing, collection) and not self._is_young(target):
                self._delete(target)
                self.make(collection, cluster)
                return
            check_models(existing, collection)
        self._add_indexes(target)
        if name not in self._targets():
            self._change([_alias(name, target)])
        self.forget(name)
        self.delete_orphans(name)

    def make_successor(self, collection: Collection, cluster: ClusterOptions) -> None:
        """Make an empty successor of a collection in place of any that is staged; one that another
        client stages at the same time is left to both.
        """
        name = successor_of(collection.name)
        replaced = self._targets().get(name)
        if replaced:
            self._delete(replaced)
        target = f"{collection.name}--{collection.generation}"
        if not self._created(target, collection, cluster):
            raise _foreign(target, self._server.address)
        self._add_indexes(target)
        if self._targets().get(name, replaced) == replaced:
            self._change([_alias(name, target)])
        else:
            self._delete(target)
        self.forget(name)
        self.delete_orphans(collection.name)

    def promote(self, name: str) -> None:
        """Swap the successor in: move the collection's alias to it with one request."""
        targets = self._targets()
        replaced = targets.get(name)
        moved = _alias(name, targets[successor_of(name)])
        self._change([_no_alias(name), moved, _no_alias(successor_of(name))])
        self.forget(name, successor_of(name))
        if replaced:
            self._delete(replaced)
        self.delete_orphans(name)

    def drop(self, name: str) -> None:
        """Delete a collection and its successor."""
        known = self._targets()
        for alias in (successor_of(name), name):
            if target := known.get(alias):
                self._delete(target)
        left = [alias for alias in (name, successor_of(name)) if alias in self._targets()]
        if left:
            self._change([_no_alias(alias) for alias in left])
        self.forget(name, successor_of(name))
        self.delete_orphans(name)

    def restore(self, name: str) -> bool:
        """Restore a name's alias to its largest collection, if the name has none; whether that was
        done.
        """
        if self.find(name) is not None:
            return False
        sizes = {
            target: info.points_count or 0
            for target in self._unnamed(name)
            if (info := self.info(target)) is not None
        }
        filled = [target for target, size in sizes.items() if size]
        if not filled:
            return False
        self._change([_alias(name, max(filled, key=lambda target: sizes[target]))])
        self.forget(name)
        return True

    def delete_orphans(self, name: str) -> None:
        """Delete the collections made for `name` long ago that no alias leads to."""
        for target in self._unnamed(name):
            if not self._is_young(target):
                self._delete(target)

    def _adopted(self, name: str, collection: Collection) -> bool:
        """Whether a filled collection whose alias was removed has been given its name back."""
        for target in self._unnamed(name):
            info = self.info(target)
            existing = self._checked(target, info)
            filled = info is not None and info.points_count
            if filled and existing is not None and same_models(existing, collection):
                check_models(existing, collection)
                return self.restore(name)
        return False

    def _created(self, target: str, collection: Collection, cluster: ClusterOptions) -> bool:
        """Whether this client has made the collection; not if it exists already."""
        request = collection_request(collection, cluster, time.time())
        try:
            self._server.ask(lambda qdrant: qdrant.create_collection(target, **request))
        except IndexUnavailable as refusal:
            if refusal.status != _CONFLICT:
                raise
            return False
        if self._checked(target, self.info(target)) is None:
            self._delete(target)
            raise IndexUnavailable(
                f"The Qdrant server at {self._server.address} keeps no metadata with a collection",
                "Use Qdrant 1.16 or newer.",
            )
        if cluster.loses_hits(collection.dimension):
            _log.warning(
                f"{cluster.quantization} quantization loses hits among vectors of "
                f"{collection.dimension} dimensions: set [qdrant] quantization to scalar, or raise "
                "oversampling above 32, and ingest with --rebuild"
            )
        return True

    def _add_indexes(self, target: str) -> None:
        for field_name, params in payload_indexes().items():
            add_index(self._server, target, field_name, params)

    def _read(self, name: str) -> Opened | None:
        target = self._target_of(name)
        info = self.info(target)
        if info is None:
            return None
        collection = self._checked(name, info)
        if collection is None:
            raise _foreign(name, self._server.address)
        quantization = info.config.quantization_config
        return Opened(
            target=target,
            collection=collection,
            quantization=next(iter(quantization.model_fields_set)) if quantization else None,
            indexed=set(info.payload_schema),
        )

    def _target_of(self, name: str) -> str:
        """What an alias leads to; the name itself where no alias has it, or none may be read."""
        try:
            return self._targets().get(name, name)
        except IndexUnavailable as refusal:
            if refusal.status != _FORBIDDEN:
                raise
            return name

    def _checked(self, name: str, info: models.CollectionInfo | None) -> Collection | None:
        """The binding in a collection's metadata; None where it is none of ours."""
        values = _metadata(info).get(METADATA_KEY)
        if values is None:
            return None
        try:
            return from_json(values)
        except (TypeError, ValueError, LookupError) as error:
            raise IndexUnavailable(
                f"The metadata of collection '{name}' cannot be read: {error}",
                "Delete the collection on the server and ingest again.",
            ) from error

    def _unnamed(self, name: str) -> list[str]:
        """The collections made for a name that no alias leads to."""
        aliased = set(self._targets().values())
        listed = self._server.ask(lambda qdrant: qdrant.get_collections()).collections
        candidates = [entry.name for entry in listed if entry.name.startswith(f"{name}--")]
        return [
            target
            for target in candidates
            if target not in aliased
            and (existing := self._checked(target, self.info(target))) is not None
            and self._is_ours(existing, name)
        ]

    def _is_ours(self, collection: Collection, name: str) -> bool:
        return collection_of(collection.name) == name

    def _is_young(self, target: str) -> bool:
        made_at = _metadata(self.info(target)).get(MADE_AT)
        return isinstance(made_at, int | float) and time.time() - made_at < _YOUNG_SECONDS

    def _targets(self) -> dict[str, str]:
        aliases = self._server.ask(lambda qdrant: qdrant.get_aliases()).aliases
        return {alias.alias_name: alias.collection_name for alias in aliases}

    def _change(self, actions: Sequence[models.AliasOperations]) -> None:
        self._server.ask(lambda qdrant: qdrant.update_collection_aliases(actions))

    def _delete(self, target: str) -> None:
        try:
            self._server.ask(lambda qdrant: qdrant.delete_collection(target))
        except IndexUnavailable as refusal:
            if refusal.status != _NOT_FOUND:
                raise


def add_index(
    server: QdrantServer, target: str, key: str, params: models.PayloadSchemaParams
) -> None:
    """Index a key of the payloads of a collection, and wait until that is done."""
    server.ask(lambda qdrant: qdrant.create_payload_index(target, key, params))


def _metadata(info: models.CollectionInfo | None) -> Mapping[str, Any]:
    return (info.config.metadata if info else None) or {}


def _foreign(name: str, address: str) -> InvalidProject:
    return InvalidProject(
        f"The collection '{name}' on the Qdrant server at {address} was not made by citeloom",
        'Give the project a collection of its own: collection = "…" under [project."…"].',
    )


def _alias(alias: str, target: str) -> models.CreateAliasOperation:
    made = models.CreateAlias(alias_name=alias, collection_name=target)
    return models.CreateAliasOperation(create_alias=made)


def _no_alias(alias: str) -> models.DeleteAliasOperation:
    return models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))
