"""The use case `delete`: documents, works or everything of a project."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.application.binding import existing_collection
from citeloom.application.ports.audit_log import AuditLog
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection
from citeloom.domain.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteReport:
    """What went: the files' names in the manifest and the number of chunks."""

    documents: tuple[str, ...]
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """Takes documents out of a project's index and catalogue; source files stay."""

    project: Project
    index: VectorIndex
    manifest: ManifestStore
    audit: AuditLog

    def document(self, doc_id: str) -> DeleteReport:
        """Delete the document of that id."""
        selection = Selection(project_id=self.project.id, doc_id=doc_id)
        return self._selected(selection, [e for e in self._entries() if e.doc_id == doc_id])

    def work(self, citekey: str) -> DeleteReport:
        """Delete every document of the work with that citekey."""
        selection = Selection(project_id=self.project.id, citekey=citekey)
        return self._selected(selection, [e for e in self._entries() if e.citekey == citekey])

    def everything(self) -> DeleteReport:
        """Delete the project's collection with all that is in it."""
        existing_collection(self.index, self.project)
        everything = Selection(project_id=self.project.id)
        chunks = self.index.count(self.project.collection, everything)
        entries = self._entries()
        self._forget(entries)
        self.index.drop(self.project.collection)
        return self._report(entries, chunks)

    def _entries(self) -> list[ManifestEntry]:
        return self.manifest.entries(self.project.id)

    def _selected(self, selection: Selection, entries: list[ManifestEntry]) -> DeleteReport:
        """Forget first: a run cut short leaves orphaned chunks, and no entry without chunks."""
        existing_collection(self.index, self.project)
        self._forget(entries)
        chunks = self.index.delete(self.project.collection, selection)
        self.index.flush(self.project.collection)
        return self._report(entries, chunks)

    def _forget(self, entries: list[ManifestEntry]) -> None:
        for entry in entries:
            self.manifest.remove(self.project.id, entry.path)

    def _report(self, entries: list[ManifestEntry], chunks: int) -> DeleteReport:
        report = DeleteReport(documents=tuple(entry.path for entry in entries), chunks=chunks)
        self.audit.append(
            self.project.id,
            {"event": "delete", "documents": list(report.documents), "chunks": chunks},
        )
        return report
