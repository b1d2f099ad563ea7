"""How documents are deleted so that a killed delete is finished by whoever comes next."""

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
    """Tombstones first, then the index, then the catalogue. The caller holds the write lease."""

    project: Project
    index: VectorIndex
    manifest: ManifestStore

    def bury(self, graves: Sequence[Tombstone]) -> int:
        """Delete documents for good; how many chunks went."""
        self.manifest.put_tombstones(*graves)
        return self._carry_out(graves)

    def finish(self) -> list[Tombstone]:
        """Do what killed deletes have left to do; their tombstones."""
        begun = self.unfinished()
        if begun:
            self._carry_out(begun)
        return begun

    def drop(self, graves: Sequence[Tombstone]) -> None:
        """Delete documents together with the whole collection, where there is one."""
        self.manifest.put_tombstones(*graves)
        if owned_collection(self.index, self.project) is not None:
            self.index.drop(self.project.collection)
        entries = self.manifest.entries(self.project.id)
        if entries:
            self.manifest.remove(self.project.id, *(entry.path for entry in entries))
        self._conclude(graves)

    def unfinished(self) -> list[Tombstone]:
        """The tombstones of deletes that were begun and not finished."""
        graves = self.manifest.tombstones(self.project.id)
        return [grave for grave in graves if not grave.finished]

    def _carry_out(self, graves: Sequence[Tombstone]) -> int:
        name, chunks = self.project.collection, 0
        if owned_collection(self.index, self.project) is not None:
            for grave in graves:
                selection = Selection(project_id=self.project.id, doc_id=grave.doc_id)
                chunks += self.index.delete(name, selection)
            self.index.flush(name)
        self._conclude(graves)
        return chunks

    def _conclude(self, graves: Sequence[Tombstone]) -> None:
        buried = {grave.doc_id for grave in graves}
        entries = self.manifest.entries(self.project.id)
        paths = [entry.path for entry in entries if entry.doc_id in buried]
        if paths:
            self.manifest.remove(self.project.id, *paths)
        if graves:
            self.manifest.put_tombstones(*(replace(grave, finished=True) for grave in graves))


def graves_for(
    doc_ids: Some[str], entries: Iterable[ManifestEntry], project: Project, clock: Clock
) -> list[Tombstone]:
    """A tombstone for each document, with the name and the citekey that the catalogue has."""
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
