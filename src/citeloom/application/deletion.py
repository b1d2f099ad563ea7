"""Deletion of documents, which the next write command finishes if it is killed."""

from __future__ import annotations

from collections.abc import Collection as Some
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from citeloom.application.binding import owned_collection
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection
from citeloom.domain.project import Project
from citeloom.domain.tombstone import Tombstone


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """Writes tombstones, then deletes from index and manifest. The caller holds the write lease."""

    project: Project
    index: VectorIndex
    manifest: ManifestStore

    def delete(self, tombstones: Sequence[Tombstone]) -> int:
        """Delete documents; returns the number of deleted chunks."""
        self.manifest.put_tombstones(*tombstones)
        return self._execute(tombstones)

    def finish(self) -> list[Tombstone]:
        """Finish killed deletions; returns their tombstones."""
        unfinished = self.unfinished()
        if unfinished:
            self._execute(unfinished)
        return unfinished

    def drop(self, tombstones: Sequence[Tombstone]) -> None:
        """Delete documents and the whole collection, if there is one."""
        self.manifest.put_tombstones(*tombstones)
        if owned_collection(self.index, self.project) is not None:
            self.index.drop(self.project.collection)
        entries = self.manifest.entries(self.project.id)
        if entries:
            self.manifest.remove(self.project.id, *(entry.path for entry in entries))
        self._mark_finished(tombstones)

    def unfinished(self) -> list[Tombstone]:
        """The tombstones of unfinished deletions."""
        tombstones = self.manifest.tombstones(self.project.id)
        return [tombstone for tombstone in tombstones if not tombstone.finished]

    def _execute(self, tombstones: Sequence[Tombstone]) -> int:
        name, chunks = self.project.collection, 0
        if owned_collection(self.index, self.project) is not None:
            for tombstone in tombstones:
                selection = Selection(project_id=self.project.id, doc_id=tombstone.doc_id)
                chunks += self.index.delete(name, selection)
            self.index.flush(name)
        self._mark_finished(tombstones)
        return chunks

    def _mark_finished(self, tombstones: Sequence[Tombstone]) -> None:
        deleted = {tombstone.doc_id for tombstone in tombstones}
        entries = self.manifest.entries(self.project.id)
        paths = [entry.path for entry in entries if entry.doc_id in deleted]
        if paths:
            self.manifest.remove(self.project.id, *paths)
        if tombstones:
            self.manifest.put_tombstones(*(replace(one, finished=True) for one in tombstones))


def tombstones_for(
    doc_ids: Some[str], entries: Iterable[ManifestEntry], project: Project, clock: Clock
) -> list[Tombstone]:
    """A tombstone for each document, with its path and citekey from the manifest."""
    known = {entry.doc_id: entry for entry in entries}
    now = clock.now()
    return [
        Tombstone(
            project_id=project.id,
            doc_id=doc_id,
            path=known[doc_id].path if doc_id in known else "",
            citekey=known[doc_id].citekey if doc_id in known else None,
            created_at=now,
        )
        for doc_id in sorted(doc_ids)
    ]
