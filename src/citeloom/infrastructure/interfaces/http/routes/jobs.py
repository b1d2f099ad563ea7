"""Ingests as jobs: started, followed, cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.sse import format_sse_event
from starlette.responses import Response, StreamingResponse

from citeloom.application.jobs import Job, JobEvent
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import NotFound
from citeloom.infrastructure.answers.ingests import JobAnswer, JobEventEntry, JobList
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.model import UNTRUSTED, plain
from citeloom.infrastructure.interfaces.http.answers import JsonAnswer, Responses
from citeloom.infrastructure.interfaces.http.routes import (
    PREFIX,
    Body,
    Identifier,
    ProjectParameter,
    RequestId,
    Served,
)
from citeloom.infrastructure.interfaces.http.service import ServedLibrary

_POLL_SECONDS = 0.2
_HEARTBEAT_SECONDS = 15.0
_EVENT = {
    "type": "object",
    "description": "An event; `data` is its JSON, `id` its number.",
    "properties": {name: {"type": "string"} for name in ("event", "data", "id")},
    "required": ["event", "data", "id"],
}
_EVENTS: Responses = {200: {"content": {"text/event-stream": {"schema": _EVENT}}}}

router = APIRouter(prefix=PREFIX, tags=["jobs"])


class IngestBody(Body[IngestRequest]):
    """An ingest of a project: its configured sources, those named, or its Zotero selection.

    A source lies at or below `[server] roots`, or else the project's own sources; a relative one
    starts at the folder of citeloom.toml.
    """

    zotero: bool = False


@router.post("/jobs", status_code=202, response_model=JobAnswer, operation_id="start_job")
async def start(body: IngestBody, service: Served, request_id: RequestId) -> Response:
    """Start an ingest, which runs on by itself."""
    service.project(body.project)
    job = await service.run(
        lambda: service.jobs.start(
            body.project, body.asked(), zotero=body.zotero, correlation_id=request_id
        ),
        service.limits.ingest_seconds,
    )
    return _answer(service, job, 202)


@router.get("/jobs", response_model=JobList, operation_id="list_jobs")
async def jobs(project: ProjectParameter, service: Served) -> Response:
    """List the jobs of a project, the newest first."""
    service.project(project)
    return await service.run(lambda: _listed(service, project))


@router.get("/jobs/{job_id}", response_model=JobAnswer, operation_id="get_job")
async def job(job_id: Identifier, service: Served) -> Response:
    """Show a job as it is now."""
    job = _job(service, job_id)
    return await service.run(lambda: _answer(service, job))


@router.post(
    "/jobs/{job_id}/cancel", status_code=202, response_model=JobAnswer, operation_id="cancel_job"
)
async def cancel(job_id: Identifier, service: Served) -> Response:
    """Stop a job: at once while it waits, else after the documents in hand, which stay indexed."""
    _job(service, job_id)
    job = service.jobs.cancel(job_id)
    return await service.run(lambda: _answer(service, job, 202))


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
    service.listeners.check()
    events = _events(service, job_id, int(last_event_id or after))
    return StreamingResponse(events, media_type="text/event-stream")


async def _events(service: ServedLibrary, job_id: str, after: int) -> AsyncIterator[bytes]:
    """The events of a job as they happen, with a comment now and then so that a client that is
    gone is noticed.
    """
    waited = 0.0
    with service.listeners.one_more():
        while not service.ending.is_set():
            is_over = service.jobs.get(job_id).state.is_final
            for event in service.jobs.events(job_id, after):
                after, waited = event.number, 0.0
                yield _sent(service, event)
            if is_over:
                return
            if waited >= _HEARTBEAT_SECONDS:
                waited = 0.0
                yield format_sse_event(comment="still running")
            await asyncio.sleep(_POLL_SECONDS)
            waited += _POLL_SECONDS


def _sent(service: ServedLibrary, event: JobEvent) -> bytes:
    data = json_text(
        service.paths.value({**plain(JobEventEntry.of(event)), "content": UNTRUSTED}),
        indent=None,
    )
    return format_sse_event(data_str=data, event=event.kind, id=str(event.number))


def _job(service: ServedLibrary, job_id: str) -> Job:
    """A job of a project that is served."""
    job = service.jobs.get(job_id)
    if job.project not in service.projects:
        raise NotFound("there is no such job", "GET /jobs lists the jobs of a project.")
    return job


def _listed(service: ServedLibrary, project: str) -> Response:
    jobs = [_public(service, one) for one in service.jobs.list() if one.project == project]
    return JsonAnswer({"project": project, "count": len(jobs), "items": jobs}, service.door)


def _answer(service: ServedLibrary, job: Job, status: int = 200) -> Response:
    headers = {"Location": f"{PREFIX}/jobs/{job.id}"} if status == 202 else None
    return JsonAnswer(_public(service, job), service.door, status_code=status, headers=headers)


def _public(service: ServedLibrary, job: Job) -> object:
    return service.paths.value(JobAnswer.of(job))
