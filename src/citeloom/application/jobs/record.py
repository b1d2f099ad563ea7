"""The record of a job: written by the thread that runs it, read by any other."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from threading import Condition, Event
from typing import Any

from citeloom.application.jobs.job import Job, JobCounts, JobEvent, JobState
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.progress import Progress

_KEPT_EVENTS = 2000


class JobRecord:
    """A job with its latest events; `stop` asks it to end after the documents in hand."""

    def __init__(self, job: Job, clock: Clock) -> None:
        self.stop = Event()
        self._job = job
        self._clock = clock
        self._events: deque[JobEvent] = deque(maxlen=_KEPT_EVENTS)
        self._changed = Condition()
        self.tell("state", job.state.value)

    @property
    def job(self) -> Job:
        """The job as it is now."""
        with self._changed:
            return self._job

    def cancel(self) -> None:
        """Ask the job to stop; one that has ended stays as it is."""
        with self._changed:
            if not self._job.state.is_final:
                self._job = replace(self._job, cancelling=True)
                self.stop.set()

    def begin(self) -> None:
        """The job runs now."""
        running = JobState.RUNNING
        self.tell("state", running.value, state=running, started_at=self._clock.now())

    def end(self, state: JobState, **outcome: Any) -> None:
        """The job has ended in `state`, with a report or an error."""
        now = self._clock.now()
        self.tell("state", state.value, state=state, finished_at=now, cancelling=False, **outcome)

    def tell(self, kind: str, detail: str, document: str | None = None, **changes: Any) -> None:
        """Add an event, and change the job with it."""
        with self._changed:
            number = self._job.last_event + 1
            event = JobEvent(
                number=number, kind=kind, detail=detail, at=self._clock.now(), document=document
            )
            self._events.append(event)
            self._job = replace(self._job, last_event=number, **changes)
            self._changed.notify_all()

    def count(self, **more: int) -> None:
        """Add to the counts of the job, without an event."""
        with self._changed:
            self._job = replace(self._job, counts=_added(self._job.counts, more))

    def events(self, after: int, timeout: float) -> tuple[JobEvent, ...]:
        """The events with a number above `after`; waits for one, unless the job has ended."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._job.last_event > after or self._job.state.is_final, timeout
            )
            return tuple(event for event in self._events if event.number > after)


class JobProgress(Progress):
    """Writes the progress of an ingest into the record of its job."""

    def __init__(self, record: JobRecord) -> None:
        self._record = record

    def start(self, total: int) -> None:
        self._record.count(total=total)
        self._record.tell("start", str(total))

    def stage(self, document: str, stage: str) -> None:
        self._record.tell("stage", stage, document)

    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None:
        self._record.count(pages=pages, chunks=chunks)
        self._record.tell("count", f"{pages} pages" if pages else f"{chunks} chunks", document)

    def advance(self, document: str, outcome: str) -> None:
        kind = outcome.partition(":")[0]
        self._record.count(done=1, **({kind: 1} if kind in _OUTCOMES else {}))
        self._record.tell("outcome", outcome, document)

    def finish(self) -> None: ...


_OUTCOMES = frozenset({"indexed", "unchanged", "failed"})


def _added(counts: JobCounts, more: dict[str, int]) -> JobCounts:
    return replace(counts, **{name: getattr(counts, name) + n for name, n in more.items()})
