"""The manifest verified against the index, which alone says which documents are stored."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from citeloom.application.ingest.context import Target
from citeloom.application.ingest.plan import Plan, PlannedDocument
from citeloom.application.ports.vector_index import VectorIndex, VectorReader
from citeloom.domain.chunks.chunk import MARKS
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.retrieval.passage import Selection, StoredChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedState:
    """The documents stored in a collection, as chunk counts by document id, and the documents
    that a tombstone excludes.
    """

    stored: Mapping[str, int] = field(default_factory=dict)
    generation: str = ""
    deleted: AbstractSet[str] = frozenset()

    def entries(self, catalogue: Mapping[str, ManifestEntry]) -> dict[str, ManifestEntry]:
        """The entries without deleted documents; those with missing chunks are pending."""
        return {
            path: replace(entry, status=Status.PENDING) if self.lost(entry) else entry
            for path, entry in catalogue.items()
            if entry.doc_id not in self.deleted
        }

    def lost(self, entry: ManifestEntry) -> bool:
        """Whether the index holds fewer chunks of a document than were indexed."""
        return (
            entry.status is Status.INDEXED
            and entry.generation == self.generation
            and self.stored.get(entry.doc_id, 0) < entry.chunks
        )

    def missing(self, plan: Plan, catalogue: Mapping[str, ManifestEntry]) -> list[str]:
        """The names of the planned documents whose chunks are missing from the index."""
        lost = {path for path, entry in catalogue.items() if self.lost(entry)}
        return [d.file.name for d in plan.process if d.file.name in lost]

    def exclude_deleted(self, plan: Plan) -> list[str]:
        """Remove deleted documents from a plan; returns their names."""
        duplicates = [document for document, _ in plan.duplicates]
        deleted = [d.file.name for d in (*plan.process, *duplicates) if self._is_deleted(d)]
        plan.process = [d for d in plan.process if not self._is_deleted(d)]
        plan.duplicates = [pair for pair in plan.duplicates if not self._is_deleted(pair[0])]
        return deleted

    def _is_deleted(self, document: PlannedDocument) -> bool:
        return document.doc_id in self.deleted


def stored_documents(index: VectorIndex, name: str, project_id: str) -> dict[str, int]:
    """Chunk counts by document id, without annotations and notes."""
    return index.facets(name, "doc_id", Selection(project_id=project_id, without_kinds=MARKS))


def first_chunk(index: VectorReader, name: str, project_id: str, doc_id: str) -> StoredChunk | None:
    """The first chunk of a document, or any; None if it is not stored."""
    for chunks in ((0, 0), None):
        selection = Selection(project_id=project_id, doc_id=doc_id, chunks=chunks)
        for stored in index.scroll(name, selection):
            return stored
    return None


def is_of_others(stored: StoredChunk | None, machine: str | None) -> bool:
    """Whether a chunk was ingested on other machines alone; `machine` is this one, None where the
    store is its own.
    """
    return (
        machine is not None
        and stored is not None
        and bool(stored.machines)
        and machine not in stored.machines
    )


def documents_of_others(
    index: VectorReader, name: str, project_id: str, machine: str | None, listed: AbstractSet[str]
) -> dict[str, tuple[str, ...]]:
    """The machines of each document that other machines ingested and that is not `listed` here."""
    if machine is None:
        return {}
    body = Selection(project_id=project_id, without_kinds=MARKS)
    if not index.facets(name, "doc_id", body).keys() - listed:
        return {}
    return {
        stored.chunk.doc_id: stored.machines
        for stored in index.scroll(name, replace(body, chunks=(0, 0)))
        if stored.chunk.doc_id not in listed and is_of_others(stored, machine)
    }


def indexed_state(
    index: VectorIndex, target: Target | None, project_id: str, deleted: AbstractSet[str]
) -> IndexedState:
    """The state of the target collection, which is opened, so that an unusable one raises before
    anything is written.
    """
    if target is None:
        return IndexedState(deleted=deleted)
    return IndexedState(
        stored=stored_documents(index, target.name, project_id),
        generation=target.generation,
        deleted=deleted,
    )
