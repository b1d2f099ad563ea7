"""The use case `delete`: documents, works or everything of a project."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Literal

from citeloom.application.open_project import OpenProject
from citeloom.application.ports.records import AuditLog
from citeloom.application.ports.runtime import Waiting, WriteLease
from citeloom.domain.documents.manifest import ManifestEntry, Tombstone
from citeloom.domain.errors import NotFound, nearest_hint
from citeloom.domain.retrieval.filters import check_text
from citeloom.domain.retrieval.passage import Selection

# Deletion of documents, which the next write command finishes if it is killed.


def delete_documents(project: OpenProject, tombstones: Sequence[Tombstone]) -> int:
    """Write tombstones, then delete from index and manifest; returns the number of deleted chunks.
    The caller holds the write lease.
    """
    project.manifest.put_tombstones(*tombstones)
    return _delete(project, tombstones)


def unfinished_deletions(project: OpenProject) -> list[Tombstone]:
    tombstones = project.manifest.tombstones(project.id)
    return [tombstone for tombstone in tombstones if not tombstone.finished]


def finish_deletions(project: OpenProject) -> list[Tombstone]:
    """Finish killed deletions; returns their tombstones."""
    if unfinished := unfinished_deletions(project):
        _delete(project, unfinished)
    return unfinished


def _delete(project: OpenProject, tombstones: Sequence[Tombstone]) -> int:
    chunks = 0
    if project.find_collection() is not None:
        for tombstone in tombstones:
            selection = replace(project.everything, doc_id=tombstone.doc_id)
            chunks += project.index.delete(project.collection, selection)
        project.index.flush(project.collection)
    _finish(project, tombstones)
    return chunks


def _finish(project: OpenProject, tombstones: Sequence[Tombstone]) -> None:
    deleted = {tombstone.doc_id for tombstone in tombstones}
    if paths := [entry.path for entry in project.entries() if entry.doc_id in deleted]:
        project.manifest.remove(project.id, *paths)
    if tombstones:
        finished = (replace(tombstone, finished=True) for tombstone in tombstones)
        project.manifest.put_tombstones(*finished)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteReport:
    """What was deleted."""

    documents: tuple[str, ...]
    """The paths that went."""
    chunks: int
    """How many went."""


_NAME_ONE = "Name one, or see where the value comes from: a variable that is not set?"

Key = Literal["doc_id", "citekey"]
"""What a document, or a work, is named by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """Deletes documents from a project's index and manifest; source files stay.

    A deleted document stays deleted: later ingests skip it. A killed deletion is finished by the
    next delete, ingest or repair. What deletes needs the write lease: while another process holds
    it, `IndexLocked` is raised, or `waiting` is called with its owner and the method waits.
    """

    project: OpenProject
    audit: AuditLog
    lease: WriteLease

    def documents(self, key: Key, name: str, *, waiting: Waiting | None = None) -> DeleteReport:
        """Delete the document of an id, or every document of the work with a citekey, its
        annotations and notes included. Raises `NotFound` when there is none.
        """
        name = _checked(key, name)
        with self.lease.hold(self.project.id, waiting=waiting):
            entries, tombstones = self._tombstones_of(key, name)
            return self._report(entries, delete_documents(self.project, tombstones))

    def check(self, key: Key, name: str) -> None:
        """Raise `NotFound` where there is no such document, or no such work; change nothing."""
        self._tombstones_of(key, _checked(key, name))

    def everything(self, *, waiting: Waiting | None = None) -> DeleteReport:
        """Delete the project's collection and everything in it."""
        project = self.project
        with self.lease.hold(project.id, waiting=waiting):
            entries, unfinished = project.entries(), unfinished_deletions(project)
            stored: dict[str, int] = {}
            if project.find_collection() is not None:
                stored = project.facets("doc_id")
            elif not entries and not unfinished:
                project.existing_collection()
            tombstones = self._tombstones(stored.keys(), entries, unfinished)
            project.manifest.put_tombstones(*tombstones)
            if project.find_collection() is not None:
                project.index.drop(project.collection)
            if entries:
                project.manifest.remove(project.id, *(entry.path for entry in entries))
            _finish(project, tombstones)
            return self._report(entries, sum(stored.values()))

    def _tombstones_of(self, key: Key, name: str) -> tuple[list[ManifestEntry], list[Tombstone]]:
        """The entries and tombstones of what has that key. Raises `NotFound` if there are none."""
        project = self.project
        project.existing_collection()
        selection = Selection(
            project_id=project.id,
            doc_id=name if key == "doc_id" else None,
            citekey=name if key == "citekey" else None,
        )
        stored = project.facets("doc_id", selection)
        pending = unfinished_deletions(project)
        unfinished = [tombstone for tombstone in pending if getattr(tombstone, key) == name]
        listed = project.entries()
        doc_ids = stored.keys() | {entry.doc_id for entry in listed if getattr(entry, key) == name}
        entries = [entry for entry in listed if entry.doc_id in doc_ids]
        tombstones = self._tombstones(doc_ids, entries, unfinished)
        if tombstones:
            return entries, tombstones
        what = "document" if key == "doc_id" else "work"
        names = {*project.facets(key), *(str(getattr(entry, key) or "") for entry in listed)}
        raise NotFound(
            f"project '{project.id}' has no {what} '{name}'; nothing was deleted",
            nearest_hint(name, names, "List the documents: citeloom list"),
        )

    def _tombstones(
        self, doc_ids: AbstractSet[str], entries: list[ManifestEntry], unfinished: list[Tombstone]
    ) -> list[Tombstone]:
        """A tombstone for each document, and those of killed deletions."""
        known = {entry.doc_id: entry for entry in entries}
        doc_ids = doc_ids | {doc_id for doc_id in known if doc_id}
        now, tombstones = self.project.clock.now(), [*unfinished]
        for doc_id in sorted(doc_ids - {tombstone.doc_id for tombstone in unfinished}):
            entry = known.get(doc_id)
            tombstones.append(
                Tombstone(
                    project_id=self.project.id,
                    doc_id=doc_id,
                    path=entry.path if entry else "",
                    citekey=entry.citekey if entry else None,
                    created_at=now,
                )
            )
        return tombstones

    def _report(self, entries: list[ManifestEntry], chunks: int) -> DeleteReport:
        report = DeleteReport(documents=tuple(entry.path for entry in entries), chunks=chunks)
        self.audit.append(
            self.project.id,
            {"event": "delete", "documents": list(report.documents), "chunks": chunks},
        )
        return report


def _checked(key: Key, name: str) -> str:
    """The id or the citekey as it is stored. Raises `InvalidFilter` if it is no text."""
    name = name.removeprefix("@") if key == "citekey" else name
    check_text("document id" if key == "doc_id" else key, name, _NAME_ONE)
    return name
