"""Documents prepared in workers, and stored in their order as they come."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from typing import TypeVar

from citeloom.application.collection import Target
from citeloom.application.ingest.plan import PlannedDocument, requested_ocr
from citeloom.application.ingest.prepare import (
    DocumentTask,
    PreparedDocument,
    Tools,
    ToolsTask,
    check_tools,
    prepare,
    rematch,
)
from citeloom.application.ingest.record import RunContext
from citeloom.application.ingest.write import Writer
from citeloom.application.open_project import check_dimension
from citeloom.application.ports.conversion import SourceFile
from citeloom.application.ports.runtime import Outcome, StageBegun, TaskEvent, Work
from citeloom.domain.documents.manifest import Status
from citeloom.domain.errors import (
    CiteloomError,
    ConfigError,
    DiskFull,
    IndexLocked,
    IndexUnavailable,
    InvalidReferences,
    ModelUnavailable,
    SourceChanged,
    TextRefused,
)
from citeloom.domain.project import Collection

_TRIES = 3
"""How often a file is tried that changes while it is read."""

_OF_THE_RUN = (
    ConfigError,
    DiskFull,
    IndexLocked,
    IndexUnavailable,
    InvalidReferences,
    ModelUnavailable,
)
"""Errors that concern not one document but the run."""

_GOLDEN_RATIO = (5**0.5 - 1) / 2

T = TypeVar("T")


def check_before_work(
    run: RunContext, first: PlannedDocument | None, bound: Collection | None = None
) -> None:
    """Check models and references before hours of work, where `first` of the documents is going to
    be worked on, and that a remote model's vectors have the dimension of the collection's; raises
    what is wrong.
    """
    task = ToolsTask(run.project.settings, _task(run, first).source if first else None)
    with closing(run.parts.executor.run(check_tools, [task])) as updates:
        for update in updates:
            if isinstance(update, Outcome) and update.error is not None:
                raise update.error
    if run.project.settings.remote is not None:
        dimension = run.parts.tools.dense.dimension
        if bound is not None:
            check_dimension(bound, dimension)


def index_documents(
    run: RunContext, documents: Sequence[PlannedDocument], writer: Writer, target: Target
) -> None:
    """Prepare and store documents; those whose file changes meanwhile are read again.

    However it ends, documents that were not tried keep their entries.
    """
    bound = None if target.staged else run.project.index.binding(target.collection)
    check_before_work(run, documents[0], bound)
    run.manifest.mark(Status.PENDING, *documents)
    remaining = documents
    try:
        for tries in range(1, _TRIES + 1):
            remaining = _index_once(run, remaining, writer, is_last=tries == _TRIES)
            if not remaining or run.stops_before(remaining):
                break
        writer.store_all()
    finally:
        with suppress(CiteloomError):  # what ended the run is what is raised
            run.manifest.put_back(documents, stored=writer.taken_up)


def _index_once(
    run: RunContext, documents: Sequence[PlannedDocument], writer: Writer, *, is_last: bool
) -> list[PlannedDocument]:
    """Prepare and store documents; returns those whose file has changed, hashed anew."""
    changed: list[PlannedDocument] = []
    outcomes = _outcomes(
        run,
        prepare,
        documents,
        begin=lambda document: run.manifest.mark(Status.PROCESSING, document),
        between=writer.store_if_due,
    )
    with closing(outcomes) as settled:
        for done, (document, outcome) in enumerate(settled, start=1):
            prepared, error = outcome.result, outcome.error
            if prepared is not None and run.project.settings.remote is not None:
                prepared, error = _embed(run, document, prepared)
            if prepared is not None:
                run.record.ready(document.file.name)
                writer.store(document, prepared)
            elif isinstance(error, SourceChanged) and not is_last:
                changed.append(document)
            elif error is not None:
                writer.fail(document, error, outcome.seconds)
            if run.stops_before(documents[done:]):
                break
    remaining = []
    for document in changed:
        try:
            content_hash = run.project.files.content_hash(document.file.path)
        except CiteloomError as error:
            writer.fail(document, error)
        else:
            remaining.append(replace(document, content_hash=content_hash))
    return remaining


def rematch_documents(
    run: RunContext, documents: Sequence[PlannedDocument], writer: Writer
) -> None:
    """Match unchanged documents against changed references; only the citation is rewritten."""
    if not documents or run.stops_before(documents):
        return
    run.parts.tools.references.references()
    with closing(_outcomes(run, rematch, documents)) as settled:
        for done, (document, outcome) in enumerate(settled, start=1):
            if outcome.error is not None:
                writer.fail(document, outcome.error, outcome.seconds)
            elif outcome.result is not None:
                writer.rematched(document, outcome.result)
            if run.stops_before(documents[done:]):
                return


def unembedded(
    run: RunContext, documents: Sequence[PlannedDocument]
) -> Generator[PreparedDocument, None, None]:
    """The documents without vectors of a remote model; nothing is sent, stored or recorded."""
    tasks = (_task(run, document) for document in documents)
    with closing(run.parts.executor.run(prepare, tasks)) as updates:
        for update in updates:
            if isinstance(update, TaskEvent):
                run.record.take(update.task.path, update.event)
                continue
            code = update.error.code if update.error else None
            run.record.counted(update.task.path, code)
            if update.result is not None:
                yield update.result


def mixed(documents: Sequence[T]) -> list[T]:
    """The documents in an order in which those done at any time are a fair sample of them all.

    Neighbours in a listing are alike, such as the papers of a journal: in their order, the time of
    the first would not predict the time of the rest.
    """
    places = sorted(range(len(documents)), key=lambda place: place * _GOLDEN_RATIO % 1)
    return [documents[place] for place in places]


# What workers give back, and what a service adds to it.


def _outcomes(
    run: RunContext,
    work: Work[DocumentTask, Tools, T],
    documents: Sequence[PlannedDocument],
    *,
    begin: Callable[[PlannedDocument], None] = lambda _document: None,
    between: Callable[[], None] = lambda: None,
) -> Generator[tuple[PlannedDocument, Outcome[DocumentTask, T]], None, None]:
    """Each document with its outcome, in order; the outcome has no seconds that an event has
    reported. `begin` is called with each that is taken up, `between` whenever there is news.

    Raises what concerns not one document but the run.
    """

    def tasks() -> Iterator[DocumentTask]:
        for document in documents:
            begin(document)
            yield _task(run, document)

    remaining = iter(documents)
    with closing(run.parts.executor.run(work, tasks())) as updates:
        for update in updates:
            if isinstance(update, TaskEvent):
                run.record.take(update.task.path, update.event)
            else:
                reported = "convert" in run.record.settle(update.task.path).seconds
                if isinstance(update.error, _OF_THE_RUN):
                    raise update.error
                yield next(remaining), replace(update, seconds=0.0) if reported else update
            between()


def _task(run: RunContext, document: PlannedDocument) -> DocumentTask:
    source = SourceFile(
        path=document.file.path,
        doc_id=document.doc_id,
        content_hash=document.content_hash,
        ocr=requested_ocr(document, run.parts),
        ignore_cache=run.request.force,
    )
    return DocumentTask(
        source=source,
        path=document.file.name,
        project=run.project.settings,
        citation=document.file.citation,
        origin=document.origin,
        min_confidence=run.parts.ocr_min_confidence,
        shares_reference=document.shares_reference,
    )


def _embed(
    run: RunContext, document: PlannedDocument, prepared: PreparedDocument
) -> tuple[PreparedDocument | None, TextRefused | None]:
    """The document with vectors of the service, or why the service refuses it.

    Raises what concerns not one document but the run.
    """
    clock, record, name = run.project.clock, run.record, document.file.name
    started = clock.monotonic()
    record.take(name, StageBegun("embed", len(prepared.chunks)))
    try:
        completed = prepared.completed(run.parts.tools.dense.embed_passages(prepared.texts))
    except TextRefused as error:
        return None, error
    record.embedded(name, len(prepared.chunks), clock.monotonic() - started)
    return completed, None
