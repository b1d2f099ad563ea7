"""The use case `repair`: rebuilds a project's manifest from its index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum

from citeloom.application.collection import is_of_others, stored_documents
from citeloom.application.delete import finish_deletions, unfinished_deletions
from citeloom.application.ingest.fingerprints import citation_fingerprint
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.records import AuditLog
from citeloom.application.ports.runtime import Waiting, WriteLease
from citeloom.application.ports.sources import FoundFile
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import IndexUnavailable, UnreadableDocument
from citeloom.domain.project import Collection


class Discrepancy(StrEnum):
    """How index, manifest and files differ: chunks are `lost` or `surplus`, a file is missing
    (`gone`), the index holds a `second` version of a file, or an `unknown` document, of which it
    does not say which machine ingested it.
    """

    LOST = "lost"
    SURPLUS = "surplus"
    GONE = "gone"
    SECOND = "second"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairFinding:
    """A discrepancy that a repair cannot fix, and the next step."""

    discrepancy: Discrepancy
    """`lost` or `surplus` chunks, a file that is `gone`, a `second` content of a path, an
    `unknown` document, which may be another machine's.
    """
    path: str
    """The document."""
    doc_id: str
    """The document."""
    message: str
    """What is wrong."""
    hint: str
    """The next step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairReport:
    """What a repair did.

    The index does not store the settings of an ingest, so the next ingest processes relisted
    documents again, from the conversion cache.
    """

    project: str
    """The project."""
    dry_run: bool
    """Whether nothing was changed."""
    documents: int
    """How many are in the index."""
    relisted: tuple[str, ...]
    """Paths that were listed in the manifest again."""
    finished: tuple[str, ...]
    """Paths whose deletion was finished."""
    findings: tuple[RepairFinding, ...]
    """What is left to be done."""
    set_aside: str = ""
    """The name that a damaged manifest was kept under; else empty."""
    of_other_machines: int = 0
    """How many documents are; they are not among `documents`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """Chunk counts by document id; the documents that are `unknown`, since their chunks do not say
    which machine ingested them; and how many documents are of other machines, which are not
    counted.
    """

    chunks: Mapping[str, int] = field(default_factory=dict)
    unknown: AbstractSet[str] = frozenset()
    of_other_machines: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """Relists documents that only the index has, finishes killed deletions, and restores the lost
    name of a collection; files stay, and so do documents that another program wrote or another
    machine ingested.
    """

    project: OpenProject
    audit: AuditLog
    lease: WriteLease

    def __call__(self, *, dry_run: bool = False, waiting: Waiting | None = None) -> RepairReport:
        """Repair the manifest, or with `dry_run` report what a repair would do.

        Raises `InvalidProject` if there is neither an index nor a manifest. While another process
        changes the project, raises `IndexLocked`, or calls `waiting` with its owner and waits.
        """
        if dry_run:
            return self._repair(dry_run=True)
        with self.lease.hold(self.project.id, waiting=waiting):
            report = self._repair(dry_run=False)
        record = {
            "relisted": list(report.relisted),
            "finished": list(report.finished),
            "set_aside": report.set_aside,
        }
        self.audit.append(self.project.id, {"event": "repair", **record})
        return report

    def _repair(self, *, dry_run: bool) -> RepairReport:
        project = self.project
        bound = project.find_collection()
        if bound is None and not dry_run and project.index.restore(project.collection):
            bound = project.find_collection()
        aside = ""
        if damage := project.manifest.damage():
            if dry_run:
                raise IndexUnavailable(
                    damage,
                    "Run `citeloom repair` without --dry-run: it keeps the file aside and lists "
                    "the documents anew from the index.",
                )
            self._stored(bound, ())  # nothing is moved unless the index can be read
            aside = project.manifest.set_aside()
        unfinished = unfinished_deletions(project)
        deleted = {tombstone.doc_id for tombstone in unfinished}
        every = project.entries()
        if bound is None and not every and not unfinished:
            project.existing_collection()
        entries = {entry.path: entry for entry in every if entry.doc_id not in deleted}
        stored = self._stored(bound, every)
        relisted, findings = self._relisted(bound, stored, entries, deleted)
        if not dry_run:
            finish_deletions(project)
            project.manifest.put(*relisted)
        for entry in (*entries.values(), *relisted):
            if self._file(entry.path) is None:
                findings.append(
                    _finding(
                        Discrepancy.GONE,
                        entry,
                        "its file is missing",
                        "Restore the file, or its folder; to remove the document: `citeloom ingest "
                        "--prune`, or `citeloom delete`.",
                    )
                )
        findings += self._miscounted(bound, stored, entries)
        return RepairReport(
            project=project.id,
            dry_run=dry_run,
            documents=len(stored.chunks.keys() - deleted),
            relisted=tuple(entry.path for entry in relisted),
            finished=tuple(tombstone.path or tombstone.doc_id for tombstone in unfinished),
            findings=tuple(findings),
            set_aside=aside,
            of_other_machines=stored.of_other_machines,
        )

    def _stored(self, bound: Collection | None, listed: Iterable[ManifestEntry]) -> _Stored:
        """The documents in the index that are neither foreign nor of other machines alone."""
        if bound is None:
            return _Stored()
        chunks = stored_documents(self.project.index, bound.name, self.project.id)
        of_others, unknown = 0, set()
        for doc_id in chunks.keys() - {entry.doc_id for entry in listed}:
            selection = replace(self.project.everything, doc_id=doc_id)
            first = next(iter(self.project.chunks(selection)), None)
            is_others = is_of_others(first, self.project.machine)
            of_others += is_others
            if is_others or (first is not None and first.is_foreign):
                del chunks[doc_id]
            elif self.project.machine is not None and not (first and first.machines):
                unknown.add(doc_id)
        return _Stored(chunks=chunks, unknown=unknown, of_other_machines=of_others)

    def _relisted(
        self,
        bound: Collection | None,
        stored: _Stored,
        entries: Mapping[str, ManifestEntry],
        deleted: set[str],
    ) -> tuple[list[ManifestEntry], list[RepairFinding]]:
        """New entries for documents that have none, and findings where the path is already listed,
        or where the document may be another machine's and no file here has its content.

        Chunks of a killed run are skipped: the next ingest removes them by their write intent.
        """
        if bound is None:
            return [], []
        intended = {intent.doc_id for intent in self.project.manifest.intents(self.project.id)}
        known = {entry.doc_id for entry in entries.values()} | deleted | intended
        candidates = [self._entry(doc_id, bound) for doc_id in sorted(stored.chunks.keys() - known)]
        taken, findings = set(entries), []
        relisted: list[ManifestEntry] = []
        for entry in sorted(
            candidates, key=lambda listed: (not listed.content_hash, -listed.chunks)
        ):
            if entry.doc_id in stored.unknown and not entry.content_hash:
                finding = _finding(
                    Discrepancy.UNKNOWN,
                    entry,
                    "no file here has its content, and the index does not say which machine "
                    "ingested it",
                    "Run `citeloom ingest --force` on the machine that has its file, or restore "
                    f"the file here; to delete the document: citeloom delete --doc {entry.doc_id}",
                )
                findings.append(finding)
            elif entry.path in taken:
                finding = _finding(
                    Discrepancy.SECOND,
                    entry,
                    "the index holds another version of this file, which the manifest does not "
                    "list",
                    f"To delete it: citeloom delete --doc {entry.doc_id}",
                )
                findings.append(finding)
            else:
                taken.add(entry.path)
                relisted.append(entry)
        return sorted(relisted, key=lambda listed: listed.path), findings

    def _entry(self, doc_id: str, bound: Collection) -> ManifestEntry:
        """An entry from the document's chunks, and from its file if that is unchanged."""
        selection = replace(self.project.everything, doc_id=doc_id)
        chunks = list(self.project.chunks(selection))
        first = chunks[0]
        citation, file = first.citation, self._file(first.source_path)
        content_hash = ""
        if file is not None:
            with suppress(UnreadableDocument):
                content_hash = self.project.files.content_hash(file.path)
        unchanged = content_hash.startswith(doc_id)
        return ManifestEntry(
            project_id=self.project.id,
            path=first.source_path,
            status=Status.INDEXED,
            content_hash=content_hash if unchanged else "",
            doc_id=doc_id,
            size=file.size if file and unchanged else 0,
            modified_ns=file.modified_ns if file and unchanged else 0,
            generation=bound.generation,
            citekey=citation.citekey if citation else None,
            citation=citation_fingerprint(citation),
            citation_pages=citation.pages if citation else None,
            chunks=len(chunks),
            pages=max((s.chunk.page_span[1] for s in chunks if s.chunk.page_span), default=0),
            created_at=self.project.clock.now(),
            updated_at=self.project.clock.now(),
            zotero_library=first.zotero_library,
            attachment_key=first.attachment_key,
            item_key=citation.item_key if citation and first.attachment_key else None,
        )

    def _file(self, path: str) -> FoundFile | None:
        files = self.project.files.find([path], frozenset()).files if path else ()
        return next((file for file in files if file.name == path), None)

    def _miscounted(
        self,
        bound: Collection | None,
        stored: _Stored,
        entries: Mapping[str, ManifestEntry],
    ) -> Iterator[RepairFinding]:
        """Documents whose chunks are more or fewer than listed, save in an unfinished rebuild."""
        successor = self.project.index.staged(self.project.collection) if bound else None
        for entry in entries.values():
            elsewhere = successor is not None and entry.generation == successor.generation
            stored_chunks = stored.chunks.get(entry.doc_id, 0)
            if entry.status is not Status.INDEXED or elsewhere or stored_chunks == entry.chunks:
                continue
            counted = (
                f"the index holds {stored_chunks} chunks of it, the manifest lists {entry.chunks}"
            )
            if stored_chunks < entry.chunks:
                hint = "The next `citeloom ingest` processes it again."
                yield _finding(Discrepancy.LOST, entry, counted, hint)
            else:
                hint = "Store it again: `citeloom ingest --force` with its path."
                yield _finding(Discrepancy.SURPLUS, entry, counted, hint)


def _finding(
    discrepancy: Discrepancy, entry: ManifestEntry, message: str, hint: str
) -> RepairFinding:
    return RepairFinding(
        discrepancy=discrepancy, path=entry.path, doc_id=entry.doc_id, message=message, hint=hint
    )
