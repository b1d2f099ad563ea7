"""The use case `delete`: documents, works or everything of a project."""

from __future__ import annotations

from collections.abc import Collection as Some
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Literal

from citeloom.application.collection import existing_collection, owned_collection
from citeloom.application.ports.records import AuditLog, ManifestStore
from citeloom.application.ports.runtime import Clock, Waiting, WriteLease
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.documents.manifest import ManifestEntry, Tombstone
from citeloom.domain.errors import NotFound, nearest
from citeloom.domain.project import Project
from citeloom.domain.retrieval.filters import check_text
from citeloom.domain.retrieval.passage import Selection

# Deletion of documents, which the next write command finishes if it is killed.


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
            self.manifest.put_tombstones(
                *(replace(tombstone, finished=True) for tombstone in tombstones)
            )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteReport:
    """What was deleted: paths as in the manifest, and the number of chunks."""

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
    next delete, ingest or repair. Each method needs the write lease: while another process holds
    it, `IndexLocked` is raised, or `waiting` is called with its owner and the method waits.
    """

    project: Project
    index: VectorIndex
    manifest: ManifestStore
    audit: AuditLog
    lease: WriteLease
    clock: Clock

    def document(self, doc_id: str, *, waiting: Waiting | None = None) -> DeleteReport:
        """Delete the document of that id. Raises `NotFound` when there is none."""
        return self._delete("doc_id", doc_id, waiting)

    def work(self, citekey: str, *, waiting: Waiting | None = None) -> DeleteReport:
        """Delete every document of the work with that citekey, its annotations and notes included.

        The citekey may have its @. Raises `NotFound` when there is none.
        """
        return self._delete("citekey", citekey, waiting)

    def check(self, *, doc_id: str | None = None, citekey: str | None = None) -> None:
        """Raise `NotFound` where there is no such document, or no such work; change nothing."""
        if doc_id is not None:
            self._tombstones_of("doc_id", _checked("doc_id", doc_id))
        if citekey is not None:
            self._tombstones_of("citekey", _checked("citekey", citekey))

    def everything(self, *, waiting: Waiting | None = None) -> DeleteReport:
        """Delete the project's collection and everything in it."""
        with self.lease.hold(self.project.id, waiting=waiting):
            entries, deletion = self._entries(), self._deletion()
            unfinished = deletion.unfinished()
            stored: dict[str, int] = {}
            if owned_collection(self.index, self.project) is not None:
                stored = self._count_by("doc_id", Selection(project_id=self.project.id))
            elif not entries and not unfinished:
                existing_collection(self.index, self.project)
            deletion.drop(self._tombstones(stored.keys(), entries, unfinished))
            return self._report(entries, sum(stored.values()))

    def _delete(self, key: Key, name: str, waiting: Waiting | None) -> DeleteReport:
        name = _checked(key, name)
        with self.lease.hold(self.project.id, waiting=waiting):
            entries, tombstones = self._tombstones_of(key, name)
            return self._report(entries, self._deletion().delete(tombstones))

    def _tombstones_of(self, key: Key, name: str) -> tuple[list[ManifestEntry], list[Tombstone]]:
        """The entries and the tombstones of what has that key. Raises `NotFound` if there are
        none.
        """
        existing_collection(self.index, self.project)
        selection = Selection(
            project_id=self.project.id,
            doc_id=name if key == "doc_id" else None,
            citekey=name if key == "citekey" else None,
        )
        stored = self._count_by("doc_id", selection)
        unfinished = [t for t in self._deletion().unfinished() if getattr(t, key) == name]
        known = self._entries()
        doc_ids = stored.keys() | {entry.doc_id for entry in known if getattr(entry, key) == name}
        entries = [entry for entry in known if entry.doc_id in doc_ids]
        tombstones = self._tombstones(doc_ids, entries, unfinished)
        if not tombstones:
            raise self._not_found(key, name)
        return entries, tombstones

    def _tombstones(
        self, doc_ids: AbstractSet[str], entries: list[ManifestEntry], unfinished: list[Tombstone]
    ) -> list[Tombstone]:
        """The tombstones of the documents, including those of a killed deletion."""
        known = {tombstone.doc_id for tombstone in unfinished}
        new = doc_ids | {entry.doc_id for entry in entries if entry.doc_id}
        return [*unfinished, *tombstones_for(new - known, entries, self.project, self.clock)]

    def _not_found(self, key: Key, name: str) -> NotFound:
        what = "document" if key == "doc_id" else "work"
        stored = self._count_by(key, Selection(project_id=self.project.id))
        known = {*stored, *(str(getattr(entry, key) or "") for entry in self._entries())}
        near = nearest(name, known)
        return NotFound(
            f"project '{self.project.id}' has no {what} '{name}'; nothing was deleted",
            f"Did you mean {' or '.join(near)}?" if near else "List the documents: citeloom list",
        )

    def _deletion(self) -> Deletion:
        return Deletion(project=self.project, index=self.index, manifest=self.manifest)

    def _entries(self) -> list[ManifestEntry]:
        return self.manifest.entries(self.project.id)

    def _count_by(self, key: str, selection: Selection) -> dict[str, int]:
        return self.index.facets(self.project.collection, key, selection)

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
