"""Ingests as jobs: started, followed, cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.sse import format_sse_event
from starlette.responses import Response, StreamingResponse

from citeloom.application.jobs import Job
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import Busy, NotFound
from citeloom.infrastructure.answers.ingests import JobAnswer, JobEventEntry, JobList
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.model import UNTRUSTED, plain
from citeloom.infrastructure.interfaces.http.responses import (
    EVENT_STREAM,
    HEARTBEAT_SECONDS,
    PREFIX,
    Identifier,
    JsonAnswer,
    ProjectParameter,
    RequestId,
    Served,
    events_described,
    in_thread,
)
from citeloom.infrastructure.interfaces.http.served_library import LISTENERS, ServedLibrary
from citeloom.infrastructure.interfaces.request_models import RequestBody

_POLL_SECONDS = 0.2
_EVENTS = events_described("An event; `data` is its JSON, `id` its number.")

router = APIRouter(prefix=PREFIX, tags=["jobs"])


class IngestBody(RequestBody[IngestRequest]):
    """An ingest of a project: its configured sources, those named, or its Zotero selection.

    A source lies at or below `[server] roots`, or else the project's own sources; a relative one
    starts at the folder of citeloom.toml.
    """

    zotero: bool = False


@router.post("/jobs", status_code=202, response_model=JobAnswer, operation_id="start_job")
@in_thread(seconds=lambda service, _: service.limits.ingest_seconds)
def start(body: IngestBody, service: Served, request_id: RequestId) -> Response:
    """Start an ingest, which runs on by itself."""
    service.project(body.project)
    job = service.jobs.start(
        body.project, body.asked(), zotero=body.zotero, correlation_id=request_id
    )
    return _accepted(service, job)


@router.get("/jobs", operation_id="list_jobs")
@in_thread(scrubbed=True)
def jobs(project: ProjectParameter, service: Served) -> JobList:
    """List the jobs of a project, the newest first."""
    service.project(project)
    items = tuple(JobAnswer.of(job) for job in service.jobs.list() if job.project == project)
    return JobList(project=project, count=len(items), items=items)


@router.get("/jobs/{job_id}", operation_id="get_job")
@in_thread(scrubbed=True)
def job(job_id: Identifier, service: Served) -> JobAnswer:
    """Show a job as it is now."""
    return JobAnswer.of(_job(service, job_id))


@router.post(
    "/jobs/{job_id}/cancel", status_code=202, response_model=JobAnswer, operation_id="cancel_job"
)
@in_thread()
def cancel(job_id: Identifier, service: Served) -> Response:
    """Stop a job: at once while it waits, else after the documents in hand, which stay indexed."""
    _job(service, job_id)
    return _accepted(service, service.jobs.cancel(job_id))


@router.get(
    "/jobs/{job_id}/events", response_class=Response, responses=_EVENTS, operation_id="follow_job"
)
async def events(
    job_id: Identifier,
    service: Served,
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    last_event_id: Annotated[str, Header(max_length=20, pattern=r"^\d*$")] = "",
) -> Response:
    """Follow a job by server-sent events until it ends, from the event after `Last-Event-ID`."""
    _job(service, job_id)
    if service.listeners.locked():
        message = f"{LISTENERS} clients follow events already"
        raise Busy(message, "Ask for the job instead.")
    events = _events(service, job_id, int(last_event_id or after))
    return StreamingResponse(events, media_type=EVENT_STREAM)


async def _events(service: ServedLibrary, job_id: str, after: int) -> AsyncIterator[bytes]:
    """The events of a job, with a comment now and then so that it is noticed who is gone."""
    waited = 0.0
    async with service.listeners:
        while not service.ending.is_set():
            is_over = service.jobs.get(job_id).state.is_final
            for event in service.jobs.events(job_id, after):
                after, waited = event.number, 0.0
                fields = {**plain(JobEventEntry.of(event)), "content": UNTRUSTED}
                data = json_text(service.paths.value(fields), indent=None)
                yield format_sse_event(data_str=data, event=event.kind, id=str(event.number))
            if is_over:
                return
            if waited >= HEARTBEAT_SECONDS:
                waited = 0.0
                yield format_sse_event(comment="still running")
            await asyncio.sleep(_POLL_SECONDS)
            waited += _POLL_SECONDS


def _job(service: ServedLibrary, job_id: str) -> Job:
    job = service.jobs.get(job_id)
    if job.project not in service.projects:
        raise NotFound("there is no such job", "GET /jobs lists the jobs of a project.")
    return job


def _accepted(service: ServedLibrary, job: Job) -> Response:
    headers = {"Location": f"{PREFIX}/jobs/{job.id}"}
    answer = service.paths.value(JobAnswer.of(job))
    return JsonAnswer(answer, service.door, status_code=202, headers=headers)
