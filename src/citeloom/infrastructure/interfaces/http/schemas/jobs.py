"""The JSON of jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from citeloom.application.jobs import JobCounts, JobState
from citeloom.application.reports import IngestReport


class JobError(TypedDict):
    """Why a job failed."""

    code: str
    message: str
    hint: str
    correlation_id: str


class JobAnswer(TypedDict):
    """A job as it is now."""

    job_id: str
    project: str
    content: Literal["untrusted"]
    state: JobState
    cancelling: bool
    sources: list[str]
    correlation_id: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    counts: JobCounts
    last_event: int
    report: IngestReport | None
    error: JobError | None


class JobList(TypedDict):
    """The jobs of a project, the newest first."""

    project: str
    count: int
    items: list[JobAnswer]
