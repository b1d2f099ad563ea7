"""The documents of a library as a Milvus collection, for programs that look there.

It repeats the manifest, and what the front matter of each document says; nothing reads it back.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, cast

from pymilvus import CollectionSchema, DataType, MilvusClient

from citeloom.application.ports.records import ManifestStore
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.retrieval.passage import Selection
from citeloom.infrastructure.stores.records.schema import successor_of
from citeloom_milvus.fields import answering, create_loaded, cut, literal
from citeloom_milvus.settings import MilvusTable

if TYPE_CHECKING:
    from citeloom.domain.documents.manifest import Tombstone, WriteIntent
    from citeloom.domain.zotero.selection import ZoteroSelection
    from citeloom.infrastructure.settings import Settings
    from citeloom_milvus.index import MilvusIndex

_Place = tuple[str, str]
MetadataOf = Callable[[ManifestEntry], Mapping[str, object]]

_NAMESPACE = uuid.UUID("9c1d3c8e-6d51-5c6a-8a6b-0d4a1b7a55f2")
_TEXTS = {
    "document_id": 36,
    "project_id": 1024,
    "file_path": 1024,
    "file_hash": 64,
    "processing_status": 20,
    "title": 1024,
    "summary": 4000,
    "llm_hints": 4000,
    "language": 10,
    "error_message": 1000,
}
"""The text fields, each with its longest value in bytes."""
_LISTS = ("tags", "topics", "keywords")
_WHOLE = ("file_size", "word_count", "section_count", "created_at", "updated_at", "indexed_at")
_BATCH = 256
_PLACEHOLDER = "placeholder"
"""Milvus keeps no collection without a vector."""


def repeated_in_milvus(
    settings: Settings, open_index: Callable[[], VectorIndex], manifest: ManifestStore
) -> ManifestStore:
    """The manifest, repeated in the collection that `[milvus] documents` names."""
    index = cast("MilvusIndex", open_index())

    def metadata_of(entry: ManifestEntry) -> Mapping[str, object]:
        return _metadata(index, settings.project(entry.project_id).collection, entry)

    documents = MilvusDocuments.in_index(index, settings.table(MilvusTable).documents or "")
    return MirroredManifest(manifest, documents, metadata_of)


def _metadata(index: VectorIndex, collection: str, entry: ManifestEntry) -> Mapping[str, object]:
    """What the front matter of an indexed document says, in the collection that it went into, and
    what could be read of that of a failed one.
    """
    if entry.status is not Status.INDEXED:
        return entry.metadata
    first = Selection(project_id=entry.project_id, doc_id=entry.doc_id, chunks=(0, 0))
    for name in (collection, successor_of(collection)):
        bound = index.binding(name)
        if bound is not None and bound.generation == entry.generation:
            return next((one.metadata for one in index.scroll(name, first)), {})
    return {}


class MilvusDocuments:
    """One row a document; times are seconds since 1970, lists and front matter are JSON.

    Its `document_id` is the `doc_id` of its chunks; a document without any, or with those of
    another path or project, has one from its path.
    """

    def __init__(self, client: MilvusClient, *, name: str, address: str) -> None:
        self._client = client
        self._name = name
        self._address = address
        self._opened = False

    @classmethod
    def in_index(cls, index: MilvusIndex, name: str) -> MilvusDocuments:
        """The collection `name` of documents, beside those of chunks."""
        return cls(index.client, name=name, address=index.address)

    def put(self, entries: Sequence[ManifestEntry], metadata_of: MetadataOf) -> None:
        """Write the rows of entries, replacing those of the same project and path."""
        with answering(self._address):
            for start in range(0, len(entries), _BATCH):
                self._put(entries[start : start + _BATCH], metadata_of)

    def _put(self, entries: Sequence[ManifestEntry], metadata_of: MetadataOf) -> None:
        self._open()
        places = {_place(entry.project_id, entry.path): entry for entry in entries}
        present = self._present(list(places.values()))
        places_by_id = {row_id: place for row_id, place in present.items() if place not in places}
        ids: dict[str, _Place] = {}
        for place, entry in places.items():
            free = entry.doc_id and places_by_id.setdefault(entry.doc_id, place) == place
            ids[entry.doc_id if free else _path_id(entry.project_id, entry.path)] = place
        rows = [
            _row(places[place], row_id, metadata_of(places[place])) for row_id, place in ids.items()
        ]
        self._client.upsert(self._name, rows)
        replaced = [
            row_id for row_id, place in present.items() if place in places and row_id not in ids
        ]
        if replaced:
            self._client.delete(self._name, filter=f"document_id in {_array(replaced)}")

    def _present(self, entries: Sequence[ManifestEntry]) -> dict[str, _Place]:
        """The places of the rows that have the path of an entry, or its document id."""
        doc_ids = _array(entry.doc_id for entry in entries if entry.doc_id)
        paths = _array(_place(entry.project_id, entry.path)[1] for entry in entries)
        rows = self._client.query(
            self._name,
            filter=f"document_id in {doc_ids} or file_path in {paths}",
            output_fields=["document_id", "project_id", "file_path"],
        )
        return {row["document_id"]: (row["project_id"], row["file_path"]) for row in rows}

    def remove(self, project_id: str, paths: Sequence[str]) -> None:
        """Delete the rows of paths; an unknown one is no error."""
        if paths:
            places = [_place(project_id, path) for path in paths]
            with answering(self._address):
                self._open()
                self._client.delete(
                    self._name,
                    filter=f"project_id == {literal(places[0][0])} "
                    f"and file_path in {_array(path for _, path in places)}",
                )

    def rows(self, filter_expression: str) -> list[dict[str, object]]:
        """The rows that match an expression of Milvus, at most 16,384."""
        with answering(self._address):
            self._open()
            fields = [*_TEXTS, *_LISTS, *_WHOLE, "has_frontmatter", "frontmatter"]
            matches = self._client.query(
                self._name, filter=filter_expression, output_fields=fields, limit=16_384
            )
        return [dict(row) for row in matches]

    def _open(self) -> None:
        if self._opened:
            return
        if not self._client.has_collection(self._name):
            self._create()
        self._client.load_collection(self._name)
        self._opened = True

    def _create(self) -> None:
        indexes = self._client.prepare_index_params()
        indexes.add_index(_PLACEHOLDER, index_type="FLAT", metric_type="L2")
        create_loaded(self._client, self._name, documents_schema(), indexes)


def documents_schema() -> CollectionSchema:
    """The schema of the collection of documents."""
    schema = MilvusClient.create_schema(
        auto_id=False,
        enable_dynamic_field=False,
        description="Document metadata and processing status",
    )
    for name, longest in _TEXTS.items():
        key = name == "document_id"
        schema.add_field(name, DataType.VARCHAR, max_length=longest, is_primary=key)
    for name in _WHOLE:
        schema.add_field(name, DataType.INT64)
    for name in (*_LISTS, "frontmatter"):
        schema.add_field(name, DataType.JSON)
    schema.add_field("has_frontmatter", DataType.BOOL)
    schema.add_field(_PLACEHOLDER, DataType.FLOAT_VECTOR, dim=2)
    return schema


class MirroredManifest(ManifestStore):
    """A manifest whose entries are repeated in Milvus.

    Milvus comes first, so that whatever a kill leaves there is written again by the next run, which
    goes by the manifest.
    """

    def __init__(
        self, manifest: ManifestStore, documents: MilvusDocuments, metadata_of: MetadataOf
    ) -> None:
        self._manifest = manifest
        self._documents = documents
        self._metadata_of = metadata_of

    def get(self, project_id: str, path: str) -> ManifestEntry | None:
        return self._manifest.get(project_id, path)

    def put(self, *entries: ManifestEntry) -> None:
        self._documents.put(entries, self._metadata_of)
        self._manifest.put(*entries)

    def remove(self, project_id: str, *paths: str) -> None:
        self._documents.remove(project_id, paths)
        self._manifest.remove(project_id, *paths)

    def entries(self, project_id: str) -> list[ManifestEntry]:
        return self._manifest.entries(project_id)

    def damage(self) -> str:
        return self._manifest.damage()

    def set_aside(self) -> str:
        return self._manifest.set_aside()

    def tombstones(self, project_id: str) -> list[Tombstone]:
        return self._manifest.tombstones(project_id)

    def put_tombstones(self, *tombstones: Tombstone) -> None:
        self._manifest.put_tombstones(*tombstones)

    def remove_tombstones(self, project_id: str, *doc_ids: str) -> None:
        self._manifest.remove_tombstones(project_id, *doc_ids)

    def intents(self, project_id: str) -> list[WriteIntent]:
        return self._manifest.intents(project_id)

    def put_intents(self, *intents: WriteIntent) -> None:
        self._manifest.put_intents(*intents)

    def remove_intents(self, *intents: WriteIntent) -> None:
        self._manifest.remove_intents(*intents)

    def selection(self, project_id: str) -> ZoteroSelection | None:
        return self._manifest.selection(project_id)

    def select(self, project_id: str, selection: ZoteroSelection) -> None:
        self._manifest.select(project_id, selection)

    def close(self) -> None:
        self._manifest.close()


def _row(
    entry: ManifestEntry, document_id: str, metadata: Mapping[str, object]
) -> dict[str, object]:
    fields = dict(_json_fields(metadata))
    texts = {
        **{name: fields.get(name, "") for name in ("title", "summary", "llm_hints", "language")},
        "document_id": document_id,
        "project_id": entry.project_id,
        "file_path": entry.path,
        "file_hash": entry.content_hash,
        "processing_status": entry.status.value,
        "error_message": entry.error or "",
    }
    indexed = entry.status is Status.INDEXED
    return {
        **{name: cut(str(text), _TEXTS[name]) for name, text in texts.items()},
        **{name: fields.get(name) or [] for name in _LISTS},
        "file_size": entry.size,
        "word_count": fields.get("word_count") or 0,
        "section_count": fields.get("section_count") or entry.chunks,
        "has_frontmatter": bool(fields.get("has_frontmatter")),
        "frontmatter": fields,
        "created_at": _seconds(entry.created_at),
        "updated_at": _seconds(entry.updated_at),
        "indexed_at": _seconds(entry.updated_at) if indexed else 0,
        _PLACEHOLDER: [0.0, 1.0],
    }


def _json_fields(metadata: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The values as JSON."""
    for name, value in metadata.items():
        yield name, list(value) if isinstance(value, tuple) else value


def _place(project_id: str, path: str) -> _Place:
    """Project and path as a row has them."""
    return cut(project_id, _TEXTS["project_id"]), cut(path, _TEXTS["file_path"])


def _path_id(project_id: str, path: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, f"{project_id}\n{path}"))


def _array(values: Iterable[str]) -> str:
    return f"[{', '.join(map(literal, values))}]"


def _seconds(moment: datetime | None) -> int:
    return int(moment.timestamp()) if moment else 0
