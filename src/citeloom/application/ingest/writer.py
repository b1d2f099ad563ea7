"""Everything a run changes: what it stores, deletes and records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from citeloom.application.disk_room import check_room
from citeloom.application.ingest.catalogue import Catalogue, Recorded
from citeloom.application.ingest.cleanup import Cleanup
from citeloom.application.ingest.events import Failed, Stored, Written
from citeloom.application.ingest.indexed_state import is_of_others, machines_of
from citeloom.application.ingest.journal import Journal
from citeloom.application.ingest.plan import CurrentState, PlannedDocument
from citeloom.application.ingest.prepare import PreparedDocument
from citeloom.application.ingest.target import Target
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.disk_space import DiskSpace
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.reports import DocumentFailure
from citeloom.domain.errors import CiteloomError, InvalidPointId
from citeloom.domain.passage import EmbeddedChunk, Selection

_GROUP_CHUNKS = 256
_GROUP_SECONDS = 5.0


@dataclass(slots=True, kw_only=True)
class Writer:
    """Stores documents of one project in one collection, and records what became of them.

    One flush serves several documents, for it may cost as much as all the rest of storing: they
    wait until they have `_GROUP_CHUNKS` chunks together, or the first has waited for
    `_GROUP_SECONDS`. `reading` names what reads the images of a document; `stored` are the
    documents that the index held before the run. `point_id` is the project's template of chunk ids.
    """

    project_id: str
    target: Target
    index: VectorIndex
    catalogue: Catalogue
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
        """Take a document to be stored soon."""
        if not self._group:
            self._since = self.clock.monotonic()
        self._group.append((document, prepared))
        self.store_if_due()

    def store_if_due(self) -> None:
        """Store what has come together, if it is enough or has waited for long enough."""
        if self._group and (
            sum(len(one.chunks) for _, one in self._group) >= _GROUP_CHUNKS
            or self.clock.monotonic() - self._since >= _GROUP_SECONDS
        ):
            self.store_all()

    def store_all(self) -> None:
        """Store what has come together, and record each document once all of it is safe.

        A document's new chunks are stored before stale ones go, so that at no moment it is
        without. Raises `DiskFull` where there is no room for them.
        """
        group, self._group = self._group, []
        if not group:
            return
        check_room(self.space, sum(len(prepared.chunks) for _, prepared in group))
        self.taken_up.update(document.file.name for document, _ in group)
        new = [document for document, _ in group if document.doc_id not in self.stored]
        self.catalogue.intend(new, self.target.generation)
        started = self.clock.monotonic()
        stored = [one for pair in group if (one := self._stored(*pair))]
        self.index.flush(self.target.name)
        self.journal.add(Written(seconds=self.clock.monotonic() - started))
        for document, prepared, event in stored:
            self._record(document, prepared)
            self.journal.add(event)

    def _stored(
        self, document: PlannedDocument, prepared: PreparedDocument
    ) -> tuple[PlannedDocument, PreparedDocument, Stored] | None:
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

    def _replace(self, document: PlannedDocument, prepared: PreparedDocument) -> Stored:
        """Store the new chunks, then delete what the document had before and has no more."""
        name, chunks = self.target.name, prepared.chunks
        selection = Selection(project_id=self.project_id, doc_id=prepared.doc_id)
        ids = frozenset(chunk.stored.chunk.id for chunk in chunks)
        known = self.index.chunk_ids(name, selection)
        self.index.upsert(name, self._of_this_machine(prepared, stored_before=bool(known)))
        self.cleanup.delete(selection, keep=ids)
        citation = prepared.citation
        return Stored(
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
