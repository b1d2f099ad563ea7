"""`Jobs`: starts, lists, follows and cancels the ingests of one process."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock, Thread
from typing import TYPE_CHECKING

from citeloom.application.ingest_options import IngestOptions
from citeloom.application.jobs.job import Job, JobCounts, JobEvent, JobState
from citeloom.application.jobs.record import JobProgress, JobRecord
from citeloom.domain.errors import Busy, CiteloomError, NotFound
from citeloom.domain.zotero_selection import ZoteroSelection

if TYPE_CHECKING:
    from citeloom.application.library import Library
    from citeloom.application.ports.clock import Clock
    from citeloom.application.reports import IngestReport


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """What a job does."""

    record: JobRecord
    zotero: ZoteroSelection | None
    options: IngestOptions = field(default_factory=IngestOptions)


class Jobs:
    """Ingests that run one after another, each in a thread of its own; any thread may call.

    One ingest uses all processors and as much memory as its workers may have, so no two run at the
    same time. At most `waiting` jobs wait, and the last `kept` are remembered, until the process
    ends.
    """

    def __init__(
        self, library: Library, *, clock: Clock, waiting: int = 8, kept: int = 100
    ) -> None:
        self._library = library
        self._clock = clock
        self._waiting = waiting
        self._kept = kept
        self._records: dict[str, JobRecord] = {}
        self._queue: list[_Task] = []
        self._thread: Thread | None = None
        self._closed = False
        self._lock = Lock()

    def start(
        self,
        project_id: str,
        *,
        sources: Sequence[str] = (),
        zotero: bool = False,
        options: IngestOptions | None = None,
        correlation_id: str = "",
    ) -> Job:
        """Queue an ingest of the project's configured sources, of those given, or from Zotero, and
        return at once.

        Raises `InvalidProject`, `PathNotAllowed` for a source that clients may not name, and `Busy`
        if too many jobs are waiting.
        """
        project = self._library.project(project_id)
        named = tuple(project.allowed_path(source).as_posix() for source in sources)
        job = Job(
            id=secrets.token_urlsafe(16),
            project=project.project.id,
            sources=named,
            correlation_id=correlation_id,
            created_at=self._clock.now(),
        )
        selection = project.project.zotero or ZoteroSelection()
        task = _Task(
            record=JobRecord(job, self._clock),
            zotero=selection if zotero else None,
            options=options or IngestOptions(),
        )
        self._add(task)
        return task.record.job

    def get(self, job_id: str) -> Job:
        """The job as it is now. Raises `NotFound`."""
        return self._record(job_id).job

    def list(self) -> list[Job]:
        """All jobs that are remembered, the newest first."""
        with self._lock:
            records = [*self._records.values()]
        return [record.job for record in reversed(records)]

    def cancel(self, job_id: str) -> Job:
        """Stop a job: at once while it waits, else after the documents in hand, which stay indexed.

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
            record.stop.set()
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

    def _add(self, task: _Task) -> None:
        with self._lock:
            if self._closed:
                raise Busy("this process is ending", "Start the job again in a moment.")
            if len(self._queue) >= self._waiting:
                raise Busy(
                    f"{len(self._queue)} jobs are waiting already",
                    "Try again when one of them has ended, or cancel one.",
                )
            self._forget_old()
            self._records[task.record.job.id] = task.record
            self._queue.append(task)
            if self._thread is None:
                self._start_next()

    def _forget_old(self) -> None:
        ended = [name for name, one in self._records.items() if one.job.state.is_final]
        for name in ended[: max(0, len(self._records) + 1 - self._kept)]:
            del self._records[name]

    def _drop(self, records: Sequence[JobRecord], state: JobState) -> None:
        """Take jobs that still wait out of the queue."""
        with self._lock:
            waiting = [task for task in self._queue if task.record in records]
            self._queue = [task for task in self._queue if task not in waiting]
        for task in waiting:
            task.record.end(state)

    def _start_next(self) -> None:
        self._thread = None
        if self._queue:
            task = self._queue.pop(0)
            name = f"job {task.record.job.project}"
            self._thread = Thread(target=self._work, args=(task,), name=name, daemon=True)
            self._thread.start()

    def _work(self, task: _Task) -> None:
        try:
            _run(self._library, task)
        finally:
            with self._lock:
                self._start_next()


def _run(library: Library, task: _Task) -> None:
    record = task.record
    job = record.job
    record.begin()
    try:
        project = library.project(job.project)
        for source in job.sources:
            project.allowed_path(source)  # what was a folder may be a link by now
        report = project.ingest(
            *job.sources,
            zotero=task.zotero,
            progress=JobProgress(record),
            stop=record.stop.is_set,
            **task.options,
        )
    except CiteloomError as error:
        record.end(JobState.FAILED, error=error)
    except BaseException:
        fault = CiteloomError("a fault in citeloom ended the job", "The log says more.")
        record.end(JobState.FAILED, error=fault)
        raise
    else:
        ended = record.job
        state = _final_state(ended, interrupted=report.interrupted)
        record.end(state, report=report, counts=_final_counts(ended.counts, report))


def _final_counts(counts: JobCounts, report: IngestReport) -> JobCounts:
    """With the documents that needed no work; `total` stays what the job was to do."""
    return replace(counts, unchanged=len(report.unchanged))


def _final_state(job: Job, *, interrupted: bool) -> JobState:
    if not interrupted:
        return JobState.DONE
    return JobState.CANCELLED if job.cancelling else JobState.INTERRUPTED
