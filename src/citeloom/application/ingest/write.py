"""Everything a run stores, and what it records of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from citeloom.application.collection import is_of_others
from citeloom.application.disk_space import check_room
from citeloom.application.ingest.fingerprints import citation_fingerprint
from citeloom.application.ingest.plan import CurrentState, PlannedDocument
from citeloom.application.ingest.prepare import PreparedDocument, Rematched
from citeloom.application.ingest.record import RunContext
from citeloom.application.ports.vector_index import (
    CitationUpdate,
    LocationUpdate,
    MetadataUpdate,
    VectorIndex,
)
from citeloom.application.reports import DocumentFailure
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.errors import CiteloomError, InvalidPointId
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import EmbeddedChunk, Selection, StoredChunk

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
        chunks = []
        for doc_id, embedded in documents.items():
            for chunk in embedded:
                stored = chunk.stored
                if self.machine is not None:
                    names = tuple(sorted({*machines.get(doc_id, ()), self.machine}))
                    chunking = {} if stored.chunk.chunk_idx else self.chunking
                    stored = replace(stored, machines=names, chunking=chunking)
                chunks.append(replace(chunk, stored=stored))
        self.index.upsert(self.name, chunks)
        ids = frozenset(chunk.stored.chunk.id for chunk in chunks)
        deleted = (self.index.delete(self.name, self.of(d), keep=ids) for d in documents)
        return sum(deleted)

    def shared(self, doc_id: str) -> StoredChunk | None:
        """A stored document's first chunk; None where the store is this machine's own."""
        if self.machine is None:
            return None
        for chunks in ((0, 0), None):
            for stored in self.index.scroll(self.name, replace(self.of(doc_id), chunks=chunks)):
                return stored
        return None

    def machines_of(self, doc_id: str) -> tuple[str, ...]:
        """The machines that ingested a document; none where the store is this machine's own."""
        shared = self.shared(doc_id)
        return shared.machines if shared else ()

    def update(self, doc_id: str, update: MetadataUpdate) -> None:
        """Rewrite metadata of chunks, whose text and vectors stay."""
        self.index.update_metadata(self.name, self.of(doc_id), update)

    def delete(self, doc_id: str, source_path: str | None = None) -> int:
        """Delete chunks that are this machine's alone; returns how many."""
        machines = self.machines_of(doc_id)
        if others := tuple(machine for machine in machines if machine != self.machine):
            if others != machines:
                self.update(doc_id, MetadataUpdate(machines=others))
            return 0
        return self.index.delete(self.name, self.of(doc_id, source_path))

    def flush(self) -> None:
        """Make all that was written safe."""
        self.index.flush(self.name)


# The documents of one project, stored and recorded.

BATCH = 256
"""Documents are given other references so many at a time: one flush may cost more than all."""

_GROUP_CHUNKS = 256
_GROUP_SECONDS = 5.0


@dataclass(slots=True, kw_only=True)
class Writer:
    """Stores documents of one project in one collection, and records the outcome of each. What
    changes is written to the index first and to the manifest after it, so that the next run
    completes a killed one.

    One flush serves several documents, for it may cost as much as all the rest of storing: they
    wait until they have `_GROUP_CHUNKS` chunks together, or the first has waited for
    `_GROUP_SECONDS`.
    """

    run: RunContext
    chunks: ChunkWriter
    state: CurrentState
    taken_up: set[str] = field(default_factory=set)
    """The names of the documents of which something may have been stored."""
    _group: list[tuple[PlannedDocument, PreparedDocument]] = field(default_factory=list)
    _since: float = 0.0
    _is_chunking_compared: bool = False

    def store(self, document: PlannedDocument, prepared: PreparedDocument) -> None:
        if not self._group:
            self._since = self.run.project.clock.monotonic()
        self._group.append((document, prepared))
        self.store_if_due()

    def store_if_due(self) -> None:
        """Store the queued documents, if they are enough or have waited long enough."""
        if self._group and (
            sum(len(prepared.chunks) for _, prepared in self._group) >= _GROUP_CHUNKS
            or self.run.project.clock.monotonic() - self._since >= _GROUP_SECONDS
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
        new = [document for document, _ in group if document.doc_id not in self.state.stored]
        self.run.manifest.intend(new, self.state.generation)
        started = self.run.project.clock.monotonic()
        stored: list[tuple[PlannedDocument, PreparedDocument, frozenset[str]]] = []
        for document, prepared in group:
            try:
                self._check_ids(document, prepared)
            except InvalidPointId as error:
                self.fail(document, error)
            else:
                stored.append((document, prepared, self._replace(document, prepared)))
        self.chunks.flush()
        self.run.record.spend("store", self.run.project.clock.monotonic() - started)
        for document, prepared, known in stored:
            previous = document.previous
            if previous is not None and previous.doc_id != document.doc_id:
                self.drop([previous])  # its earlier content, now that the new one is safe
            self.run.manifest.indexed(document, prepared, self.state)
            name = document.file.name
            self.run.record.stored(name, prepared, before=previous, replaced=known)

    def _check_ids(self, document: PlannedDocument, prepared: PreparedDocument) -> None:
        """Raise `InvalidPointId` if a chunk of another document has one of the ids."""
        if self.run.project.settings.point_id is None:
            return
        ids = [chunk.stored.chunk.id for chunk in prepared.chunks]
        doc_ids = {prepared.doc_id, document.previous.doc_id if document.previous else ""}
        everything = Selection(project_id=self.chunks.project_id)
        for other in self.chunks.index.fetch(self.chunks.name, everything, ids):
            is_others = is_of_others(other, self.chunks.machine)
            if other.chunk.doc_id not in doc_ids and (
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
        outcome = self.run.record.outcomes.get(document.file.name)
        metadata = outcome.metadata if outcome else {}
        self.run.manifest.failed(document, error, conditions, metadata)
        failure = DocumentFailure.of(document.file.name, error)
        self.run.record.failed(failure, seconds)

    def _replace(self, document: PlannedDocument, prepared: PreparedDocument) -> frozenset[str]:
        """Store a document's chunks in place of those it had; returns the ids it had."""
        doc_id = prepared.doc_id
        before = self.chunks.index.chunk_ids(self.chunks.name, self.chunks.of(doc_id))
        shared = self.chunks.shared(doc_id) if before else None
        if shared is not None:
            self._compare_chunking(document.file.name, shared)
        machines = shared.machines if shared else ()
        removed = self.chunks.replace({doc_id: prepared.chunks}, {doc_id: machines})
        self.run.record.chunks_removed(removed)
        return before

    def _compare_chunking(self, name: str, shared: StoredChunk) -> None:
        """Note, once a run, by which settings another machine divides documents that both have."""
        machines = [machine for machine in shared.machines if machine != self.chunks.machine]
        there, here = shared.chunking, self.chunks.chunking
        differing = [
            f"{key} {there.get(key, 'unset')} instead of {here.get(key, 'unset')}"
            for key in sorted(there.keys() | here.keys())
            if there.get(key) != here.get(key)
        ]
        if there and machines and differing and not self._is_chunking_compared:
            self._is_chunking_compared = True
            note = (
                f"{', '.join(machines)} stored it with {', '.join(differing)}, and perhaps other "
                "documents of both: they are stored again by each in turn until both machines "
                "have the same [chunking]"
            )
            self.run.record.set(name, notes=(*self.run.record.outcomes[name].notes, note))

    # -- paths and references of documents whose text and vectors stay

    def update_locations(self, moves: Sequence[tuple[PlannedDocument, ManifestEntry]]) -> None:
        if not moves:
            return
        for document, _ in moves:
            place = LocationUpdate(source_path=document.file.name, origin=document.origin)
            self.chunks.update(document.doc_id, MetadataUpdate(location=place))
        self.drop(
            [d.previous for d, _ in moves if d.previous is not None],
            keep={document.doc_id for document, _ in moves},
        )
        self.chunks.flush()
        self.run.manifest.update_locations(moves)
        for document, stored in moves:
            if stored.path != document.file.name:
                self.run.record.set(document.file.name, moved=True, citekey=stored.citekey)

    def update_citations(self, documents: Sequence[PlannedDocument]) -> None:
        for document in documents:
            cited = CitationUpdate(citation=document.file.citation)
            self.chunks.update(document.doc_id, MetadataUpdate(citation=cited))
        self.chunks.flush()
        self._record_citations({d.file.name: d.file.citation for d in documents})

    def rematched(self, document: PlannedDocument, match: Rematched) -> None:
        """Give a document the reference it was found to have, and the labels of its pages."""
        name, citation = document.file.name, match.citation
        if citation_fingerprint(citation) == self.run.manifest.entries[name].citation:
            self.run.manifest.cited({name: citation}, self.state.references)
            self.run.record.confirmed(name)
            return
        cited = CitationUpdate(citation=citation)
        update = MetadataUpdate(citation=cited, page_labels=match.labels)
        self.chunks.update(document.doc_id, update)
        self.chunks.flush()
        self._record_citations({name: citation})

    def _record_citations(self, citations: Mapping[str, CitationMeta | None]) -> None:
        entries = self.run.manifest.entries
        cited_as = {name: entries[name].citekey for name in citations}
        self.run.manifest.cited(citations, self.state.references)
        for name, citation in citations.items():
            citekey = citation.citekey if citation else None
            self.run.record.updated(name, citekey, cited_as[name])

    # -- what is outdated

    def drop(
        self, entries: Sequence[ManifestEntry], *, keep: AbstractSet[str] = frozenset()
    ) -> None:
        """Delete the entries' chunks, except those of documents in `keep` or with another entry."""
        stale = {entry.doc_id for entry in entries} - keep
        if stale:
            self.delete(stale - self.run.manifest.doc_ids(without=entries))

    def delete(self, doc_ids: AbstractSet[str]) -> None:
        for doc_id in sorted(doc_ids):
            self.run.record.chunks_removed(self.chunks.delete(doc_id))
        if doc_ids:
            self.chunks.flush()
