"""The manifest of one project during a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from citeloom.application.ingest.fingerprints import citation_fingerprint
from citeloom.application.ingest.plan import CurrentState, PlannedDocument
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.domain.citation import CitationMeta
from citeloom.domain.errors import CiteloomError
from citeloom.domain.manifest import ManifestEntry, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is recorded of a document once it is indexed."""

    state: CurrentState
    citation: CitationMeta | None
    chunks: int
    pages: int
    body_share: float
    ocr: str


class Catalogue:
    """Every entry of a project, and each change of it written through at once."""

    def __init__(self, project_id: str, manifest: ManifestStore, clock: Clock) -> None:
        self._project_id = project_id
        self._manifest = manifest
        self._clock = clock
        self.entries = {entry.path: entry for entry in manifest.entries(project_id)}

    def mark(
        self, document: PlannedDocument, status: Status, error: CiteloomError | None = None
    ) -> None:
        """Write how far a document is.

        Until it is indexed anew its entry keeps the id its chunks are stored under, and the
        collection's generation, so that they are found and replaced.
        """
        previous = document.previous
        entry = self._entry(document, status)
        if previous is not None and previous.doc_id:
            entry = replace(entry, doc_id=previous.doc_id, generation=previous.generation)
        if error is not None:
            entry = replace(entry, error_code=error.code, error=error.message)
        self._put(entry)

    def indexed(self, document: PlannedDocument, outcome: Outcome) -> None:
        """Write that a document is in the index, and under what conditions."""
        entry = replace(
            self._entry(document, Status.INDEXED),
            fingerprint=outcome.state.fingerprint,
            generation=outcome.state.generation,
            chunks=outcome.chunks,
            pages=outcome.pages,
            body_share=outcome.body_share,
            ocr=outcome.ocr,
        )
        self.cited(entry, outcome.citation, outcome.state.references)

    def cited(self, entry: ManifestEntry, citation: CitationMeta | None, references: str) -> None:
        """Write which reference a document has, and out of which library."""
        self._put(
            replace(
                entry,
                references=references,
                citekey=citation.citekey if citation else None,
                citation=citation_fingerprint(citation),
                citation_pages=citation.pages if citation else None,
            )
        )

    def is_indexed(self, path: str) -> bool:
        """Whether the file's content is in the index."""
        entry = self.entries.get(path)
        return entry is not None and entry.status is Status.INDEXED

    def duplicate(self, document: PlannedDocument, stands_for: str) -> None:
        """Write that a file has the content of another that is indexed."""
        file, first = document.file, self.entries[stands_for]
        self._put(replace(first, path=file.name, size=file.size, modified_ns=file.modified_ns))

    def remove(self, entries: Iterable[ManifestEntry]) -> None:
        """Forget entries."""
        for entry in entries:
            self._manifest.remove(self._project_id, entry.path)
            self.entries.pop(entry.path, None)

    def remove_moved(self, moved: Sequence[ManifestEntry]) -> None:
        """Forget entries of files that lie elsewhere now, once they are known there."""
        known = self.doc_ids(without=moved)
        self.remove(entry for entry in moved if entry.doc_id in known)

    def doc_ids(self, without: Iterable[ManifestEntry] = ()) -> frozenset[str]:
        """The documents whose chunks belong in the index, some entries left out of account."""
        left_out = {entry.path for entry in without}
        return frozenset(e.doc_id for e in self.entries.values() if e.path not in left_out)

    def _entry(self, document: PlannedDocument, status: Status) -> ManifestEntry:
        origin = document.origin
        return ManifestEntry(
            project_id=self._project_id,
            path=document.file.name,
            status=status,
            content_hash=document.content_hash,
            doc_id=document.doc_id,
            size=document.file.size,
            modified_ns=document.file.modified_ns,
            zotero_library=origin.library if origin else None,
            attachment_key=origin.attachment_key if origin else None,
            item_key=origin.item_key if origin else None,
        )

    def _put(self, entry: ManifestEntry) -> None:
        entry = replace(entry, updated_at=self._clock.now())
        self._manifest.put(entry)
        self.entries[entry.path] = entry
