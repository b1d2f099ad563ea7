"""Ingests as jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Self

from pydantic import Field

from citeloom.application.jobs import Job, JobEvent
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import NotFound
from citeloom.infrastructure.answers.ingests import ErrorEntry
from citeloom.infrastructure.answers.model import ABSENT, UNTRUSTED, Model, Untrusted, filled
from citeloom.infrastructure.answers.text import counted, one_line
from citeloom.infrastructure.interfaces.mcp.tool_answers import (
    WARNING,
    Part,
    ToolAnswer,
    for_assistants,
)
from citeloom.infrastructure.interfaces.mcp.tool_call import Id, Only, ToolCall, tool
from citeloom.infrastructure.library.project import ProjectLibrary

_ZOTERO = "zotero"
_FAILED = "failed"

# What the tools answer.


class JobInShort(Model):
    """How far a job is."""

    job_id: str
    state: str
    cancelling: bool
    counts: Mapping[str, int]
    created_at: datetime

    @classmethod
    def of(cls, job: Job, **computed: object) -> Self:
        counts = {name: getattr(job.counts, name) for name in job.counts.__dataclass_fields__}
        return filled(cls, job, job_id=job.id, state=job.state.value, counts=counts, **computed)


JOB = Part.of(JobInShort, "")


def job_line(job: JobInShort) -> str:
    counts = job.counts
    facts = [f"{counts['done']} of {counts['total']} documents"]
    facts += [
        f"{number} {name}" for name, number in counts.items() if name not in {"done", "total"}
    ]
    stopping = ", stopping" if job.cancelling else ""
    return f"job {job.job_id}: {job.state}{stopping}; {', '.join(facts)}"


class FailedDocument(Model):
    """A document that failed."""

    path: str | None
    code: str = ABSENT
    message: str
    hint: str = ABSENT


FAILED = Part.of(FailedDocument, "")


class JobProgress(ToolAnswer, JobInShort):
    """Of the tools about one job: what failed, and of its events those after one."""

    LEADING = ("project", "content")
    DESCRIBED = "job_id state counts failed events"
    PARTS = (FAILED,)

    project: str
    content: Untrusted = UNTRUSTED
    last_event: int
    events: tuple[str, ...]
    failed: tuple[FailedDocument, ...]
    error: ErrorEntry | None

    def lines(self) -> Iterator[str]:
        yield job_line(self)
        yield WARNING
        if self.events:
            yield f"events to {self.last_event}:"
        yield from (f"- {one_line(event)}" for event in self.events)
        if self.failed:
            yield f"{len(self.failed)} failed:"
        for failure in self.failed:
            parts = (failure.path, failure.code, failure.message, failure.hint)
            text = "; ".join(part for part in parts if part and part is not ABSENT)
            yield f"- {one_line(text)}"
        if error := self.error:
            yield f"error: {one_line(f'{error.code}: {error.message} {error.hint}')}"


class JobsOfProject(ToolAnswer):
    """Of `list_jobs`."""

    DESCRIBED = "jobs"
    PARTS = (JOB,)

    project: str
    jobs: tuple[JobInShort, ...]

    def lines(self) -> Iterator[str]:
        yield f"{counted(len(self.jobs), 'job')} of {self.project} since this server started"
        yield from (f"- {job_line(job)}" for job in self.jobs)


# The tools.


@tool(
    title="Add documents",
    limit="ingest_seconds",
    changes=True,
    jobs=True,
    reaches_out=True,
    follows=True,
)
def ingest_from_source(
    call: ToolCall,
    project: ProjectLibrary,
    request: Annotated[IngestRequest, Only(("force", "retry_failed"))],
    source: Annotated[
        str | None,
        Field(
            max_length=2000,
            description="A path below allowed roots, or zotero; else all sources.",
        ),
    ] = None,
) -> JobProgress:
    """Start a job; follow it with ingest_status."""
    job = call.jobs.start(
        project.project.id,
        replace(request, sources=() if source in {None, _ZOTERO} else (source,)),
        zotero=source == _ZOTERO,
        correlation_id=call.correlation_id,
    )
    return job_answer(job, call.jobs.events(job.id))


@tool(title="Follow a job", limit="inspect_seconds", jobs=True)
def ingest_status(
    call: ToolCall,
    project: ProjectLibrary,
    job_id: Id,
    after: Annotated[int | None, Field(ge=0, description="Events, too, after this one.")] = None,
) -> JobProgress:
    """How far a job is, and what failed."""
    job = _job(call, project, job_id)
    return job_answer(job, call.jobs.events(job.id), after)


@tool(title="Stop a job", limit="inspect_seconds", changes=True, jobs=True)
def cancel_ingest(call: ToolCall, project: ProjectLibrary, job_id: Id) -> JobProgress:
    """Ends after its current documents; what is indexed stays."""
    job = call.jobs.cancel(_job(call, project, job_id).id)
    return job_answer(job, call.jobs.events(job.id))


@tool(title="List jobs", limit="inspect_seconds", jobs=True)
def list_jobs(call: ToolCall, project: ProjectLibrary) -> JobsOfProject:
    """Newest first."""
    project_id = project.project.id
    jobs = (JobInShort.of(job) for job in call.jobs.list() if job.project == project_id)
    return JobsOfProject(project=project_id, jobs=tuple(jobs))


def job_answer(job: Job, events: Sequence[JobEvent], after: int | None = None) -> JobProgress:
    """A job as the tools answer it: what failed, not the whole report, and the events after one."""
    new = [event for event in events if after is not None and event.number > after]
    return JobProgress.of(
        job,
        events=tuple(
            " ".join(filter(None, (f"{event.number}", event.kind, event.document, event.detail)))
            for event in new
            if event.kind != "count"
        ),
        failed=tuple(_failures(job, events)),
        error=ErrorEntry.of(job.error, job.correlation_id) if job.error else None,
    )


def _failures(job: Job, events: Sequence[JobEvent]) -> Iterator[FailedDocument]:
    """The documents that failed, as the report has them, or so far."""
    if job.report:
        for failure in job.report.failed:
            yield filled(FailedDocument, failure, hint=for_assistants(failure.hint))
        return
    for event in events:
        if event.kind == "outcome" and event.detail.partition(":")[0] == _FAILED:
            yield FailedDocument(path=event.document, message=event.detail)


def _job(call: ToolCall, project: ProjectLibrary, job_id: str) -> Job:
    """The job. Raises `NotFound` for one of another project as for any other."""
    for job in call.jobs.list():
        if (job.id, job.project) == (job_id, project.project.id):
            return job
    raise NotFound(
        f"project '{project.project.id}' has no such job",
        "See list_jobs. Jobs are known until the server ends; an ingest that is started again "
        "continues.",
    )
