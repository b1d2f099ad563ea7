"""Preparing documents in the executor, with their results in order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TypeVar, cast

from citeloom.application.collection import check_dimension
from citeloom.application.ingest.context import RunContext, Tools
from citeloom.application.ingest.document_metadata import requested_ocr
from citeloom.application.ingest.plan import PlannedDocument
from citeloom.application.ingest.prepare import (
    DocumentTask,
    PreparedDocument,
    ToolsTask,
    UnembeddedDocument,
    check_tools,
    prepare,
)
from citeloom.application.outcomes import DocumentOutcome
from citeloom.application.ports.conversion import SourceFile
from citeloom.application.ports.runtime import Outcome, StageBegun, TaskEvent, Work
from citeloom.domain.errors import (
    CiteloomError,
    ConfigError,
    DiskFull,
    IndexLocked,
    IndexUnavailable,
    InvalidReferences,
    ModelUnavailable,
    TextRefused,
)
from citeloom.domain.project import Collection

_OF_THE_RUN = (
    ConfigError,
    DiskFull,
    IndexLocked,
    IndexUnavailable,
    InvalidReferences,
    ModelUnavailable,
)

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a document has no result, and the seconds of work that no event has reported."""

    error: CiteloomError
    seconds: float


def check_before_work(run: RunContext, bound: Collection | None = None) -> None:
    """Check models and references before hours of work, and that a remote model's vectors have
    the dimension of the collection's; raises what is wrong.
    """
    task = ToolsTask(project=run.parts.project)
    with closing(run.parts.executor.run(check_tools, [task])) as updates:
        for update in updates:
            if isinstance(update, Outcome) and update.error is not None:
                raise update.error
    if run.parts.project.remote is not None:
        dimension = run.parts.tools.dense.dimension
        if bound is not None:
            check_dimension(bound, dimension)


def prepared(
    run: RunContext,
    documents: Sequence[PlannedDocument],
    *,
    begin: Callable[[PlannedDocument], None],
    between: Callable[[], None],
) -> Generator[tuple[PlannedDocument, PreparedDocument | Failure], None, None]:
    """As `results`, each document with its chunks and their vectors."""
    every = results(run, prepare, documents, begin=begin, between=between)
    with closing(every) as settled:
        for document, result in settled:
            if isinstance(result, UnembeddedDocument):
                yield document, _embedded(run, document, result)
            else:
                yield document, result


def unembedded(
    run: RunContext, documents: Sequence[PlannedDocument]
) -> Generator[UnembeddedDocument, None, None]:
    """The documents that can be prepared, without the vectors of a remote model; nothing is
    sent, stored or recorded.
    """
    with closing(
        run.parts.executor.run(prepare, (_task(run, document) for document in documents))
    ) as updates:
        for update in updates:
            if isinstance(update, TaskEvent):
                run.record.take(update.task.path, update.event)
                continue
            code = update.error.code if update.error else None
            run.record.counted(update.task.path, code)
            if isinstance(update.result, UnembeddedDocument):
                yield update.result


def _embedded(
    run: RunContext, document: PlannedDocument, result: UnembeddedDocument
) -> PreparedDocument | Failure:
    """The document with vectors of the service, or why the service refuses it.

    Raises what concerns not one document but the run.
    """
    clock, record, name = run.parts.clock, run.record, document.file.name
    started = clock.monotonic()
    record.take(name, StageBegun("embed", len(result.chunks)))
    try:
        completed = result.completed(run.parts.tools.dense.embed_passages(result.texts))
    except TextRefused as error:
        return Failure(error=error, seconds=0.0)
    record.embedded(name, len(result.chunks), clock.monotonic() - started)
    return completed


def results(
    run: RunContext,
    work: Work[DocumentTask, Tools, ResultT],
    documents: Sequence[PlannedDocument],
    *,
    begin: Callable[[PlannedDocument], None],
    between: Callable[[], None],
) -> Generator[tuple[PlannedDocument, ResultT | Failure], None, None]:
    """Each document with its result, in order. `begin` is called with each that is taken up,
    `between` whenever there is news.

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
                learnt = run.record.settle(update.task.path)
                result: ResultT | Failure = _result_of(update, learnt)
                yield next(remaining), result
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
        project=run.parts.project,
        citation=document.file.citation,
        origin=document.origin,
        least=run.parts.ocr_min_confidence,
        shares_reference=document.shares_reference,
    )


def _result_of(outcome: Outcome[DocumentTask, ResultT], work: DocumentOutcome) -> ResultT | Failure:
    """The result, or why there is none; raises the error if it is one of the run."""
    if isinstance(outcome.error, _OF_THE_RUN):
        raise outcome.error
    if outcome.error is None:
        return cast("ResultT", outcome.result)
    seconds = 0.0 if "convert" in work.seconds else outcome.seconds
    return Failure(error=outcome.error, seconds=seconds)
