"""Everything a run changes: what it stores, deletes and records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from citeloom.application.disk_space import check_room
from citeloom.application.ingest.context import RunContext, Target
from citeloom.application.ingest.indexed_state import first_chunk, is_of_others, stored_documents
from citeloom.application.ingest.manifest_editor import Recorded
from citeloom.application.ingest.plan import CurrentState, PlannedDocument, citation_fingerprint
from citeloom.application.ingest.prepare import PreparedDocument
from citeloom.application.outcomes import DocumentFailure, OutcomeState
from citeloom.application.ports.sources import SourceFiles
from citeloom.application.ports.vector_index import (
    CitationUpdate,
    LocationUpdate,
    MetadataUpdate,
    VectorIndex,
)
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import CiteloomError, IndexUnavailable, InvalidPointId
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import EmbeddedChunk, Selection, StoredChunk

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


# The chunks of one collection: of documents, annotations and notes alike.


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkWriter:
    """Writes the chunks of a project in the collection called `name`.

    What other machines ingested, too, stays when it is deleted, and is no longer of this `machine`,
    which is None where the store is its own. The first chunk of a document that may be shared says
    by which settings of `chunking` it was divided.
    """

    project_id: str
    index: VectorIndex
    name: str
    machine: str | None = None
    chunking: Mapping[str, str] = field(default_factory=dict)

    def of(self, doc_id: str, source_path: str | None = None) -> Selection:
        """The chunks of one document, annotation or note."""
        return Selection(project_id=self.project_id, doc_id=doc_id, source_path=source_path)

    def replace(
        self,
        documents: Mapping[str, Sequence[EmbeddedChunk]],
        machines: Mapping[str, tuple[str, ...]],
    ) -> int:
        """Store the new chunks of documents, then delete what each had before and has no more, so
        that at no moment one is without; returns how many were deleted.

        Chunks name this machine and those of `machines`, which had stored the document before.
        """
        chunks = [
            self._of_this_machine(chunk, machines.get(doc_id, ()))
            for doc_id, own in documents.items()
            for chunk in own
        ]
        self.index.upsert(self.name, chunks)
        ids = frozenset(chunk.stored.chunk.id for chunk in chunks)
        deleted = (self.index.delete(self.name, self.of(d), keep=ids) for d in documents)
        return sum(deleted)

    def _of_this_machine(self, chunk: EmbeddedChunk, before: tuple[str, ...]) -> EmbeddedChunk:
        if self.machine is None:
            return chunk
        machines = tuple(sorted({*before, self.machine}))
        chunking = {} if chunk.stored.chunk.chunk_idx else self.chunking
        stored = replace(chunk.stored, machines=machines, chunking=chunking)
        return replace(chunk, stored=stored)

    def shared(self, doc_id: str) -> StoredChunk | None:
        """The first chunk of a document that is stored; None where the store is this machine's
        own.
        """
        if self.machine is None:
            return None
        return first_chunk(self.index, self.name, self.project_id, doc_id)

    def machines_of(self, doc_id: str) -> tuple[str, ...]:
        """The machines that ingested a document; none where the store is this machine's own."""
        shared = self.shared(doc_id)
        return shared.machines if shared else ()

    def update(self, doc_id: str, update: MetadataUpdate) -> None:
        """Rewrite metadata of chunks, whose text and vectors stay."""
        self.index.update_metadata(self.name, self.of(doc_id), update)

    def delete(self, doc_id: str, source_path: str | None = None) -> int:
        """Delete chunks; what other machines ingested, too, becomes theirs alone. Returns how many
        were deleted.
        """
        machines = self.machines_of(doc_id)
        if others := tuple(machine for machine in machines if machine != self.machine):
            if others != machines:
                self.update(doc_id, MetadataUpdate(machines=others))
            return 0
        return self.index.delete(self.name, self.of(doc_id, source_path))

    def flush(self) -> None:
        """Make all that was written safe."""
        self.index.flush(self.name)


# Deletion of outdated chunks from the index.


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleanup:
    """Deletes chunks, each with proof that they are outdated."""

    run: RunContext
    target: Target
    chunks: ChunkWriter

    def drop(
        self, entries: Sequence[ManifestEntry], *, keep: AbstractSet[str] = frozenset()
    ) -> None:
        """Delete the entries' chunks, except those of documents in `keep` or with another entry."""
        stale = {entry.doc_id for entry in entries} - keep
        if stale:
            self._delete(stale - self.run.catalogue.doc_ids(without=entries))

    def prune(self, entries: list[ManifestEntry]) -> None:
        """Delete documents and their entries."""
        self.drop(entries)
        if self.target.staged:
            self._drop_replaced(entries)
        self.run.catalogue.remove(entries)
        self.run.record.set_all(OutcomeState.PRUNED, (entry.path for entry in entries))

    def delete_leftovers(self) -> None:
        """Delete chunks that a killed run stored and whose files have changed since.

        Its write intent proves that they are this project's own; a missing entry proves nothing.
        """
        intents = self.run.catalogue.intents()
        if not intents:
            return
        here = [intent for intent in intents if intent.generation == self.target.generation]
        known, indexed = self.run.catalogue.doc_ids(), self.run.catalogue.indexed_ids()
        stale = [intent for intent in here if intent.doc_id not in known]
        for intent in stale:
            self.run.record.chunks_removed(self.chunks.delete(intent.doc_id, intent.path))
        if stale:
            self.chunks.flush()
        void = {intent.generation for intent in intents} - self._generations()
        self.run.catalogue.remove_intents(
            *stale,
            *(intent for intent in here if intent.doc_id in indexed),
            *(intent for intent in intents if intent.generation in void),
        )

    def _generations(self) -> set[str]:
        """The generations of the target, the project's collection and its successor."""
        name = self.target.collection
        bound = (self.chunks.index.binding(name), self.chunks.index.staged(name))
        return {
            self.target.generation,
            *(collection.generation for collection in bound if collection is not None),
        }

    def delete_documents(self, doc_ids: AbstractSet[str]) -> None:
        """Delete documents whose deletion came after they were stored in the staged target."""
        self._delete(self._stored_in(self.target.name) & doc_ids)

    def not_rebuilt(self) -> tuple[tuple[str, ...], int]:
        """The paths of documents that the old collection has and its successor lacks, except for
        earlier versions of files; and how many of them are documents of other machines.
        """
        entries = self.run.catalogue.entries
        generation = self.target.generation
        known = [e.path for e in entries.values() if e.generation not in ("", generation)]
        own: list[str] = []
        of_others: list[str] = []
        for path, is_others in self._unlisted(set(known)):
            (of_others if is_others else own).append(path)
        return tuple(dict.fromkeys((*known, *own, *of_others))), len(set(of_others))

    def _unlisted(self, known: AbstractSet[str]) -> Iterator[tuple[str, bool]]:
        """The paths of documents that the manifest lacks, and whether other machines have them."""
        new = self._stored_in(self.target.name)
        for doc_id in sorted(self._replaced_documents() - new):
            for path, is_others in self._paths_of(doc_id).items():
                entry = self.run.catalogue.entries.get(path)
                replaced = entry is not None and entry.generation == self.target.generation
                if is_others or (path not in known and not replaced):
                    yield path, is_others

    def _paths_of(self, doc_id: str) -> dict[str, bool]:
        """Each path of a document, and whether it is of other machines alone."""
        examined = self.chunks.index.examine(self.target.collection, self.chunks.of(doc_id))
        found = (chunk.stored for chunk in examined if chunk.stored)
        machine = self.chunks.machine
        paths = {stored.source_path: is_of_others(stored, machine) for stored in found}
        return dict(sorted(paths.items()))

    def _replaced_documents(self) -> AbstractSet[str]:
        """The documents of the collection to be replaced; none if it is unreadable."""
        try:
            return self._stored_in(self.target.collection)
        except IndexUnavailable:
            return frozenset()

    def _stored_in(self, name: str) -> AbstractSet[str]:
        return stored_documents(self.chunks.index, name, self.chunks.project_id).keys()

    def _drop_replaced(self, entries: Sequence[ManifestEntry]) -> None:
        """Delete the entries' chunks in the collection to be replaced, too."""
        replaced = replace(self.chunks, name=self.target.collection)
        stored = self._replaced_documents() & {entry.doc_id for entry in entries}
        for doc_id in sorted(stored - self.run.catalogue.doc_ids(without=entries)):
            replaced.delete(doc_id)
            replaced.flush()

    def _delete(self, doc_ids: AbstractSet[str]) -> None:
        for doc_id in sorted(doc_ids):
            self.run.record.chunks_removed(self.chunks.delete(doc_id))
        if doc_ids:
            self.chunks.flush()


# Updates of metadata: paths and references of documents whose text and vectors stay.

BATCH = 256
"""Documents are given other references so many at a time: one flush may cost more than all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataUpdates:
    """Updates the index first and the manifest after it, so that the next run completes a killed
    one.
    """

    run: RunContext
    chunks: ChunkWriter
    cleanup: Cleanup

    def update_locations(self, moves: Sequence[tuple[PlannedDocument, ManifestEntry]]) -> None:
        """Update the path and the Zotero attachment of chunks."""
        if not moves:
            return
        for document, _ in moves:
            place = LocationUpdate(source_path=document.file.name, origin=document.origin)
            self.chunks.update(document.doc_id, MetadataUpdate(location=place))
        self.cleanup.drop(
            [d.previous for d, _ in moves if d.previous is not None],
            keep={document.doc_id for document, _ in moves},
        )
        self.chunks.flush()
        self.run.catalogue.update_locations(moves)
        for document, stored in moves:
            if stored.path != document.file.name:
                self.run.record.set(document.file.name, moved=True)

    def update_citations(self, documents: Sequence[PlannedDocument], references: str) -> None:
        """Give documents the references that come with their files."""
        for document in documents:
            cited = CitationUpdate(citation=document.file.citation)
            self.chunks.update(document.doc_id, MetadataUpdate(citation=cited))
        self.chunks.flush()
        self._record({d.file.name: d.file.citation for d in documents}, references)

    def rematched(
        self,
        document: PlannedDocument,
        citation: CitationMeta | None,
        labels: Mapping[int, str],
        references: str,
    ) -> None:
        """Give a document the reference it was found to have, and the labels of its pages."""
        name = document.file.name
        if citation_fingerprint(citation) == self.run.catalogue.entries[name].citation:
            self.run.catalogue.cited({name: citation}, references)
            self.run.record.confirmed(name)
            return
        cited = CitationUpdate(citation=citation)
        self.chunks.update(document.doc_id, MetadataUpdate(citation=cited, page_labels=labels))
        self.chunks.flush()
        self._record({name: citation}, references)

    def _record(self, citations: Mapping[str, CitationMeta | None], references: str) -> None:
        """Record changed references."""
        entries = self.run.catalogue.entries
        cited_as = {name: entries[name].citekey for name in citations}
        self.run.catalogue.cited(citations, references)
        for name, citation in citations.items():
            citekey = citation.citekey if citation else None
            self.run.record.updated(name, citekey, cited_as[name])


_GROUP_CHUNKS = 256
_GROUP_SECONDS = 5.0


@dataclass(slots=True, kw_only=True)
class Writer:
    """Stores documents of one project in one collection, and records the outcome of each.

    One flush serves several documents, for it may cost as much as all the rest of storing: they
    wait until they have `_GROUP_CHUNKS` chunks together, or the first has waited for
    `_GROUP_SECONDS`. `reading` names what reads the images of a document; `stored` are the
    documents that the index held before the run.
    """

    run: RunContext
    chunks: ChunkWriter
    cleanup: Cleanup
    state: CurrentState
    stored: AbstractSet[str]
    reading: Callable[[PlannedDocument], str]
    _group: list[tuple[PlannedDocument, PreparedDocument]] = field(default_factory=list)
    _since: float = 0.0
    _is_chunking_compared: bool = False
    taken_up: set[str] = field(default_factory=set)
    """The names of the documents of which something may have been stored."""

    def store(self, document: PlannedDocument, prepared: PreparedDocument) -> None:
        """Queue a document to be stored."""
        if not self._group:
            self._since = self.run.parts.clock.monotonic()
        self._group.append((document, prepared))
        self.store_if_due()

    def store_if_due(self) -> None:
        """Store the queued documents, if they are enough or have waited long enough."""
        if self._group and (
            sum(len(prepared.chunks) for _, prepared in self._group) >= _GROUP_CHUNKS
            or self.run.parts.clock.monotonic() - self._since >= _GROUP_SECONDS
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
        check_room(self.run.parts.space, sum(len(prepared.chunks) for _, prepared in group))
        self.taken_up.update(document.file.name for document, _ in group)
        new = [document for document, _ in group if document.doc_id not in self.stored]
        self.run.catalogue.intend(new, self.state.generation)
        started = self.run.parts.clock.monotonic()
        stored: list[tuple[PlannedDocument, PreparedDocument, frozenset[str]]] = []
        for document, prepared in group:
            try:
                self._check_ids(document, prepared)
            except InvalidPointId as error:
                self.fail(document, error)
            else:
                stored.append((document, prepared, self._replace(document, prepared)))
        self.chunks.flush()
        self.run.record.spend("store", self.run.parts.clock.monotonic() - started)
        for document, prepared, known in stored:
            self._record(document, prepared, known)

    def _check_ids(self, document: PlannedDocument, prepared: PreparedDocument) -> None:
        """Raise `InvalidPointId` if a chunk of another document has one of the ids."""
        if self.run.parts.project.point_id is None:
            return
        ids = [chunk.stored.chunk.id for chunk in prepared.chunks]
        own = {prepared.doc_id, document.previous.doc_id if document.previous else ""}
        everything = Selection(project_id=self.chunks.project_id)
        for other in self.chunks.index.fetch(self.chunks.name, everything, ids):
            is_others = is_of_others(other, self.chunks.machine)
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
        self.run.catalogue.failed(document, error, conditions)
        failure = DocumentFailure.of(document.file.name, error)
        self.run.record.failed(failure, seconds)

    def _replace(self, document: PlannedDocument, prepared: PreparedDocument) -> frozenset[str]:
        """Store a document's chunks in place of those it had; returns the ids it had."""
        doc_id = prepared.doc_id
        known = self.chunks.index.chunk_ids(self.chunks.name, self.chunks.of(doc_id))
        shared = self.chunks.shared(doc_id) if known else None
        if shared is not None:
            self._compare_chunking(document.file.name, shared)
        machines = shared.machines if shared else ()
        removed = self.chunks.replace({doc_id: prepared.chunks}, {doc_id: machines})
        self.run.record.chunks_removed(removed)
        return known

    def _compare_chunking(self, name: str, shared: StoredChunk) -> None:
        """Note, once a run, by which settings another machine divides documents that both have."""
        others = [machine for machine in shared.machines if machine != self.chunks.machine]
        there, here = shared.chunking, self.chunks.chunking
        differing = [
            f"{key} {there.get(key, 'unset')} instead of {here.get(key, 'unset')}"
            for key in sorted(there.keys() | here.keys())
            if there.get(key) != here.get(key)
        ]
        if there and others and differing and not self._is_chunking_compared:
            self._is_chunking_compared = True
            note = (
                f"{', '.join(others)} stored it with {', '.join(differing)}, and perhaps other "
                "documents of both: they are stored again by each in turn until both machines "
                "have the same [chunking]"
            )
            self.run.record.set(name, notes=(*self.run.record.outcomes[name].notes, note))

    def _record(
        self, document: PlannedDocument, prepared: PreparedDocument, known: frozenset[str]
    ) -> None:
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
        self.run.catalogue.indexed(document, recorded)
        ids = frozenset(chunk.stored.chunk.id for chunk in prepared.chunks)
        self.run.record.stored(
            document.file.name,
            citekey=prepared.citation.citekey if prepared.citation else None,
            cited_as=previous.citekey if previous else None,
            pages=prepared.pages,
            text=prepared.text,
            added=len(ids - known),
            rewritten=len(ids & known),
        )
