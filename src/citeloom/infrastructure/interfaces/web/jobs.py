"""The views of ingests: started, followed, cancelled; and of files that are uploaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from fastapi import APIRouter, Form, Path, UploadFile
from starlette.responses import RedirectResponse, Response

from citeloom.application.jobs import Job
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import (
    CiteloomError,
    ConfigError,
    DiskFull,
    InvalidFilter,
    NotFound,
    PathNotAllowed,
)
from citeloom.infrastructure.answers.ingest_text import report_lines
from citeloom.infrastructure.answers.text import one_line
from citeloom.infrastructure.interfaces.http.problems import Refusal, refusal_for
from citeloom.infrastructure.interfaces.http.served_library import request_id_of
from citeloom.infrastructure.interfaces.request_models import RequestBody
from citeloom.infrastructure.interfaces.web.documents import (
    MOST_FILES,
    all_documents,
    place_in,
)
from citeloom.infrastructure.interfaces.web.views import Changing, Visit, Visiting, view

router = APIRouter()
JobId = Annotated[str, Path(min_length=1, max_length=100)]
_LATEST = 12
"""How many events of a job are shown."""


class IngestForm(RequestBody[IngestRequest]):
    """An ingest of the project's sources, of its Zotero selection, or again: of one document, or of
    what a job was to ingest.
    """

    zotero: bool = False
    doc_id: str | None = None
    job_id: str | None = None
    csrf: str = ""


@router.post("/jobs", dependencies=[Changing])
@view("", seconds=lambda service: service.limits.ingest_seconds)
def start(form: Annotated[IngestForm, Form()], visit: Visiting) -> Response:
    """Start an ingest, and show it."""
    request, zotero = form.asked(), form.zotero
    if form.doc_id is not None:
        paths = [one.path for one in all_documents(visit) if one.doc_id == form.doc_id]
        if not paths:
            raise NotFound("there is no such document", "It may be gone: load the page again.")
        request = form.asked(sources=paths)
    if form.job_id is not None:
        job = _job(visit, form.job_id)
        request, zotero = form.asked(sources=job.sources), job.zotero
    return _started(visit, request, zotero=zotero)


@router.post("/uploads", dependencies=[Changing], response_model=None)
@view("uploads.html", seconds=lambda service: service.limits.longest_seconds)
def upload(visit: Visiting, files: list[UploadFile]) -> Mapping[str, object] | Response:
    """Add files to the folder of uploads, and ingest them; what is refused is said by name."""
    if len(files) > MOST_FILES:
        raise InvalidFilter(f"{len(files)} files are too many", f"Add {MOST_FILES} at a time.")
    added, refused = dict[str, str](), list[tuple[str, Refusal]]()
    for file in files:
        name = file.filename or ""
        try:
            added[str(visit.project.add_file(name, file.file))] = name
        except (PathNotAllowed, ConfigError, DiskFull):
            raise
        except CiteloomError as error:
            refused.append((name, refusal_for(error, visit.service.paths)))
    job = _started(visit, IngestRequest(sources=(*added,))) if added else None
    if job and not refused:
        return job
    follow = job.headers["location"] if job else None
    return {"added": [*added.values()], "refused": refused, "follow": follow}


def _started(visit: Visit, request: IngestRequest, *, zotero: bool = False) -> Response:
    job = visit.service.jobs.start(
        visit.project_id, request, zotero=zotero, correlation_id=request_id_of(visit.request)
    )
    return RedirectResponse(visit.address(f"/jobs/{job.id}"), status_code=303)


@router.get("/jobs")
@view("jobs.html")
def jobs(visit: Visiting) -> Mapping[str, object]:
    """The ingests of the project since the server was started, the newest first."""
    everything = visit.service.jobs.list()
    chosen = visit.project
    return {"jobs": [job for job in everything if job.project == chosen.project.id]}


@router.get("/jobs/{job_id}")
@view("job.html")
def job(job_id: JobId, visit: Visiting) -> Mapping[str, object]:
    """How far an ingest is, and what came of it."""
    shown, paths = _job(visit, job_id), visit.service.paths
    events = visit.service.jobs.events(job_id, max(shown.last_event - 4 * _LATEST, 0))
    notable = [event for event in events if event.kind in {"stage", "outcome"}]
    lines = report_lines(shown.report) if shown.report else ()
    return {
        "job": shown,
        "report": _nested(paths.text(one_line(line)) for line in lines),
        "refusal": refusal_for(shown.error, paths) if shown.error else None,
        "events": notable[-_LATEST:],
        "place": place_in(visit),
        "words": paths.text,
    }


@router.post("/jobs/{job_id}/cancel", dependencies=[Changing])
@view("")
def cancel(job_id: JobId, visit: Visiting) -> Response:
    """Stop an ingest; what it has indexed stays."""
    visit.service.jobs.cancel(_job(visit, job_id).id)
    return RedirectResponse(visit.address(f"/jobs/{job_id}"), status_code=303)


def _job(visit: Visit, job_id: str) -> Job:
    job = visit.service.jobs.get(job_id)
    if job.project != visit.project.project.id:
        raise NotFound("there is no such job", "The library's page lists the ingests there are.")
    return job


def _nested(lines: Iterable[str]) -> list[tuple[str, list[str]]]:
    """The lines of a report, each with the indented ones below it."""
    nested: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("  ") and nested:
            nested[-1][1].append(line.strip())
        else:
            nested.append((line.strip(), []))
    return nested
