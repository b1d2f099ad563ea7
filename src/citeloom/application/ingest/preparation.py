"""Documents given to the executor, and taken from it in their turn."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TypeVar, cast

from citeloom.application.ingest.events import Converted
from citeloom.application.ingest.images import wanted_reading
from citeloom.application.ingest.journal import Journal
from citeloom.application.ingest.parts import IngestParts
from citeloom.application.ingest.plan import PlannedDocument
from citeloom.application.ingest.prepare import DocumentTask, ToolsTask, check_tools
from citeloom.application.ingest.tools import Tools
from citeloom.application.ports.document_converter import Source
from citeloom.application.ports.executor import Outcome, Told, Work
from citeloom.domain.errors import (
    CiteloomError,
    ConfigError,
    DiskFull,
    IndexLocked,
    IndexUnavailable,
    InvalidReferences,
    ModelUnavailable,
)

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
    """Why a document has no result, and the seconds of work no stage has told of."""

    error: CiteloomError
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """Has work done on documents, on several at a time where the executor can.

    Documents are converted `afresh` where what is kept of earlier conversions is not trusted.
    """

    parts: IngestParts
    journal: Journal
    afresh: bool

    def check_tools(self) -> None:
        """Raise what is amiss with models and references, before hours of work."""
        task = ToolsTask(project=self.parts.project)
        with closing(self.parts.executor.run(check_tools, [task])) as updates:
            for update in updates:
                if isinstance(update, Outcome) and update.error is not None:
                    raise update.error

    def results(
        self,
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
                yield self._task(document)

        remaining = iter(documents)
        with closing(self.parts.executor.run(work, tasks())) as updates:
            for update in updates:
                if isinstance(update, Told):
                    self.journal.hold(update.task.path, update.event)
                else:
                    settled = _result_of(update, self.journal.settle(update.task.path))
                    yield next(remaining), settled
                between()

    def _task(self, document: PlannedDocument) -> DocumentTask:
        source = Source(
            path=document.file.path,
            doc_id=document.doc_id,
            content_hash=document.content_hash,
            ocr=wanted_reading(document, self.parts),
            afresh=self.afresh,
        )
        return DocumentTask(
            source=source,
            path=document.file.name,
            project=self.parts.project,
            citation=document.file.citation,
            origin=document.origin,
            least=self.parts.ocr_min_confidence,
            shares_reference=document.shares_reference,
        )


def _result_of(
    outcome: Outcome[DocumentTask, ResultT], told: Iterable[object]
) -> ResultT | Failure:
    """The result, or why there is none; raises the error if it is one of the run."""
    if isinstance(outcome.error, _OF_THE_RUN):
        raise outcome.error
    if outcome.error is None:
        return cast("ResultT", outcome.result)
    is_told = any(isinstance(event, Converted) for event in told)
    return Failure(error=outcome.error, seconds=0.0 if is_told else outcome.seconds)
