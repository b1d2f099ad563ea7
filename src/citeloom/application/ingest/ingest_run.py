"""The use case `ingest`: one run, from request to report."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from uuid import uuid4

from citeloom.application.collection import (
    Target,
    current_target,
    make_target,
    stored_documents,
)
from citeloom.application.delete import finish_deletions
from citeloom.application.disk_space import NEW_INDEX, check_room, likely_chunks
from citeloom.application.events import ReadEvent, RunEnded, no_reader
from citeloom.application.ingest.cleanup import Cleanup, divide_removals
from citeloom.application.ingest.execute import (
    check_before_work,
    index_documents,
    mixed,
    rematch_documents,
    unembedded,
)
from citeloom.application.ingest.fingerprints import chunking_settings
from citeloom.application.ingest.manifest_editor import ManifestEditor
from citeloom.application.ingest.plan import (
    CurrentState,
    IngestParts,
    Plan,
    PlannedDocument,
    documents_sharing_reference,
    make_plan,
)
from citeloom.application.ingest.record import RunContext, RunRecord
from citeloom.application.ingest.write import BATCH, ChunkWriter, Writer
from citeloom.application.ports.embedders import EmbeddingUsage, usage_of
from citeloom.application.ports.sources import FoundFile, SourceListing
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.reports import DocumentFailure, IngestReport, OutcomeState
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.errors import (
    CiteloomError,
    ConfigError,
    DiskFull,
    IndexUnavailable,
    SourceUnavailable,
)


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
                return _dry_run(_context(parts, request, send))
        with parts.lease.hold(parts.project.id, waiting=request.waiting):
            finish_deletions(parts.project)
            with closing(parts.executor):
                return _run(_context(parts, request, send))
    finally:
        send(RunEnded())


def _run(run: RunContext) -> IngestReport:
    """Find, plan, prepare, store, tidy up, and report what was done."""
    parts, project, request, record = run.parts, run.project, run.request, run.record
    started, used = project.clock.monotonic(), usage_of(parts.remote)
    listing = _list_sources(run)
    target = current_target(project, rebuild=request.rebuild)
    if target is None:
        _check_room(run, listing.files, more=NEW_INDEX)
        first = None
        with suppress(CiteloomError):  # that it cannot be read is reported when it is planned
            for file in listing.files[:1]:
                content_hash = project.files.content_hash(file.path)
                first = PlannedDocument(file=file, content_hash=content_hash)
        check_before_work(run, first)
        target = make_target(project, parts.tools.dense)
    state = _current_state(run, target)
    plan = _plan(run, listing, state)
    for document, error in plan.unreadable:
        run.manifest.failed(document, error, "", {})
    _check_room(run, [document.file for document in plan.process])

    todo = mixed(plan.process[: request.limit])
    record.start(len(todo) + len(plan.update_citation) + len(plan.rematch))
    chunks = ChunkWriter(
        project_id=project.id,
        index=project.index,
        name=target.name,
        machine=parts.machine() if parts.machine else None,
        chunking=chunking_settings(project.settings.chunking),
    )
    writer = Writer(run=run, chunks=chunks, state=state)
    if request.restore:
        restored = _deleted(parts) & {document.doc_id for document in plan.process}
        project.manifest.remove_tombstones(project.id, *restored)
    writer.update_locations(plan.update_location)
    if todo:
        index_documents(run, todo, writer, target)
        record.note(not_optimized=optimize_stored(project.index, target.name))
    for start in range(0, len(plan.update_citation), BATCH):
        if run.stops_before(plan.update_citation[start:]):
            break
        writer.update_citations(plan.update_citation[start : start + BATCH])
    rematch_documents(run, plan.rematch, writer)
    rematch_documents(
        run, documents_sharing_reference(run.manifest.entries.values(), project.files), writer
    )
    _clean_up(run, plan, Cleanup(writer=writer, target=target))
    if _may_calibrate(run) and parts.calibrate is not None:
        asked = bool(request.calibrate)
        record.note(calibration=parts.calibrate(request.cancellation, asked))

    record.note(usage=usage_of(parts.remote).since(used))
    record.spend("total", project.clock.monotonic() - started)
    report = record.report()
    parts.audit.append(project.id, report.as_dict())
    return report


def _dry_run(run: RunContext) -> IngestReport:
    """Plan the run and report the plan; nothing is changed. To estimate the usage of a remote model
    the documents are prepared. Raises `InvalidReferences` as a run would.
    """
    parts, record = run.parts, run.record
    parts.tools.references.references()
    listing = _list_sources(run)
    target = current_target(parts.project, rebuild=run.request.rebuild)
    plan = _plan(run, listing, _current_state(run, target))
    moved = (document.file.name for document, _ in plan.update_location)
    record.set_all(OutcomeState.PENDING, moved)
    _record_duplicates(run, plan)
    _, withheld = divide_removals(run, _removals(run.request, plan))
    record.note(withheld=tuple(withheld))
    todo = plan.process[: run.request.limit]
    if parts.remote is not None and todo:
        record.start(len(todo))
        usage = EmbeddingUsage()
        with closing(unembedded(run, todo)) as documents:
            for document in documents:
                usage += parts.remote.estimate(document.texts)
        record.note(usage=usage)
    return record.report()


def _context(parts: IngestParts, request: IngestRequest, send: ReadEvent) -> RunContext:
    project = parts.project.settings
    if request.ocr_again and parts.ocr_languages is None:
        raise ConfigError(
            "OCR is off, so that no page can be read again",
            "Leave --no-ocr out, or set ocr = true under [conversion].",
        )
    parts = replace(parts, ocr_again=request.ocr_again)
    report = IngestReport(
        project=project.id,
        collection=project.collection,
        models={"dense": project.embedding_model, "sparse": project.bound_sparse_model},
        run_id=uuid4().hex[:12],
        dry_run=request.dry_run,
        sends_text_to=project.sends_text_to,
        zotero=request.reading,
    )
    return RunContext(
        parts=parts,
        request=request,
        manifest=ManifestEditor(parts.project),
        record=RunRecord(
            report, send, has_references=lambda: bool(parts.tools.references.fingerprint)
        ),
    )


def _check_room(run: RunContext, files: Sequence[FoundFile], *, more: int = 0) -> None:
    """Raise `DiskFull` unless there is room for the documents that are taken up."""
    files_of_run = files[: run.request.limit]
    check_room(run.parts.space, sum(map(likely_chunks, files_of_run)), more=more)


def optimize_stored(index: VectorIndex, name: str) -> str | None:
    """Optimise a collection; the reason if that is not possible now, which loses nothing."""
    try:
        index.optimize(name)
    except (DiskFull, IndexUnavailable) as error:
        return error.message
    return None


# What a run finds, and what it has to do.


def _list_sources(run: RunContext) -> SourceListing:
    """The files of the sources, and for a rebuild those of every document there is.

    Raises `ConfigError` where there are no sources.
    """
    request, parts, record = run.request, run.parts, run.record
    sources = request.files or (parts.project.settings.sources if not request.reading else ())
    entries = run.manifest.entries.values()
    rebuilt = [e.path for e in entries if e.origin is None] if request.rebuild else []
    if request.reading is None and request.rebuild and any(entry.origin for entry in entries):
        raise ConfigError(
            f"project '{run.project.id}' holds documents of Zotero, which a rebuild reads",
            f"Rebuild it with: citeloom ingest --project {run.project.id} --zotero --rebuild",
        )
    if request.reading is None and not sources and not rebuilt:
        raise ConfigError(
            f"nothing to ingest: project '{run.project.id}' has no sources",
            "Name files or folders, set sources in citeloom.toml, or ask for --zotero.",
        )
    listing = parts.project.files.find((*sources, *rebuilt), parts.tools.converter.suffixes)
    record.note(
        sources=() if request.reading else tuple(sources),
        found=len(listing.files),
        ignored=listing.ignored,
        other_kinds=dict(listing.other_kinds),
        passed_over=tuple(listing.skipped),
        unreadable=tuple(u for u in listing.unreadable if u.name not in sources),
    )
    for file in listing.unreadable:
        if file.name in sources:
            error = SourceUnavailable(file.reason, "Check its permissions.")
            record.failed(DocumentFailure.of(file.name, error))
    absent = SourceUnavailable("no such file or folder", "Check the path.")
    for source in listing.missing:
        if source not in rebuilt:
            record.failed(DocumentFailure.of(source, absent))
    return listing


def _current_state(run: RunContext, target: Target | None) -> CurrentState:
    """The state of the target, which is opened, so that an unusable one raises now."""
    parts = run.parts
    deleted = frozenset() if run.request.restore else _deleted(parts)
    if target is None:
        return CurrentState(parts=parts, deleted=deleted)
    return CurrentState(
        parts=parts,
        generation=target.generation,
        stored=stored_documents(parts.project.index, target.name, parts.project.id),
        deleted=deleted,
    )


def _deleted(parts: IngestParts) -> frozenset[str]:
    tombstones = parts.project.manifest.tombstones(parts.project.id)
    return frozenset(tombstone.doc_id for tombstone in tombstones)


def _plan(run: RunContext, listing: SourceListing, state: CurrentState) -> Plan:
    """The plan of the run, by the manifest as verified against the index."""
    entries, record = run.manifest.entries, run.record
    plan = make_plan(run.request, listing, entries, state)
    deleted = plan.exclude(state.deleted)
    for document, error in plan.unreadable:
        record.failed(DocumentFailure.of(document.file.name, error))
    todo = (*plan.process, *plan.update_citation, *plan.rematch)
    record.set_all(OutcomeState.UNCHANGED, plan.unchanged)
    record.set_all(OutcomeState.PENDING, (document.file.name for document in todo))
    record.set_all(OutcomeState.DELETED, deleted)
    record.set_all(OutcomeState.WITHOUT_FILE, (entry.path for entry in plan.without_file))
    record.set_all(OutcomeState.LEFT, (entry.path for entry in plan.left))
    for document, entry in plan.failed_before:
        _record_failure(run, document, entry, OutcomeState.FAILED_BEFORE)
    lost = {path for path, entry in entries.items() if state.lost(entry)}
    for document in plan.process:
        if document.file.name in lost:
            record.set(document.file.name, was_missing=True)
    return plan


def _record_failure(
    run: RunContext, document: PlannedDocument, entry: ManifestEntry, state: OutcomeState
) -> None:
    name = document.file.name
    failure = DocumentFailure(path=name, code=entry.error_code or "", message=entry.error or "")
    run.record.set(name, state=state, failure=failure)


# What is tidied up at the end.


def _clean_up(run: RunContext, plan: Plan, cleanup: Cleanup) -> None:
    """Record duplicates and moves, prune where the request says so, and swap a rebuilt collection
    in. A document whose content failed under another path has failed, too.
    """
    alike = [
        (document, run.manifest.entries[first])
        for document, first in plan.duplicates
        if run.manifest.has_failed(first, document.content_hash)
    ]
    failed = {document.file.name for document, _ in alike}
    plan.duplicates = [pair for pair in plan.duplicates if pair[0].file.name not in failed]
    run.manifest.failed_alike([*plan.failed_before, *alike])
    for document, entry in alike:
        _record_failure(run, document, entry, OutcomeState.FAILED)
    _record_duplicates(run, plan)
    standing = [pair for pair in plan.duplicates if run.manifest.is_indexed(pair[1])]
    cleanup.writer.drop([document.previous for document, _ in standing if document.previous])
    run.manifest.duplicates(standing)
    run.manifest.remove_moved(plan.moved)
    requested = _removals(run.request, plan)
    if requested and not run.stops_before(requested):
        removed, withheld = divide_removals(run, requested)
        cleanup.prune([entry for entry in removed if entry.origin is None])
        cleanup.prune([entry for entry in removed if entry.origin is not None])
        run.record.note(withheld=tuple(withheld))
    cleanup.delete_leftovers()
    _note_references(run)
    if cleanup.target.staged:
        cleanup.promote(_deleted(run.parts))


def _may_calibrate(run: RunContext) -> bool:
    request, configured = run.request, run.project.settings.retrieval.calibrate
    allowed = configured if request.calibrate is None else request.calibrate
    return allowed and not request.cancellation.requested


def _record_duplicates(run: RunContext, plan: Plan) -> None:
    for document, first in plan.duplicates:
        run.record.set(document.file.name, state=OutcomeState.DUPLICATE, same_as=first)


def _removals(request: IngestRequest, plan: Plan) -> list[ManifestEntry]:
    without_file = plan.without_file if request.prune else []
    left = plan.left if request.prune or request.drop_left else []
    return [*without_file, *left]


def _note_references(run: RunContext) -> None:
    """Record what is wrong with the references of documents that were given them in this run."""
    references, outcomes = run.parts.tools.references, run.record.outcomes
    run.record.note(without_references=not references.fingerprint)
    if any(outcome.match for outcome in outcomes.values()):
        new = [
            name
            for name, outcome in outcomes.items()
            if outcome.state is OutcomeState.INDEXED or outcome.cites_anew
        ]
        diagnostics = references.diagnostics(run.manifest.citekeys(new))
        further = len(references.diagnostics()) - len(diagnostics)
        run.record.note(reference_diagnostics=diagnostics, other_reference_diagnostics=further)
