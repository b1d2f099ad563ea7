"""Ingests as jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from citeloom.application.jobs import Job, JobEvent
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import NotFound
from citeloom.infrastructure.answers.ingests import ErrorEntry
from citeloom.infrastructure.answers.model import filled
from citeloom.infrastructure.interfaces.mcp import reading
from citeloom.infrastructure.interfaces.mcp.answers import (
    FAILED,
    JOB,
    FailedDocument,
    JobInShort,
    JobProgress,
    JobsOfProject,
    Part,
)
from citeloom.infrastructure.interfaces.mcp.tool_call import (
    IngestArguments,
    JobArguments,
    OfProject,
    StatusArguments,
    Tool,
    ToolCall,
    for_assistants,
)

_ZOTERO = "zotero"
_FAILED = "failed"


@partial(
    Tool,
    title="Add documents",
    answer=Part.of(JobProgress, "job_id state counts failed events"),
    parts=(FAILED,),
    text=reading.job_text,
    limit="ingest_seconds",
    changes=True,
    jobs=True,
    reaches_out=True,
    follows=True,
)
def ingest_from_source(call: ToolCall[IngestArguments]) -> JobProgress:
    """Start a job; follow it with ingest_status."""
    arguments = call.arguments
    job = call.jobs.start(
        call.project.project.id,
        IngestRequest(
            () if arguments.source in {None, _ZOTERO} else str(arguments.source),
            force=arguments.force,
            retry_failed=arguments.retry_failed,
        ),
        zotero=arguments.source == _ZOTERO,
        correlation_id=call.correlation_id,
    )
    return job_answer(job, call.jobs.events(job.id))


@partial(
    Tool,
    title="Follow a job",
    answer=Part.of(JobProgress, "job_id state counts failed events"),
    parts=(FAILED,),
    text=reading.job_text,
    limit="inspect_seconds",
    jobs=True,
)
def ingest_status(call: ToolCall[StatusArguments]) -> JobProgress:
    """How far a job is, and what failed."""
    job = _job(call)
    return job_answer(job, call.jobs.events(job.id), call.arguments.after)


@partial(
    Tool,
    title="Stop a job",
    answer=Part.of(JobProgress, "job_id state counts failed events"),
    parts=(FAILED,),
    text=reading.job_text,
    limit="inspect_seconds",
    changes=True,
    jobs=True,
)
def cancel_ingest(call: ToolCall[JobArguments]) -> JobProgress:
    """It ends after its current documents; what is indexed stays."""
    job = call.jobs.cancel(_job(call).id)
    return job_answer(job, call.jobs.events(job.id))


@partial(
    Tool,
    title="List jobs",
    answer=Part.of(JobsOfProject, "jobs"),
    parts=(JOB,),
    text=reading.jobs_text,
    limit="inspect_seconds",
    jobs=True,
)
def list_jobs(call: ToolCall[OfProject]) -> JobsOfProject:
    """Newest first."""
    project = call.project.project.id
    jobs = (JobInShort.of(job) for job in call.jobs.list() if job.project == project)
    return JobsOfProject(project=project, jobs=tuple(jobs))


def job_answer(job: Job, events: Sequence[JobEvent], after: int | None = None) -> JobProgress:
    """A job as the tools answer it: what failed, in place of the whole report, and of its events
    those that come after one.
    """
    new = [event for event in events if after is not None and event.number > after]
    return JobProgress.of(
        job,
        events=tuple(_line(event) for event in new if event.kind != "count"),
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


def _job(call: ToolCall[JobArguments] | ToolCall[StatusArguments]) -> Job:
    """The job. Raises `NotFound` for one of another project as for any other."""
    project = call.project.project.id
    for job in call.jobs.list():
        if (job.id, job.project) == (call.arguments.job_id, project):
            return job
    raise NotFound(
        f"project '{project}' has no such job",
        "See list_jobs. Jobs are known until the server ends; an ingest that is started again "
        "continues.",
    )


def _line(event: JobEvent) -> str:
    return " ".join(filter(None, (f"{event.number}", event.kind, event.document, event.detail)))
