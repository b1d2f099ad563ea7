"""The use case `ingest`: one run, from request to report, and the optimisation at its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from uuid import uuid4

from citeloom.application.delete import Deletion
from citeloom.application.disk_space import NEW_INDEX, check_room, likely_chunks
from citeloom.application.events import ReadEvent, RunEnded, no_reader
from citeloom.application.ingest import writer as shared_references
from citeloom.application.ingest.context import (
    IngestParts,
    IngestRequest,
    RunContext,
    Target,
    current_target,
    make_target,
    mixed,
)
from citeloom.application.ingest.document_metadata import requested_ocr
from citeloom.application.ingest.indexed_state import IndexedState, indexed_state
from citeloom.application.ingest.manifest_editor import ManifestEditor
from citeloom.application.ingest.plan import CurrentState, Plan, PlannedDocument, chunking_settings
from citeloom.application.ingest.planning import (
    current_state,
    divide_removals,
    failure_of,
    list_sources,
    plan_run,
)
from citeloom.application.ingest.preparation import (
    Failure,
    check_before_work,
    prepared,
    results,
    unembedded,
)
from citeloom.application.ingest.prepare import rematch
from citeloom.application.ingest.record import RunRecord
from citeloom.application.ingest.writer import (
    BATCH,
    ChunkWriter,
    Cleanup,
    MetadataUpdates,
    Writer,
)
from citeloom.application.outcomes import OutcomeState
from citeloom.application.ports.embedders import EmbeddingUsage, usage_of
from citeloom.application.ports.sources import FoundFile
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.reports import IngestReport
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import CiteloomError, DiskFull, IndexUnavailable, SourceChanged

# Optimising an index in which everything is stored.


def optimize_stored(index: VectorIndex, name: str) -> str | None:
    """Optimise a collection; the reason if that is not possible now, which loses nothing."""
    try:
        index.optimize(name)
    except (DiskFull, IndexUnavailable) as error:
        return error.message
    return None


# One execution of an ingest.

_TRIES = 3
"""How often a file is tried that changes while it is read."""


class IngestRun:
    """One run: plans, prepares, writes and reports. Made for one request, used once."""

    def __init__(self, parts: IngestParts, request: IngestRequest, send: ReadEvent) -> None:
        project = parts.project
        report = IngestReport(
            project=project.id,
            collection=project.collection,
            models={"dense": project.embedding_model, "sparse": project.bound_sparse_model},
            run_id=uuid4().hex[:12],
            dry_run=request.dry_run,
            sends_text_to=project.sends_text_to,
            zotero=request.zotero,
        )
        self._parts = parts
        self._request = request
        self._deleted = {tombstone.doc_id for tombstone in parts.manifest.tombstones(project.id)}
        self._record = RunRecord(
            report, send, has_references=lambda: bool(parts.tools.references.fingerprint)
        )
        self._catalogue = ManifestEditor(project.id, parts.manifest, parts.clock)
        self._run = RunContext(
            parts=parts, request=request, catalogue=self._catalogue, record=self._record
        )

    def dry_run(self) -> IngestReport:
        """Plan the run and report the plan; nothing is changed. Raises `InvalidReferences` as a run
        would.
        """
        self._parts.tools.references.references()
        listing = list_sources(self._run)
        target = self._current_target()
        state = current_state(self._parts, target)
        plan = plan_run(self._run, listing, state, self._indexed_state(target))
        moved = (document.file.name for document, _ in plan.update_location)
        self._record.set_all(OutcomeState.PENDING, moved)
        self._record_duplicates(plan)
        _, withheld = divide_removals(self._run, self._removals(plan))
        self._record.note(withheld=tuple(withheld))
        self._estimate(plan)
        return self._record.report()

    def execute(self) -> IngestReport:
        """Execute the plan, and report what was done."""
        parts = self._parts
        started, used = parts.clock.monotonic(), usage_of(parts.remote)
        listing = list_sources(self._run)
        target = self._current_target()
        if target is None:
            self._check_room(listing.files, more=NEW_INDEX)
            check_before_work(self._run)
            target = make_target(parts.index, parts.project, parts.tools.dense, parts.clock)
        truth = self._indexed_state(target)
        state = current_state(parts, target)
        plan = plan_run(self._run, listing, state, truth)
        self._check_room([document.file for document in plan.process])
        self._execute(plan, target, state, truth)
        self._record.note(usage=usage_of(parts.remote).since(used))
        self._record.spend("total", parts.clock.monotonic() - started)
        report = self._record.report()
        parts.audit.append(parts.project.id, report.as_dict())
        return report

    def _check_room(self, files: Sequence[FoundFile], *, more: int = 0) -> None:
        """Raise `DiskFull` unless there is room for the documents that are taken up."""
        taken = files[: self._request.limit]
        check_room(self._parts.space, sum(map(likely_chunks, taken)), more=more)

    def _estimate(self, plan: Plan) -> None:
        """Estimate the usage of a remote model; the documents are prepared to count it."""
        remote, todo = self._parts.remote, plan.process[: self._request.limit]
        if remote is None or not todo:
            return
        self._record.start(len(todo))
        usage = EmbeddingUsage()
        with closing(unembedded(self._run, todo)) as documents:
            for document in documents:
                usage += remote.estimate(document.texts)
        self._record.note(usage=usage)

    def _current_target(self) -> Target | None:
        parts = self._parts
        return current_target(parts.index, parts.project, rebuild=self._request.rebuild)

    def _indexed_state(self, target: Target | None) -> IndexedState:
        deleted = frozenset() if self._request.restore else self._deleted
        return indexed_state(self._parts.index, target, self._parts.project.id, deleted)

    def _execute(
        self, plan: Plan, target: Target, state: CurrentState, truth: IndexedState
    ) -> None:
        todo = mixed(plan.process[: self._request.limit])
        self._record.start(len(todo) + len(plan.update_citation) + len(plan.rematch))
        parts = self._parts
        chunks = ChunkWriter(
            project_id=parts.project.id,
            index=parts.index,
            name=target.name,
            machine=parts.machine() if parts.machine else None,
            chunking=chunking_settings(parts.project.chunking),
        )
        cleanup = Cleanup(run=self._run, target=target, chunks=chunks)
        writer = Writer(
            run=self._run,
            chunks=chunks,
            cleanup=cleanup,
            state=state,
            stored=truth.stored.keys(),
            reading=lambda document: parts.reading(requested_ocr(document, parts)),
        )
        updates = MetadataUpdates(run=self._run, chunks=chunks, cleanup=cleanup)
        if self._request.restore:
            restored = self._deleted & {document.doc_id for document in plan.process}
            self._parts.manifest.remove_tombstones(self._parts.project.id, *restored)
            self._deleted -= restored
        updates.update_locations(plan.update_location)
        if todo:
            self._index(todo, writer, target)
            self._record.note(not_optimized=optimize_stored(parts.index, target.name))
        for start in range(0, len(plan.update_citation), BATCH):
            if self._stops_before(plan.update_citation[start:]):
                break
            updates.update_citations(plan.update_citation[start : start + BATCH], state.references)
        self._rematch(plan.rematch, writer, updates, state)
        contesting = shared_references.documents_sharing_reference(
            self._catalogue.entries.values(), self._parts.files
        )
        self._rematch(contesting, writer, updates, state)
        self._clean_up(plan, cleanup)
        if target.staged:
            self._promote(cleanup)

    # -- documents

    def _index(self, todo: list[PlannedDocument], writer: Writer, target: Target) -> None:
        """Prepare and store documents; those whose file changes meanwhile are read again.

        However it ends, documents that were not tried keep their entries.
        """
        bound = None if target.staged else self._parts.index.binding(target.collection)
        check_before_work(self._run, bound)
        self._catalogue.mark(Status.PENDING, *todo)
        remaining = todo
        try:
            for tries in range(1, _TRIES + 1):
                changed = self._index_once(remaining, writer, is_last=tries == _TRIES)
                remaining = list(self._hashed_anew(changed, writer))
                if not remaining or self._stops_before(remaining):
                    break
            writer.store_all()
        finally:
            with suppress(CiteloomError):  # what ended the run is what is raised
                self._catalogue.put_back(todo, stored=writer.taken_up)

    def _index_once(
        self, todo: Sequence[PlannedDocument], writer: Writer, *, is_last: bool
    ) -> list[PlannedDocument]:
        """Prepare and store documents once; returns those whose file has changed, except at the
        last try.
        """
        changed: list[PlannedDocument] = []
        with closing(
            prepared(
                self._run,
                todo,
                begin=lambda document: self._catalogue.mark(Status.PROCESSING, document),
                between=writer.store_if_due,
            )
        ) as outcomes:
            for done, (document, result) in enumerate(outcomes, start=1):
                if not isinstance(result, Failure):
                    self._record.ready(document.file.name)
                    writer.store(document, result)
                elif isinstance(result.error, SourceChanged) and not is_last:
                    changed.append(document)
                else:
                    writer.fail(document, result.error, result.seconds)
                if self._stops_before(todo[done:]):
                    break
        return changed

    def _hashed_anew(
        self, documents: Iterable[PlannedDocument], writer: Writer
    ) -> Iterable[PlannedDocument]:
        for document in documents:
            try:
                content_hash = self._parts.files.content_hash(document.file.path)
            except CiteloomError as error:
                writer.fail(document, error)
            else:
                yield replace(document, content_hash=content_hash)

    def _rematch(
        self,
        documents: list[PlannedDocument],
        writer: Writer,
        updates: MetadataUpdates,
        state: CurrentState,
    ) -> None:
        """Match unchanged documents against changed references; only the citation is rewritten."""
        if not documents or self._stops_before(documents):
            return
        self._parts.tools.references.references()
        with closing(
            results(self._run, rematch, documents, begin=lambda _: None, between=lambda: None)
        ) as outcomes:
            for done, (document, result) in enumerate(outcomes, start=1):
                if isinstance(result, Failure):
                    writer.fail(document, result.error, result.seconds)
                else:
                    updates.rematched(document, result.citation, result.labels, state.references)
                if self._stops_before(documents[done:]):
                    return

    def _stops_before(self, remaining: Sequence[object]) -> bool:
        """Whether the run was asked to stop and leaves something undone."""
        stops = bool(remaining) and self._request.cancellation.requested
        if stops:
            self._record.note(interrupted=True)
        return stops

    # -- tidying

    def _clean_up(self, plan: Plan, cleanup: Cleanup) -> None:
        """Record duplicates and moves, and prune where the request says so."""
        self._fail_alike(plan)
        self._record_duplicates(plan)
        standing = [pair for pair in plan.duplicates if self._catalogue.is_indexed(pair[1])]
        cleanup.drop([document.previous for document, _ in standing if document.previous])
        self._catalogue.duplicates(standing)
        self._catalogue.remove_moved(plan.moved)
        self._prune(plan, cleanup)
        cleanup.delete_leftovers()
        references = self._parts.tools.references
        self._record.note(without_references=not references.fingerprint)
        outcomes = self._record.outcomes
        if any(outcome.match for outcome in outcomes.values()):
            new = [
                name
                for name, outcome in outcomes.items()
                if outcome.state is OutcomeState.INDEXED or outcome.cites_anew
            ]
            own = references.diagnostics(self._catalogue.citekeys(new))
            others = len(references.diagnostics()) - len(own)
            self._record.note(reference_diagnostics=own, other_reference_diagnostics=others)

    def _record_duplicates(self, plan: Plan) -> None:
        for document, first in plan.duplicates:
            self._record.set(document.file.name, state=OutcomeState.DUPLICATE, same_as=first)

    def _prune(self, plan: Plan, cleanup: Cleanup) -> None:
        """Delete documents without a file or out of the selection, where the request says so."""
        requested = self._removals(plan)
        if requested and not self._stops_before(requested):
            removed, withheld = divide_removals(self._run, requested)
            cleanup.prune([entry for entry in removed if entry.origin is None])
            cleanup.prune([entry for entry in removed if entry.origin is not None])
            self._record.note(withheld=tuple(withheld))

    def _removals(self, plan: Plan) -> list[ManifestEntry]:
        """The documents that the request asks to remove."""
        without_file = plan.without_file if self._request.prune else []
        left = plan.left if self._request.prune or self._request.drop_left else []
        return [*without_file, *left]

    def _fail_alike(self, plan: Plan) -> None:
        """Record the failures of documents whose content failed under another path."""
        alike = [
            (document, self._catalogue.entries[first])
            for document, first in plan.duplicates
            if self._catalogue.has_failed(first, document.content_hash)
        ]
        failed = {document.file.name for document, _ in alike}
        plan.duplicates = [pair for pair in plan.duplicates if pair[0].file.name not in failed]
        self._catalogue.failed_alike([*plan.failed_before, *alike])
        for document, entry in alike:
            failure = failure_of(document, entry)
            self._record.set(failure.path, state=OutcomeState.FAILED, failure=failure)

    def _promote(self, cleanup: Cleanup) -> None:
        """Swap the rebuilt collection in if nothing the old one holds would be lost."""
        cleanup.delete_documents(self._deleted)
        not_rebuilt, of_others = cleanup.not_rebuilt()
        if not not_rebuilt:
            self._parts.index.promote(self._parts.project.collection)
        self._record.note(
            promoted=not not_rebuilt,
            left_behind=not_rebuilt,
            left_behind_of_other_machines=of_others,
        )


# The use case `ingest`: a project's documents, converted, matched, chunked, embedded, stored.


def ingest(parts: IngestParts, request: IngestRequest, send: ReadEvent = no_reader) -> IngestReport:
    """Index a project's documents; what happens is sent to `send`.

    What is reported as indexed is stored and survives a power cut. After a killed run the next one
    processes the documents that are not recorded as indexed; since chunk ids are deterministic,
    nothing is stored twice.

    Raises `ConfigError` without sources, `EmbeddingMismatch` for a collection of other models,
    `ModelUnavailable` before any work when a model is missing, `IndexLocked` at once while another
    process changes the project. A dry run only plans: nothing is sent or indexed. To estimate the
    cost of a remote model its documents are converted, and these conversions are cached.
    """
    try:
        if request.dry_run:
            with closing(parts.executor):
                return IngestRun(parts, request, send).dry_run()
        with parts.lease.hold(parts.project.id, waiting=request.waiting):
            Deletion(project=parts.project, index=parts.index, manifest=parts.manifest).finish()
            with closing(parts.executor):
                return IngestRun(parts, request, send).execute()
    finally:
        send(RunEnded())
