"""The use case `delete`: documents, works or everything of a project."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from difflib import get_close_matches

from citeloom.application.binding import existing_collection, owned_collection
from citeloom.application.deletion import Deletion, graves_for
from citeloom.application.ports.audit_log import AuditLog
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.ports.write_lease import Waiting, WriteLease
from citeloom.domain.errors import NotFound
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection
from citeloom.domain.project import Project
from citeloom.domain.tombstone import Tombstone

_NEAREST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteReport:
    """What went: the files' names in the manifest and the number of chunks."""

    documents: tuple[str, ...]
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """Takes documents out of a project's index and catalogue; source files stay.

    What is deleted stays deleted: an ingest that finds it again leaves it out. A deletion that is
    killed is finished by the next one, by an ingest or by a repair. All of it is done under the
    write lease: `IndexLocked` is raised at once while another process has it, or `waiting` is told
    who that is and it is waited for.
    """

    project: Project
    index: VectorIndex
    manifest: ManifestStore
    audit: AuditLog
    lease: WriteLease
    clock: Clock

    def document(self, doc_id: str, *, waiting: Waiting | None = None) -> DeleteReport:
        """Delete the document of that id. Raises `NotFound` when there is none."""
        return self._selected(
            "document",
            doc_id,
            Selection(project_id=self.project.id, doc_id=doc_id),
            lambda known: known.doc_id == doc_id,
            waiting,
        )

    def work(self, citekey: str, *, waiting: Waiting | None = None) -> DeleteReport:
        """Delete every document of the work with that citekey, and what a reader said of it.

        Raises `NotFound` when there is none.
        """
        return self._selected(
            "work",
            citekey,
            Selection(project_id=self.project.id, citekey=citekey),
            lambda known: known.citekey == citekey,
            waiting,
        )

    def everything(self, *, waiting: Waiting | None = None) -> DeleteReport:
        """Delete the project's collection with all that is in it."""
        with self.lease.hold(self.project.id, waiting=waiting):
            entries, deletion = self._entries(), self._deletion()
            begun = deletion.unfinished()
            stored: dict[str, int] = {}
            if owned_collection(self.index, self.project) is not None:
                stored = self._count_by("doc_id", Selection(project_id=self.project.id))
            elif not entries and not begun:
                existing_collection(self.index, self.project)
            deletion.drop(self._graves(stored.keys(), entries, begun))
            return self._report(entries, sum(stored.values()))

    def _selected(
        self,
        what: str,
        name: str,
        selection: Selection,
        is_meant: Callable[[ManifestEntry | Tombstone], bool],
        waiting: Waiting | None,
    ) -> DeleteReport:
        with self.lease.hold(self.project.id, waiting=waiting):
            existing_collection(self.index, self.project)
            begun = [grave for grave in self._deletion().unfinished() if is_meant(grave)]
            stored = self._count_by("doc_id", selection)
            meant = stored.keys() | {e.doc_id for e in self._entries() if is_meant(e)}
            entries = [entry for entry in self._entries() if entry.doc_id in meant]
            graves = self._graves(meant, entries, begun)
            if not graves:
                raise self._not_found(what, name)
            return self._report(entries, self._deletion().bury(graves))

    def _graves(
        self, doc_ids: AbstractSet[str], entries: list[ManifestEntry], begun: list[Tombstone]
    ) -> list[Tombstone]:
        """The tombstones of the documents, those that a killed delete has written among them."""
        known = {grave.doc_id for grave in begun}
        new = doc_ids | {entry.doc_id for entry in entries if entry.doc_id}
        return [*begun, *graves_for(new - known, entries, self.project, self.clock)]

    def _not_found(self, what: str, name: str) -> NotFound:
        key = "doc_id" if what == "document" else "citekey"
        stored = self._count_by(key, Selection(project_id=self.project.id))
        known = {*stored, *(str(getattr(entry, key) or "") for entry in self._entries())}
        near = get_close_matches(name, sorted(known - {""}), n=_NEAREST)
        return NotFound(
            f"project '{self.project.id}' has no {what} '{name}'; nothing was deleted",
            f"Did you mean {_either(near)}?" if near else "See what there is: citeloom list",
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


def _either(names: Iterable[str]) -> str:
    return " or ".join(names)
