"""`Jobs`: starts, lists, follows and cancels the ingests of one process."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING, Any

from citeloom.application.events import (
    DocumentDone,
    RunEvent,
    RunStarted,
    StageReached,
    WorkDone,
)
from citeloom.application.ports.runtime import Cancellation, Clock
from citeloom.application.reports import IngestReport
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import Busy, CiteloomError, NotFound
from citeloom.domain.zotero.selection import ZoteroSelection

if TYPE_CHECKING:
    from pathlib import Path

    from citeloom.domain.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestTarget:
    """A project that jobs ingest into; `allowed_path` gives the absolute path of a source that a
    client may name, and raises `PathNotAllowed`, or `NotFound` if there is nothing.
    """

    project: Project
    allowed_path: Callable[[str], Path]
    ingest: Callable[[IngestRequest], IngestReport]


# A job and its events, as values.


class JobState(StrEnum):
    """The state of a job; `interrupted` if its process ended."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def is_final(self) -> bool:
        return self not in {JobState.QUEUED, JobState.RUNNING}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCounts:
    """How far an ingest is: `done` of the `total` documents that need work, by outcome; pages
    converted and chunks embedded so far. In the end `unchanged` has those that needed none.
    """

    total: int = 0
    """Documents that need work."""
    done: int = 0
    """Of these, those that are done."""
    indexed: int = 0
    """Of these, those that were indexed."""
    unchanged: int = 0
    """In the end, those that needed no work."""
    failed: int = 0
    """Of these, those that failed."""
    pages: int = 0
    """Pages converted so far."""
    chunks: int = 0
    """Chunks embedded so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent:
    """Something that happened in a job: a new `state`, its `start` with a number of documents, a
    `stage` that a document has reached, a `count` of further pages or chunks of it, or its
    `outcome`.
    """

    number: int
    """From 1, without gaps."""
    kind: str
    """`state`, `start`, `stage`, `count` or `outcome`."""
    detail: str
    """The new state; the number of documents; `convert`, `chunk`, `embed` or `store`; as `3 pages`;
    as `indexed: 12 chunks, @rule2018`, `failed: TIMEOUT` or `unchanged`.
    """
    document: str | None = None
    """Null where it is about none."""
    at: datetime
    """In UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as it is now. Its report is there when it is done, cancelled or interrupted; its error
    when it failed.
    """

    id: str
    project: str
    """The project."""
    state: JobState = JobState.QUEUED
    """`interrupted` where its process ended."""
    cancelling: bool = False
    """Whether it stops after the current documents."""
    sources: tuple[str, ...]
    """Absolute paths; empty for the project's own."""
    zotero: bool = False
    """Whether it ingests the project's selection of Zotero."""
    correlation_id: str
    """That of the request that started it."""
    created_at: datetime
    """In UTC."""
    started_at: datetime | None = None
    """In UTC."""
    finished_at: datetime | None = None
    """In UTC."""
    counts: JobCounts = field(default_factory=JobCounts)
    """How far it is."""
    last_event: int = 0
    """The number of its last event."""
    report: IngestReport | None = None
    error: CiteloomError | None = None


# The record of a job: written by the thread that runs it, read by any other.

_KEPT_EVENTS = 2000
_COUNTED = frozenset({"indexed", "unchanged", "failed"})
"""The states of documents that a job counts."""


class JobRecord:
    """A job with its latest events; `cancellation` ends it after the documents it is working on."""

    def __init__(self, job: Job, request: IngestRequest, clock: Clock) -> None:
        self.cancellation = Cancellation()
        self.request = replace(request, events=self.read, stop=self.cancellation)
        self._job = job
        self._clock = clock
        self._events: deque[JobEvent] = deque(maxlen=_KEPT_EVENTS)
        self._changed = Condition()
        self.record_event("state", job.state.value)

    @property
    def job(self) -> Job:
        with self._changed:
            return self._job

    def cancel(self) -> None:
        """Ask the job to stop; one that has ended stays as it is."""
        with self._changed:
            if not self._job.state.is_final:
                self._job = replace(self._job, cancelling=True)
                self.cancellation.request()

    def begin(self) -> None:
        running = JobState.RUNNING
        self.record_event("state", running.value, state=running, started_at=self._clock.now())

    def end(self, state: JobState, **outcome: Any) -> None:
        """The job has ended in `state`, with a report or an error."""
        now = self._clock.now()
        self.record_event(
            "state", state.value, state=state, finished_at=now, cancelling=False, **outcome
        )

    def record_event(
        self, kind: str, detail: str, document: str | None = None, **changes: Any
    ) -> None:
        with self._changed:
            number = self._job.last_event + 1
            event = JobEvent(
                number=number, kind=kind, detail=detail, at=self._clock.now(), document=document
            )
            self._events.append(event)
            self._job = replace(self._job, last_event=number, **changes)
            self._changed.notify_all()

    def read(self, event: RunEvent) -> None:
        """Add an event of the ingest to those of the job, and count it."""
        match event:
            case RunStarted(total=total):
                self._count("start", str(total), total=total)
            case StageReached():
                self._count("stage", event.stage, event.document)
            case WorkDone(pages=pages, chunks=chunks):
                detail = f"{pages} pages" if pages else f"{chunks} chunks"
                self._count("count", detail, event.document, pages=pages, chunks=chunks)
            case DocumentDone(state=state):
                more = {state: 1} if state in _COUNTED else {}
                self._count("outcome", event.outcome, event.document, done=1, **more)
            case _:
                pass

    def _count(self, kind: str, detail: str, document: str | None = None, **more: int) -> None:
        """Add an event, and `more` to the counts of the job."""
        with self._changed:
            counts = self._job.counts
            sums = {name: getattr(counts, name) + number for name, number in more.items()}
            self.record_event(kind, detail, document, counts=replace(counts, **sums))

    def events(self, after: int, timeout: float) -> tuple[JobEvent, ...]:
        """The events with a number above `after`; waits for one, unless the job has ended."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._job.last_event > after or self._job.state.is_final, timeout
            )
            return tuple(event for event in self._events if event.number > after)


class Jobs:
    """Ingests that run one after another, each in a thread of its own; any thread may call.

    One ingest uses all processors and as much memory as its workers may have, so no two run at the
    same time. At most `waiting` jobs wait, and the last `remembered` stay listed, until the
    process ends. `target` gives the project of an id, and raises `InvalidProject`.
    """

    def __init__(
        self,
        target: Callable[[str], IngestTarget],
        *,
        clock: Clock,
        waiting: int = 8,
        remembered: int = 100,
    ) -> None:
        self._target = target
        self._clock = clock
        self._waiting = waiting
        self._remembered = remembered
        self._records: dict[str, JobRecord] = {}
        self._queue: list[JobRecord] = []
        self._thread: Thread | None = None
        self._closed = False
        self._lock = Lock()

    def start(
        self,
        project_id: str,
        request: IngestRequest | None = None,
        *,
        zotero: bool = False,
        correlation_id: str = "",
    ) -> Job:
        """Queue an ingest of the project's configured sources, of those given, or from Zotero, and
        return at once.

        Raises `InvalidProject`, `PathNotAllowed` for a source that clients may not name, and `Busy`
        if too many jobs are waiting.
        """
        target = self._target(project_id)
        request = request or IngestRequest()
        named = tuple(target.allowed_path(source).as_posix() for source in request.files)
        job = Job(
            id=secrets.token_urlsafe(16),
            project=target.project.id,
            sources=named,
            zotero=zotero,
            correlation_id=correlation_id,
            created_at=self._clock.now(),
        )
        selection = target.project.zotero or ZoteroSelection()
        request = replace(request, sources=named, zotero=selection if zotero else None)
        record = JobRecord(job, request, self._clock)
        self._add(record)
        return record.job

    def get(self, job_id: str) -> Job:
        """The job as it is now. Raises `NotFound`."""
        return self._record(job_id).job

    def list(self) -> list[Job]:
        """All jobs that are remembered, the newest first."""
        with self._lock:
            records = [*self._records.values()]
        return [record.job for record in reversed(records)]

    def cancel(self, job_id: str) -> Job:
        """Stop a job: at once while it waits, else after the documents it is working on, which stay
        indexed.

        A job that has ended stays as it is. Raises `NotFound`.
        """
        record = self._record(job_id)
        record.cancel()
        self._drop([record], JobState.CANCELLED)
        return record.job

    def events(self, job_id: str, after: int = 0, *, timeout: float = 0.0) -> tuple[JobEvent, ...]:
        """The events of a job with a number above `after`, in order.

        Waits up to `timeout` seconds for one, unless the job has ended. Of a long job only the
        latest are kept. Raises `NotFound`.
        """
        return self._record(job_id).events(after, timeout)

    def close(self, seconds: float) -> bool:
        """Stop all jobs and start no more; whether the running one ended within `seconds`.

        What is left undone is done by the next ingest.
        """
        with self._lock:
            self._closed = True
            records, thread = [*self._records.values()], self._thread
        self._drop(records, JobState.INTERRUPTED)
        for record in records:
            record.cancellation.request()
        if thread is not None:
            thread.join(seconds)
        return thread is None or not thread.is_alive()

    def _record(self, job_id: str) -> JobRecord:
        with self._lock:
            record = self._records.get(job_id)
        if record is None:
            raise NotFound(
                "there is no such job",
                "Jobs are known to the process that started them, until it ends. "
                "Start the ingest again: it continues where the last one stopped.",
            )
        return record

    def _add(self, record: JobRecord) -> None:
        with self._lock:
            if self._closed:
                raise Busy("this process is ending", "Start the job again in a moment.")
            if len(self._queue) >= self._waiting:
                raise Busy(
                    f"{len(self._queue)} jobs are waiting already",
                    "Try again when one of them has ended, or cancel one.",
                )
            ended = [name for name, each in self._records.items() if each.job.state.is_final]
            for name in ended[: max(0, len(self._records) + 1 - self._remembered)]:
                del self._records[name]
            self._records[record.job.id] = record
            self._queue.append(record)
            if self._thread is None:
                self._start_next()

    def _drop(self, records: Sequence[JobRecord], state: JobState) -> None:
        """Take jobs that still wait out of the queue."""
        with self._lock:
            waiting = [record for record in self._queue if record in records]
            self._queue = [record for record in self._queue if record not in records]
        for record in waiting:
            record.end(state)

    def _start_next(self) -> None:
        self._thread = None
        if self._queue:
            record = self._queue.pop(0)
            name = f"job {record.job.project}"
            self._thread = Thread(target=self._work, args=(record,), name=name, daemon=True)
            self._thread.start()

    def _work(self, record: JobRecord) -> None:
        job = record.job
        record.begin()
        try:
            target = self._target(job.project)
            for source in job.sources:
                target.allowed_path(source)  # what was a folder may be a link by now
            report = target.ingest(record.request)
        except CiteloomError as error:
            record.end(JobState.FAILED, error=error)
        except BaseException:
            fault = CiteloomError("a fault in citeloom ended the job", "The log says more.")
            record.end(JobState.FAILED, error=fault)
            raise
        else:
            last = record.job
            stopped = JobState.CANCELLED if last.cancelling else JobState.INTERRUPTED
            state = stopped if report.interrupted else JobState.DONE
            needless = len(report.unchanged)  # `total` stays what the job was to do
            record.end(state, report=report, counts=replace(last.counts, unchanged=needless))
        finally:
            with self._lock:
                self._start_next()
