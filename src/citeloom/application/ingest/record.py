"""The record of a run: the outcome of each document so far, and the events that are sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citeloom.application.events import (
    DocumentDone,
    ReadEvent,
    RunStarted,
    StageReached,
    WorkDone,
)
from citeloom.application.ingest.manifest_editor import ManifestEditor
from citeloom.application.ingest.plan import IngestParts
from citeloom.application.ingest.prepare import PreparedDocument
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.runtime import ChunksEmbedded, PageBegun, StageBegun
from citeloom.application.reports import (
    DocumentFailure,
    DocumentOutcome,
    IngestReport,
    OutcomeState,
)
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.manifest import ManifestEntry, Status

_NOT_DONE = DocumentOutcome()


class RunRecord:
    """Collects what a run does to each document, and sends its events to one reader.

    What is learnt while a document is prepared beside others counts once that document is settled,
    so that a report does not depend on how the work was spread.
    """

    def __init__(
        self,
        report: IngestReport,
        send: ReadEvent,
        *,
        has_references: Callable[[], bool] = lambda: True,
    ) -> None:
        self.outcomes: dict[str, DocumentOutcome] = {}
        self._report = report
        self._send = send
        self._has_references = has_references
        self._in_work: dict[str, DocumentOutcome] = {}
        self._pages: dict[str, int] = {}

    # -- the report

    def report(self) -> IngestReport:
        return replace(self._report, outcomes=dict(self.outcomes))

    def note(self, **facts: Any) -> None:
        """Record fields of the report that concern no single document."""
        self._report = replace(self._report, **facts)

    def spend(self, stage: str, seconds: float) -> None:
        """Record time that documents share."""
        spent = self._report.run_seconds
        self.note(run_seconds={**spent, stage: spent.get(stage, 0.0) + seconds})

    def chunks_removed(self, chunks: int) -> None:
        self.note(chunks_removed=self._report.chunks_removed + chunks)

    def set(self, document: str, **fields: Any) -> None:
        self.outcomes[document] = replace(self.outcomes.get(document, _NOT_DONE), **fields)

    def set_all(self, state: OutcomeState, documents: Iterable[str]) -> None:
        alone = replace(_NOT_DONE, state=state)
        for document in documents:
            if document in self.outcomes:
                self.set(document, state=state)
            else:
                self.outcomes[document] = alone

    # -- a document in work

    def start(self, documents: int) -> None:
        self._send(RunStarted(total=documents))

    def take(self, document: str, event: object) -> None:
        match event:
            case PageBegun():
                self._send_pages(document, event.page)
            case StageBegun():
                self._send(StageReached(document=document, stage=event.stage))
            case ChunksEmbedded():
                self._send(WorkDone(document=document, chunks=event.chunks))
            case DocumentOutcome():
                self._send_pages(document, max(1, event.pages))
                self._in_work[document] = event
            case _:
                pass

    def settle(self, document: str) -> DocumentOutcome:
        """Record what preparing a document brought; returns that alone."""
        work = self._in_work.pop(document, _NOT_DONE)
        if work is not _NOT_DONE:
            outcome = self.outcomes.get(document, _NOT_DONE)
            self.outcomes[document] = outcome.prepared_as(work)
        return work

    def ready(self, document: str) -> None:
        """All of a document is prepared and waits to be stored."""
        self._send(StageReached(document=document, stage="store"))

    def embedded(self, document: str, chunks: int, seconds: float) -> None:
        """A service has embedded a document."""
        self._send(WorkDone(document=document, chunks=chunks))
        self.outcomes[document] = self.outcomes[document].spent("embed", seconds)

    def _send_pages(self, document: str, page: int) -> None:
        if document not in self._pages:
            self._pages[document] = 0
            self._send(StageReached(document=document, stage="convert"))
        if (more := page - self._pages[document]) > 0:
            self._pages[document] = page
            self._send(WorkDone(document=document, pages=more))

    # -- a document that is done

    def stored(
        self,
        document: str,
        prepared: PreparedDocument,
        *,
        before: ManifestEntry | None,
        replaced: frozenset[str],
    ) -> None:
        """A document is safe in the index and recorded; it had the entry `before`, and chunks of
        the ids `replaced`.
        """
        cited_as = before.citekey if before else None
        citekey = prepared.citation.citekey if prepared.citation else None
        ids = frozenset(chunk.stored.chunk.id for chunk in prepared.chunks)
        self.set(
            document,
            state=OutcomeState.INDEXED,
            was_indexed=before is not None and before.status is Status.INDEXED,
            citekey=citekey,
            lost_citekey=None if citekey else cited_as,
            pages=prepared.pages,
            chunks=replace(
                prepared.counts, added=len(ids - replaced), rewritten=len(ids & replaced)
            ),
            noisy=prepared.noisy,
        )
        cited = self._cited(citekey, cited_as)
        total = prepared.counts.total
        chunks = f"{total} chunk" if total == 1 else f"{total} chunks"
        detail = ", ".join(filter(None, (chunks, cited)))
        self._send(DocumentDone(document=document, state="indexed", detail=detail))

    def failed(self, failure: DocumentFailure, seconds: float = 0.0) -> None:
        """A document was not indexed; `seconds` are those of work not recorded yet."""
        self.set(failure.path, state=OutcomeState.FAILED, failure=failure)
        if seconds:
            outcome = self.outcomes[failure.path]
            self.outcomes[failure.path] = outcome.spent("convert", seconds)
        self._send(DocumentDone(document=failure.path, state="failed", detail=failure.code))

    def updated(self, document: str, citekey: str | None, cited_as: str | None) -> None:
        """A document that was `cited_as` a citekey has another reference, or none any more; its
        text and vectors stay.
        """
        self._reconsider(document, OutcomeState.UPDATED)
        self.set(
            document, cites_anew=True, citekey=citekey, lost_citekey=None if citekey else cited_as
        )
        cited = self._cited(citekey, cited_as)
        self._send(DocumentDone(document=document, state="updated", detail=cited))

    def confirmed(self, document: str) -> None:
        """A document was matched again and keeps its reference."""
        self._reconsider(document, OutcomeState.UNCHANGED)
        self._send(DocumentDone(document=document, state="unchanged"))

    def counted(self, document: str, error_code: str | None) -> None:
        """A document was prepared, or could not be, to see what embedding it takes."""
        state, detail = ("failed", error_code) if error_code else ("unchanged", "counted")
        self._send(DocumentDone(document=document, state=state, detail=detail))

    def _reconsider(self, document: str, state: OutcomeState) -> None:
        """Record the state of a document whose reference was looked at, unless more was done."""
        before = self.outcomes.get(document, _NOT_DONE).state
        if before is OutcomeState.PENDING or (
            before is OutcomeState.UNCHANGED and state is OutcomeState.UPDATED
        ):
            self.set(document, state=state)

    def _cited(self, citekey: str | None, cited_as: str | None) -> str:
        """What a document is cited as, or that it lost it; nothing without references."""
        if citekey:
            return f"@{citekey}"
        if cited_as:
            return f"lost its reference @{cited_as}"
        return "no reference" if self._has_references() else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What every step of one run works with."""

    parts: IngestParts
    request: IngestRequest
    manifest: ManifestEditor
    record: RunRecord

    @property
    def project(self) -> OpenProject:
        return self.parts.project

    def stops_before(self, remaining: Sequence[object]) -> bool:
        """Whether the run was asked to stop and leaves something undone."""
        stops = bool(remaining) and self.request.cancellation.requested
        if stops:
            self.record.note(interrupted=True)
        return stops
