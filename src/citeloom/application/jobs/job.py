"""A job and its events, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from citeloom.application.reports import IngestReport
from citeloom.domain.errors import CiteloomError


class JobState(StrEnum):
    """Where a job stands. `interrupted` is one that its process stopped, for it was ending."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def is_final(self) -> bool:
        """Whether the job will not change any more."""
        return self not in {JobState.QUEUED, JobState.RUNNING}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCounts:
    """How far an ingest is: `done` of the `total` documents that need work, by outcome; pages
    converted and chunks embedded so far. In the end `unchanged` has those that needed none.
    """

    total: int = 0
    done: int = 0
    indexed: int = 0
    unchanged: int = 0
    failed: int = 0
    pages: int = 0
    chunks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent:
    """Something that happened in a job: a new `state`, its `start` with a number of documents, a
    `stage` that a document has reached, a `count` of further pages or chunks of it, or its
    `outcome`.

    Numbers begin with 1 and grow by one.
    """

    number: int
    kind: str
    detail: str
    at: datetime
    document: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as it is now. Its report is there when it is done, cancelled or interrupted; its error
    when it failed. `cancelling` means that it stops after the documents in hand.
    """

    id: str
    project: str
    sources: tuple[str, ...]
    correlation_id: str
    created_at: datetime
    state: JobState = JobState.QUEUED
    cancelling: bool = False
    started_at: datetime | None = None
    finished_at: datetime | None = None
    counts: JobCounts = field(default_factory=JobCounts)
    last_event: int = 0
    report: IngestReport | None = None
    error: CiteloomError | None = None
