"""Everything a run changes: what it stores, deletes and records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from citeloom.application.disk_space import check_room
from citeloom.application.ingest.context import Target
from citeloom.application.ingest.events import (
    Confirmed,
    DocumentStored,
    Failed,
    Moved,
    Pruned,
    Removed,
    Updated,
    Written,
)
from citeloom.application.ingest.indexed_state import is_of_others, machines_of, stored_documents
from citeloom.application.ingest.journal import Journal
from citeloom.application.ingest.manifest_editor import ManifestEditor, Recorded
from citeloom.application.ingest.plan import CurrentState, PlannedDocument, citation_fingerprint
from citeloom.application.ingest.prepare import PreparedDocument
from citeloom.application.ports.runtime import Clock, DiskSpace
from citeloom.application.ports.sources import SourceFiles
from citeloom.application.ports.vector_index import (
    CitationUpdate,
    LocationUpdate,
    MetadataUpdate,
    VectorIndex,
)
from citeloom.application.reports import DocumentFailure
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import CiteloomError, IndexUnavailable, InvalidPointId
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import EmbeddedChunk, Selection

# Files of folders that were matched to one reference: its printed pages are those of one alone.

_NO_SUFFIXES: frozenset[str] = frozenset()


def documents_sharing_reference(
    entries: Iterable[ManifestEntry], files: SourceFiles
) -> list[PlannedDocument]:
    """The documents of folders that have the page range of a reference which another document has,
    too: which one it belongs to is unknown, so none of them gets it.
    """
    having: dict[str, list[ManifestEntry]] = defaultdict(list)
    for entry in entries:
        if entry.citekey and entry.citation_pages and entry.status is Status.INDEXED:
            having[entry.citekey].append(entry)
    contested = [
        entry
        for sharing in having.values()
        if len({entry.doc_id for entry in sharing}) > 1
        for entry in sharing
        if entry.origin is None
    ]
    return [document for entry in contested for document in _planned(entry, files)]


def _planned(entry: ManifestEntry, files: SourceFiles) -> Iterable[PlannedDocument]:
    for file in files.find([entry.path], _NO_SUFFIXES).files:
        if (file.size, file.modified_ns) == (entry.size, entry.modified_ns):
            yield PlannedDocument(
                file=file, content_hash=entry.content_hash, previous=entry, shares_reference=True
            )


# Deletion of outdated chunks from the index.


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleanup:
    """Deletes chunks, each with proof that they are outdated.

    A document that other machines ingested, too, stays, and is no longer of this `machine`, which
    is None where the store is its own.
    """

    project_id: str
    index: VectorIndex
    target: Target
    catalogue: ManifestEditor
    journal: Journal
    machine: str | None = None

    def drop(
        self, entries: Sequence[ManifestEntry], *, keep: AbstractSet[str] = frozenset()
    ) -> None:
        """Delete the entries' chunks, except those of documents in `keep` or with another entry."""
        stale = {entry.doc_id for entry in entries} - keep
        if stale:
            self._delete(stale - self.catalogue.doc_ids(without=entries))

    def prune(self, entries: list[ManifestEntry]) -> None:
        """Delete documents and their entries."""
        self.drop(entries)
        if self.target.staged:
            self._drop_replaced(entries)
        self.catalogue.remove(entries)
        self.journal.add(Pruned(documents=tuple(entry.path for entry in entries)))

    def delete_leftovers(self) -> None:
        """Delete chunks that a killed run stored and whose files have changed since.

        Its write intent proves that they are this project's own; a missing entry proves nothing.
        """
        intents = self.catalogue.intents()
        if not intents:
            return
        here = [intent for intent in intents if intent.generation == self.target.generation]
        known, indexed = self.catalogue.doc_ids(), self.catalogue.indexed_ids()
        stale = [intent for intent in here if intent.doc_id not in known]
        for intent in stale:
            if not self._leave_to_others(self.target.name, intent.doc_id):
                self._delete_chunks(intent.doc_id, source_path=intent.path)
        if stale:
            self.index.flush(self.target.name)
        void = {intent.generation for intent in intents} - self._generations()
        self.catalogue.remove_intents(
            *stale,
            *(intent for intent in here if intent.doc_id in indexed),
            *(intent for intent in intents if intent.generation in void),
        )

    def _generations(self) -> set[str]:
        """The generations of the target, the project's collection and its successor."""
        name = self.target.collection
        bound = (self.index.binding(name), self.index.staged(name))
        return {
            self.target.generation,
            *(collection.generation for collection in bound if collection is not None),
        }

    def delete_documents(self, doc_ids: AbstractSet[str]) -> None:
        """Delete documents whose deletion came after they were stored in the staged target."""
        stored = stored_documents(self.index, self.target.name, self.project_id)
        self._delete(stored.keys() & doc_ids)

    def not_rebuilt(self) -> tuple[tuple[str, ...], int]:
        """The paths of documents that the old collection has and its successor lacks, except for
        earlier versions of files; and how many of them are documents of other machines.
        """
        entries = self.catalogue.entries
        generation = self.target.generation
        known = [e.path for e in entries.values() if e.generation not in ("", generation)]
        own: list[str] = []
        of_others: list[str] = []
        for path, is_others in self._unlisted(set(known)):
            (of_others if is_others else own).append(path)
        return tuple(dict.fromkeys((*known, *own, *of_others))), len(set(of_others))

    def _unlisted(self, known: AbstractSet[str]) -> Iterator[tuple[str, bool]]:
        """The paths of documents that the manifest lacks, and whether other machines have them."""
        old = self._replaced_documents()
        new = stored_documents(self.index, self.target.name, self.project_id)
        for doc_id in sorted(old.keys() - new.keys()):
            for path, is_others in self._paths_of(doc_id).items():
                entry = self.catalogue.entries.get(path)
                replaced = entry is not None and entry.generation == self.target.generation
                if is_others or (path not in known and not replaced):
                    yield path, is_others

    def _paths_of(self, doc_id: str) -> dict[str, bool]:
        """Each path of a document, and whether it is of other machines alone."""
        document = Selection(project_id=self.project_id, doc_id=doc_id)
        chunks = self.index.examine(self.target.collection, document)
        found = (chunk.stored for chunk in chunks if chunk.stored)
        paths = {stored.source_path: is_of_others(stored, self.machine) for stored in found}
        return dict(sorted(paths.items()))

    def _replaced_documents(self) -> dict[str, int]:
        """The documents of the collection to be replaced; none if it is unreadable."""
        try:
            return stored_documents(self.index, self.target.collection, self.project_id)
        except IndexUnavailable:
            return {}

    def _drop_replaced(self, entries: Sequence[ManifestEntry]) -> None:
        """Delete the entries' chunks in the collection to be replaced, too."""
        name, removed = self.target.collection, {entry.doc_id for entry in entries}
        stored = self._replaced_documents().keys() & removed
        for doc_id in sorted(stored - self.catalogue.doc_ids(without=entries)):
            if not self._leave_to_others(name, doc_id):
                self.index.delete(name, Selection(project_id=self.project_id, doc_id=doc_id))
            self.index.flush(name)

    def delete(self, selection: Selection, *, keep: frozenset[str] = frozenset()) -> None:
        """Delete the selected chunks except those in `keep`."""
        removed = self.index.delete(self.target.name, selection, keep=keep)
        self.journal.add(Removed(chunks=removed))

    def _delete(self, doc_ids: AbstractSet[str]) -> None:
        for doc_id in sorted(doc_ids):
            if not self._leave_to_others(self.target.name, doc_id):
                self._delete_chunks(doc_id)
        if doc_ids:
            self.index.flush(self.target.name)

    def _leave_to_others(self, name: str, doc_id: str) -> bool:
        """Whether other machines ingested the document, which then is theirs alone."""
        if self.machine is None:
            return False
        machines = machines_of(self.index, name, self.project_id, doc_id)
        others = tuple(machine for machine in machines if machine != self.machine)
        if others and others != machines:
            selection = Selection(project_id=self.project_id, doc_id=doc_id)
            self.index.update_metadata(name, selection, MetadataUpdate(machines=others))
        return bool(others)

    def _delete_chunks(self, doc_id: str, *, source_path: str | None = None) -> None:
        selection = Selection(project_id=self.project_id, doc_id=doc_id, source_path=source_path)
        self.delete(selection)


# Updates of metadata: paths and references of documents whose text and vectors stay.

BATCH = 256
"""Documents are given other references so many at a time: one flush may cost more than all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataUpdates:
    """Updates the index first and the manifest after it, so that the next run completes a killed
    one.
    """

    project_id: str
    index: VectorIndex
    target: Target
    catalogue: ManifestEditor
    cleanup: Cleanup
    journal: Journal

    def update_locations(self, moves: Sequence[tuple[PlannedDocument, ManifestEntry]]) -> None:
        """Update the path and the Zotero attachment of chunks."""
        if not moves:
            return
        for document, _ in moves:
            place = LocationUpdate(source_path=document.file.name, origin=document.origin)
            self._update(document, MetadataUpdate(location=place))
        self.cleanup.drop(
            [d.previous for d, _ in moves if d.previous is not None],
            keep={document.doc_id for document, _ in moves},
        )
        self.index.flush(self.target.name)
        self.catalogue.update_locations(moves)
        moved = tuple(d.file.name for d, stored in moves if stored.path != d.file.name)
        self.journal.add(Moved(documents=moved))

    def update_citations(self, documents: Sequence[PlannedDocument], references: str) -> None:
        """Give documents the references that come with their files."""
        for document in documents:
            cited = CitationUpdate(citation=document.file.citation)
            self._update(document, MetadataUpdate(citation=cited))
        self.index.flush(self.target.name)
        updated = [self._updated(d.file.name, d.file.citation) for d in documents]
        self.catalogue.cited({d.file.name: d.file.citation for d in documents}, references)
        self.journal.add(*updated)

    def rematched(
        self,
        document: PlannedDocument,
        citation: CitationMeta | None,
        labels: Mapping[int, str],
        references: str,
    ) -> None:
        """Give a document the reference it was found to have, and the labels of its pages."""
        name = document.file.name
        event: Updated | Confirmed = Confirmed(document=name)
        if citation_fingerprint(citation) != self.catalogue.entries[name].citation:
            event = self._updated(name, citation)
            cited = CitationUpdate(citation=citation)
            self._update(document, MetadataUpdate(citation=cited, page_labels=labels))
            self.index.flush(self.target.name)
        self.catalogue.cited({name: citation}, references)
        self.journal.add(event)

    def _updated(self, name: str, citation: CitationMeta | None) -> Updated:
        """The event of a changed reference, made before it is recorded."""
        return Updated(
            document=name,
            citekey=citation.citekey if citation else None,
            cited_as=self.catalogue.entries[name].citekey,
        )

    def _update(self, document: PlannedDocument, update: MetadataUpdate) -> None:
        chunks = Selection(project_id=self.project_id, doc_id=document.doc_id)
        self.index.update_metadata(self.target.name, chunks, update)


_GROUP_CHUNKS = 256
_GROUP_SECONDS = 5.0


@dataclass(slots=True, kw_only=True)
class Writer:
    """Stores documents of one project in one collection, and records the outcome of each.

    One flush serves several documents, for it may cost as much as all the rest of storing: they
    wait until they have `_GROUP_CHUNKS` chunks together, or the first has waited for
    `_GROUP_SECONDS`. `reading` names what reads the images of a document; `stored` are the
    documents that the index held before the run. `point_id` is the project's template of chunk ids.
    """

    project_id: str
    target: Target
    index: VectorIndex
    catalogue: ManifestEditor
    cleanup: Cleanup
    state: CurrentState
    stored: AbstractSet[str]
    reading: Callable[[PlannedDocument], str]
    clock: Clock
    space: DiskSpace
    journal: Journal
    point_id: str | None = None
    _group: list[tuple[PlannedDocument, PreparedDocument]] = field(default_factory=list)
    _since: float = 0.0
    taken_up: set[str] = field(default_factory=set)
    """The names of the documents of which something may have been stored."""

    def store(self, document: PlannedDocument, prepared: PreparedDocument) -> None:
        """Queue a document to be stored."""
        if not self._group:
            self._since = self.clock.monotonic()
        self._group.append((document, prepared))
        self.store_if_due()

    def store_if_due(self) -> None:
        """Store the queued documents, if they are enough or have waited long enough."""
        if self._group and (
            sum(len(prepared.chunks) for _, prepared in self._group) >= _GROUP_CHUNKS
            or self.clock.monotonic() - self._since >= _GROUP_SECONDS
        ):
            self.store_all()

    def store_all(self) -> None:
        """Store the queued documents, and record each once all of it is safe.

        A document's new chunks are stored before stale ones go, so that at no moment it is without.
        Raises `DiskFull` where there is no room for them.
        """
        group, self._group = self._group, []
        if not group:
            return
        check_room(self.space, sum(len(prepared.chunks) for _, prepared in group))
        self.taken_up.update(document.file.name for document, _ in group)
        new = [document for document, _ in group if document.doc_id not in self.stored]
        self.catalogue.intend(new, self.target.generation)
        started = self.clock.monotonic()
        stored = [outcome for pair in group if (outcome := self._stored(*pair))]
        self.index.flush(self.target.name)
        self.journal.add(Written(seconds=self.clock.monotonic() - started))
        for document, prepared, event in stored:
            self._record(document, prepared)
            self.journal.add(event)

    def _stored(
        self, document: PlannedDocument, prepared: PreparedDocument
    ) -> tuple[PlannedDocument, PreparedDocument, DocumentStored] | None:
        """The document as it was stored; None if its chunks would replace another's."""
        try:
            self._check_ids(document, prepared)
        except InvalidPointId as error:
            self.fail(document, error)
            return None
        return document, prepared, self._replace(document, prepared)

    def _check_ids(self, document: PlannedDocument, prepared: PreparedDocument) -> None:
        """Raise `InvalidPointId` if a chunk of another document has one of the ids."""
        if self.point_id is None:
            return
        ids = [chunk.stored.chunk.id for chunk in prepared.chunks]
        own = {prepared.doc_id, document.previous.doc_id if document.previous else ""}
        everything = Selection(project_id=self.project_id)
        for other in self.index.fetch(self.target.name, everything, ids):
            is_others = is_of_others(other, self.cleanup.machine)
            if other.chunk.doc_id not in own and (
                is_others or other.source_path != document.file.name
            ):
                raise InvalidPointId(
                    f"its chunk '{other.chunk.section_heading or other.chunk.id}' gets the id that "
                    f"a chunk of {other.source_path} has",
                    "Give each document other values in the fields of point_id; if that file is "
                    "gone, ingest with --prune.",
                )

    def fail(self, document: PlannedDocument, error: CiteloomError, seconds: float = 0.0) -> None:
        """Record that a document could not be prepared; what is stored of it stays."""
        conditions = "" if error.may_pass else self.state.failing(document)
        self.catalogue.failed(document, error, conditions)
        failure = DocumentFailure.of(document.file.name, error)
        self.journal.add(Failed(failure=failure, seconds=seconds))

    def _replace(self, document: PlannedDocument, prepared: PreparedDocument) -> DocumentStored:
        """Store the new chunks, then delete what the document had before and has no more."""
        name, chunks = self.target.name, prepared.chunks
        selection = Selection(project_id=self.project_id, doc_id=prepared.doc_id)
        ids = frozenset(chunk.stored.chunk.id for chunk in chunks)
        known = self.index.chunk_ids(name, selection)
        self.index.upsert(name, self._of_this_machine(prepared, stored_before=bool(known)))
        self.cleanup.delete(selection, keep=ids)
        citation = prepared.citation
        return DocumentStored(
            document=document.file.name,
            citekey=citation.citekey if citation else None,
            cited_as=document.previous.citekey if document.previous else None,
            pages=prepared.pages,
            text=prepared.text,
            added=len(ids - known),
            rewritten=len(ids & known),
        )

    def _of_this_machine(
        self, prepared: PreparedDocument, *, stored_before: bool
    ) -> Sequence[EmbeddedChunk]:
        """The chunks with the machines that ingested the document: this and those before."""
        machine = self.cleanup.machine
        if machine is None:
            return prepared.chunks
        before: tuple[str, ...] = ()
        if stored_before:
            before = machines_of(self.index, self.target.name, self.project_id, prepared.doc_id)
        machines = tuple(sorted({*before, machine}))
        return [
            replace(chunk, stored=replace(chunk.stored, machines=machines))
            for chunk in prepared.chunks
        ]

    def _record(self, document: PlannedDocument, prepared: PreparedDocument) -> None:
        """The document is safe in the index: drop its earlier content, then record it."""
        previous = document.previous
        if previous is not None and previous.doc_id != document.doc_id:
            self.cleanup.drop([previous])
        recorded = Recorded(
            state=self.state,
            citation=prepared.citation,
            chunks=len(prepared.chunks),
            pages=prepared.pages,
            body_share=prepared.text.body_share,
            ocr=self.reading(document) if prepared.depends_on_ocr else "",
        )
        self.catalogue.indexed(document, recorded)
