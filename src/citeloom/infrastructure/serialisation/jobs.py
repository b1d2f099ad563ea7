"""The documented JSON of jobs and their events."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from citeloom.application.jobs import Job, JobEvent
from citeloom.infrastructure.serialisation.errors import error_json
from citeloom.infrastructure.serialisation.reports import ingest_json

Json = dict[str, object]


def job_json(job: Job) -> Json:
    """The documented JSON of a job."""
    return {
        "job_id": job.id,
        "project": job.project,
        "state": job.state.value,
        "cancelling": job.cancelling,
        "sources": list(job.sources),
        "correlation_id": job.correlation_id,
        "created_at": job.created_at.isoformat(),
        "started_at": _moment(job.started_at),
        "finished_at": _moment(job.finished_at),
        "counts": asdict(job.counts),
        "last_event": job.last_event,
        "report": ingest_json(job.report) if job.report else None,
        "error": error_json(job.error, job.correlation_id) if job.error else None,
    }


def event_json(event: JobEvent) -> Json:
    """The documented JSON of an event of a job."""
    return {
        "number": event.number,
        "kind": event.kind,
        "detail": event.detail,
        "document": event.document,
        "at": event.at.isoformat(),
    }


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
