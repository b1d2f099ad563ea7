"""Ingests as jobs."""

from __future__ import annotations

from dataclasses import asdict

from citeloom.application.jobs import Job, JobEvent
from citeloom.domain.errors import NotFound
from citeloom.infrastructure.interfaces.mcp.answers import Json
from citeloom.infrastructure.interfaces.mcp.arguments import (
    IngestArguments,
    JobArguments,
    StatusArguments,
)
from citeloom.infrastructure.interfaces.mcp.tool_call import ToolCall
from citeloom.infrastructure.serialisation.errors import error_json

_ZOTERO = "zotero"


def ingest_from_source(call: ToolCall[IngestArguments]) -> Json:
    """Start a job."""
    asked = call.arguments
    job = call.jobs.start(
        asked.project,
        sources=[asked.source] if asked.source not in {None, _ZOTERO} else [],
        zotero=asked.source == _ZOTERO,
        options={"force": asked.force, "retry_failed": asked.retry_failed},
        correlation_id=call.correlation_id,
    )
    return job_answer(job, ())


def ingest_status(call: ToolCall[StatusArguments]) -> Json:
    """A job, with what happened since the last look."""
    job = _job(call)
    return job_answer(job, call.jobs.events(job.id, call.arguments.after))


def cancel_ingest(call: ToolCall[JobArguments]) -> Json:
    """Ask a job to stop."""
    return job_answer(call.jobs.cancel(_job(call).id), ())


def job_answer(job: Job, events: tuple[JobEvent, ...]) -> Json:
    """A job as the tools answer it; what failed, in place of the whole report."""
    return {
        "project": job.project,
        "job_id": job.id,
        "state": job.state.value,
        "cancelling": job.cancelling,
        "counts": asdict(job.counts),
        "last_event": job.last_event,
        "events": [_line(event) for event in events if event.kind != "count"],
        "failed": [asdict(failure) for failure in job.report.failed] if job.report else [],
        "error": error_json(job.error, job.correlation_id) if job.error else None,
    }


def _job(call: ToolCall[JobArguments] | ToolCall[StatusArguments]) -> Job:
    """The job. Raises `NotFound` for one of another project as for any other."""
    project = call.library.project(call.arguments.project).project.id
    for job in call.jobs.list():
        if (job.id, job.project) == (call.arguments.job_id, project):
            return job
    raise NotFound(
        f"project '{project}' has no such job",
        "Jobs are known until the server ends. Start the ingest again: it continues.",
    )


def _line(event: JobEvent) -> str:
    return " ".join(filter(None, (f"{event.number}", event.kind, event.document, event.detail)))
