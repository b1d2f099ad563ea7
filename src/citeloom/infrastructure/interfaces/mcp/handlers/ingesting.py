"""Ingests as jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from citeloom.application.jobs import Job, JobEvent
from citeloom.domain.errors import NotFound
from citeloom.infrastructure.interfaces.mcp import reading
from citeloom.infrastructure.interfaces.mcp.answers import JobAnswer, JobsAnswer, Json
from citeloom.infrastructure.interfaces.mcp.tool_call import (
    IngestArguments,
    JobArguments,
    OfProject,
    StatusArguments,
    Tool,
    ToolCall,
    for_assistants,
)
from citeloom.infrastructure.serialisation.json import UNTRUSTED
from citeloom.infrastructure.serialisation.reports import error_json

_ZOTERO = "zotero"
_FAILED = "failed"


@partial(
    Tool,
    title="Add documents",
    answer=JobAnswer,
    text=reading.job_text,
    limit="ingest_seconds",
    changes=True,
    jobs=True,
    reaches_out=True,
    follows=True,
)
def ingest_from_source(call: ToolCall[IngestArguments]) -> Json:
    """Start a job; follow it with ingest_status."""
    arguments = call.arguments
    job = call.jobs.start(
        call.project.project.id,
        sources=[arguments.source] if arguments.source not in {None, _ZOTERO} else [],
        zotero=arguments.source == _ZOTERO,
        options={"force": arguments.force, "retry_failed": arguments.retry_failed},
        correlation_id=call.correlation_id,
    )
    return job_answer(job, call.jobs.events(job.id))


@partial(
    Tool,
    title="Follow a job",
    answer=JobAnswer,
    text=reading.job_text,
    limit="inspect_seconds",
    jobs=True,
)
def ingest_status(call: ToolCall[StatusArguments]) -> Json:
    """How far a job is, and what failed."""
    job = _job(call)
    return job_answer(job, call.jobs.events(job.id), call.arguments.after)


@partial(
    Tool,
    title="Stop a job",
    answer=JobAnswer,
    text=reading.job_text,
    limit="inspect_seconds",
    changes=True,
    jobs=True,
)
def cancel_ingest(call: ToolCall[JobArguments]) -> Json:
    """It ends after its current documents; what is indexed stays."""
    job = call.jobs.cancel(_job(call).id)
    return job_answer(job, call.jobs.events(job.id))


@partial(
    Tool,
    title="List jobs",
    answer=JobsAnswer,
    text=reading.jobs_text,
    limit="inspect_seconds",
    jobs=True,
)
def list_jobs(call: ToolCall[OfProject]) -> Json:
    """Newest first."""
    project = call.project.project.id
    jobs = [_in_short(job) for job in call.jobs.list() if job.project == project]
    return {"project": project, "jobs": jobs}


def job_answer(job: Job, events: Sequence[JobEvent], after: int | None = None) -> Json:
    """A job as the tools answer it: what failed, in place of the whole report, and of its events
    those that come after one.
    """
    new = [event for event in events if after is not None and event.number > after]
    return {
        "project": job.project,
        **UNTRUSTED,
        **_in_short(job),
        "last_event": job.last_event,
        "events": [_line(event) for event in new if event.kind != "count"],
        "failed": _failures(job, events),
        "error": error_json(job.error, job.correlation_id) if job.error else None,
    }


def _in_short(job: Job) -> Json:
    return {
        "job_id": job.id,
        "state": job.state.value,
        "cancelling": job.cancelling,
        "counts": asdict(job.counts),
        "created_at": job.created_at.isoformat(),
    }


def _failures(job: Job, events: Sequence[JobEvent]) -> list[Json]:
    """The documents that failed, as the report has them, or so far."""
    if job.report:
        failed = map(asdict, job.report.failed)
        return [{**one, "hint": for_assistants(one["hint"])} for one in failed]
    return [
        {"path": event.document, "message": event.detail}
        for event in events
        if event.kind == "outcome" and event.detail.partition(":")[0] == _FAILED
    ]


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
