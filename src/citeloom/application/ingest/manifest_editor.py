"""The manifest of one project during a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from citeloom.application.ingest.fingerprints import citation_fingerprint
from citeloom.application.ingest.plan import CurrentState, PlannedDocument
from citeloom.application.ingest.prepare import PreparedDocument
from citeloom.application.open_project import OpenProject
from citeloom.domain.documents.manifest import TEXT_LAYER, ManifestEntry, Status, WriteIntent
from citeloom.domain.documents.metadata import MetadataValue
from citeloom.domain.errors import CiteloomError
from citeloom.domain.references.citation import CitationMeta

_UNDER_WAY = (Status.PENDING, Status.PROCESSING)


class ManifestEditor:
    """Every entry of a project, and each change of it written through at once."""

    def __init__(self, project: OpenProject) -> None:
        self._project = project
        self._manifest = project.manifest
        self.entries = {entry.path: entry for entry in project.entries()}

    def mark(self, status: Status, *documents: PlannedDocument) -> None:
        """Write how far documents are.

        Until it is indexed anew its entry keeps the id its chunks are stored under, and the
        collection's generation, so that they are found and replaced.
        """
        self._put(*(self._marked(document, status) for document in documents))

    def put_back(self, documents: Iterable[PlannedDocument], *, stored: AbstractSet[str]) -> None:
        """Write that no document is being worked on: one that was indexed before, and of which
        nothing was `stored` since, is indexed as before, any other one pending.
        """
        unfinished = [
            (document, entry)
            for document in documents
            if (entry := self.entries[document.file.name]).status in _UNDER_WAY
        ]
        self._put(
            *(
                document.previous
                if document.previous is not None
                and document.previous.status is Status.INDEXED
                and document.file.name not in stored
                else replace(entry, status=Status.PENDING)
                for document, entry in unfinished
            )
        )

    def failed(
        self,
        document: PlannedDocument,
        error: CiteloomError,
        conditions: str,
        metadata: Mapping[str, MetadataValue],
    ) -> None:
        """Write why a document failed, under what, and the metadata that could be read of it;
        without `conditions` it is tried again.
        """
        entry = self._marked(document, Status.FAILED)
        entry = replace(entry, fingerprint=conditions, metadata=metadata)
        self._put(replace(entry, error_code=error.code, error=error.message))

    def failed_alike(self, pairs: Iterable[tuple[PlannedDocument, ManifestEntry]]) -> None:
        """Write that documents failed, each as the entry of the same content says."""
        copies = [
            replace(
                self._marked(document, Status.FAILED),
                fingerprint=entry.fingerprint,
                error_code=entry.error_code,
                error=entry.error,
                metadata=entry.metadata,
            )
            for document, entry in pairs
            if not _is_entry_of(document, entry)
        ]
        self._put(*(copy for copy in copies if not self._is_written(copy)))

    def indexed(
        self, document: PlannedDocument, prepared: PreparedDocument, state: CurrentState
    ) -> None:
        """Write that a document is in the index, and under what conditions."""
        entry = replace(
            self._entry(document, Status.INDEXED),
            fingerprint=state.fingerprint_of(document.file.name),
            generation=state.generation,
            chunks=len(prepared.chunks),
            pages=prepared.pages,
            body_share=prepared.counts.body_share,
            lost_words=prepared.lost_words,
            left_out=prepared.left_out,
            ocr=_reader(document, prepared, state),
        )
        self._put(_citing(entry, prepared.citation, state.references))

    def cited(self, citations: Mapping[str, CitationMeta | None], references: str) -> None:
        """Write by path which reference documents have, and out of which library."""
        self._put(
            *(
                _citing(self.entries[path], citation, references)
                for path, citation in citations.items()
            )
        )

    def intend(self, documents: Iterable[PlannedDocument], generation: str) -> None:
        intents = [
            WriteIntent(
                project_id=self._project.id,
                path=document.file.name,
                doc_id=document.doc_id,
                generation=generation,
            )
            for document in documents
        ]
        if intents:
            self._manifest.put_intents(*intents)

    def intents(self) -> list[WriteIntent]:
        return self._manifest.intents(self._project.id)

    def remove_intents(self, *intents: WriteIntent) -> None:
        if intents:
            self._manifest.remove_intents(*intents)

    def is_indexed(self, path: str) -> bool:
        entry = self.entries.get(path)
        return entry is not None and entry.status is Status.INDEXED

    def has_failed(self, path: str, content_hash: str) -> bool:
        """Whether the file failed with that content, and would again."""
        entry = self.entries.get(path)
        return (
            entry is not None
            and entry.status is Status.FAILED
            and entry.content_hash == content_hash
            and bool(entry.fingerprint)
        )

    def update_locations(self, moves: Iterable[tuple[PlannedDocument, ManifestEntry]]) -> None:
        """Write that documents stand for those whose entries said where the chunks are."""
        placed = [(_placed(stored, document), stored) for document, stored in moves]
        copies = [
            _in_place_of(entry, stored) for entry, stored in placed if stored.path != entry.path
        ]
        self._put(*copies, *(entry for entry, _ in placed))

    def duplicates(self, pairs: Iterable[tuple[PlannedDocument, str]]) -> None:
        """Write that files have the content of others that are indexed."""
        copies = [
            _in_place_of(self.entries[first], self._entry(document, Status.INDEXED))
            for document, first in pairs
        ]
        self._put(*(copy for copy in copies if not self._is_written(copy)))

    def remove(self, entries: Sequence[ManifestEntry]) -> None:
        if entries:
            self._manifest.remove(self._project.id, *(entry.path for entry in entries))
        for entry in entries:
            self.entries.pop(entry.path, None)

    def remove_moved(self, moved: Sequence[ManifestEntry]) -> None:
        """Delete entries of moved files that have an entry for the new path."""
        listed = self.doc_ids(without=moved)
        self.remove([entry for entry in moved if entry.doc_id in listed])

    def citekeys(self, paths: Iterable[str]) -> frozenset[str]:
        """What documents are cited as."""
        cited = (self.entries[path].citekey for path in paths if path in self.entries)
        return frozenset(citekey for citekey in cited if citekey)

    def doc_ids(self, without: Iterable[ManifestEntry] = ()) -> frozenset[str]:
        """The documents whose chunks belong in the index, without those of some entries."""
        left_out = {entry.path for entry in without}
        return frozenset(e.doc_id for e in self.entries.values() if e.path not in left_out)

    def indexed_ids(self) -> frozenset[str]:
        """The documents that are recorded as indexed."""
        entries = self.entries.values()
        return frozenset(entry.doc_id for entry in entries if entry.status is Status.INDEXED)

    def _marked(self, document: PlannedDocument, status: Status) -> ManifestEntry:
        previous = document.previous
        entry = self._entry(document, status)
        if previous is not None and previous.doc_id:
            entry = replace(entry, doc_id=previous.doc_id, generation=previous.generation)
        return entry

    def _entry(self, document: PlannedDocument, status: Status) -> ManifestEntry:
        entry = ManifestEntry(
            project_id=self._project.id,
            path=document.file.name,
            status=status,
            content_hash=document.content_hash,
            doc_id=document.doc_id,
        )
        return _placed(entry, document)

    def _is_written(self, entry: ManifestEntry) -> bool:
        written = self.entries.get(entry.path)
        return written is not None and entry == replace(
            written, created_at=entry.created_at, updated_at=entry.updated_at
        )

    def _put(self, *entries: ManifestEntry) -> None:
        if not entries:
            return
        now, stamped = self._project.clock.now(), []
        for entry in entries:
            before = self.entries.get(entry.path, entry)
            created_at = entry.created_at or before.created_at or now
            stamped.append(replace(entry, created_at=created_at, updated_at=now))
        self._manifest.put(*stamped)
        self.entries |= {entry.path: entry for entry in stamped}


def _is_entry_of(document: PlannedDocument, entry: ManifestEntry) -> bool:
    """Whether the entry is the document's own, with its content and the place it has now."""
    file = document.file
    now = (file.name, file.size, file.modified_ns, document.content_hash, None, document.origin)
    was = (entry.path, entry.size, entry.modified_ns, entry.content_hash, entry.copy_of)
    return now == (*was, entry.origin)


def _placed(entry: ManifestEntry, document: PlannedDocument) -> ManifestEntry:
    """The entry with the place a document has now, on disk and in Zotero."""
    origin = document.origin
    return replace(
        entry,
        path=document.file.name,
        size=document.file.size,
        modified_ns=document.file.modified_ns,
        zotero_library=origin.library if origin else None,
        attachment_key=origin.attachment_key if origin else None,
        item_key=origin.item_key if origin else None,
        copy_of=None,
    )


def _in_place_of(entry: ManifestEntry, other: ManifestEntry) -> ManifestEntry:
    """The entry of a document under the path of another file, a copy with its content."""
    return replace(
        entry,
        path=other.path,
        size=other.size,
        modified_ns=other.modified_ns,
        created_at=other.created_at,
        copy_of=entry.path,
    )


def _citing(entry: ManifestEntry, citation: CitationMeta | None, references: str) -> ManifestEntry:
    return replace(
        entry,
        references=references,
        citekey=citation.citekey if citation else None,
        citation=citation_fingerprint(citation),
        citation_pages=citation.pages if citation else None,
    )


def _reader(document: PlannedDocument, prepared: PreparedDocument, state: CurrentState) -> str:
    """What read the images of a document; empty where it has none."""
    if prepared.depends_on_ocr:
        return state.ocr_fingerprint(document)
    return TEXT_LAYER if prepared.has_text_layer else ""
