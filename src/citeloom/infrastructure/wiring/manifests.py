"""The manifest of a library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from citeloom.domain.manifest import ManifestEntry, Status
from citeloom.domain.passage import Selection
from citeloom.infrastructure.manifest.sqlite import SqliteManifest
from citeloom.infrastructure.stores.records.schema import successor_of

if TYPE_CHECKING:
    from citeloom.application.ports.manifest_store import ManifestStore
    from citeloom.application.ports.vector_index import VectorIndex
    from citeloom.infrastructure.settings import Settings


def open_manifest(settings: Settings, index: Callable[[], VectorIndex]) -> ManifestStore:
    """The manifest in the data folder, repeated in Milvus if that is configured."""
    manifest = SqliteManifest(settings.data_dir / "manifest.sqlite")
    name = settings.milvus.documents
    if name is None or not (settings.store.url or "").startswith("milvus"):
        return manifest
    from citeloom.infrastructure.stores.milvus.documents import MirroredManifest
    from citeloom.infrastructure.stores.milvus.index import MilvusIndex

    store = index()
    if not isinstance(store, MilvusIndex):
        return manifest

    def metadata_of(entry: ManifestEntry) -> Mapping[str, object]:
        return _metadata(store, settings.project(entry.project_id).collection, entry)

    return MirroredManifest(manifest, store.documents(name), metadata_of)


def _metadata(index: VectorIndex, collection: str, entry: ManifestEntry) -> Mapping[str, object]:
    """What the front matter of an indexed document says, in the collection that it went into."""
    if entry.status is not Status.INDEXED:
        return {}
    first = Selection(project_id=entry.project_id, doc_id=entry.doc_id, chunks=(0, 0))
    for name in (collection, successor_of(collection)):
        bound = index.binding(name)
        if bound is not None and bound.generation == entry.generation:
            return next((one.metadata for one in index.scroll(name, first)), {})
    return {}
