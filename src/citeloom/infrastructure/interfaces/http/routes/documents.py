"""Projects, their documents, and whether all is well with them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from citeloom.application.library_info import ProjectSummary
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.documents import DocumentsRequest
from citeloom.application.retrieval.show import Shown
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.validation import CHECKS
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.library import (
    DocumentAnswer,
    DocumentPageAnswer,
    ValidationAnswer,
)
from citeloom.infrastructure.answers.model import UNTRUSTED, plain
from citeloom.infrastructure.answers.passages import shown_passages
from citeloom.infrastructure.interfaces.http.answers import JsonAnswer, listed
from citeloom.infrastructure.interfaces.http.routes import (
    PREFIX,
    Body,
    Identifier,
    Limit,
    Offset,
    ProjectParameter,
    Served,
)
from citeloom.infrastructure.interfaces.http.service import VALIDATION_SECONDS, ServedLibrary
from citeloom.infrastructure.interfaces.request_models import Name

router = APIRouter(prefix=PREFIX)


class DocumentFilter(Body[DocumentsRequest]):
    """Which documents of a project are listed."""

    limit: int = Field(default=50, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10_000_000)


@router.get(
    "/projects",
    tags=["projects"],
    response_model=list[ProjectSummary],
    operation_id="list_projects",
)
async def projects(service: Served) -> Response:
    """List the projects that are served."""
    return await service.run(lambda: _projects(service))


@router.get(
    "/documents",
    tags=["documents"],
    response_model=DocumentPageAnswer,
    operation_id="list_documents",
)
async def documents(filters: Annotated[DocumentFilter, Query()], service: Served) -> Response:
    """List a project's documents, sorted by path."""
    chosen = service.project(filters.project)
    listing = await service.run(lambda: chosen.documents(filters.asked()))
    page = listed(listing, plain, offset=filters.offset, limit=filters.limit)
    return JsonAnswer(
        service.paths.value({"project": filters.project, "content": UNTRUSTED, **page}),
        service.door,
    )


@router.get(
    "/documents/{doc_id}",
    tags=["documents"],
    response_model=DocumentAnswer,
    operation_id="get_document",
)
async def document(
    doc_id: Identifier,
    project: ProjectParameter,
    service: Served,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """Describe a document: its headings, its pages, and some of its chunks in reading order."""
    return await service.run(lambda: _document(service, project, doc_id, limit, offset))


@router.get(
    "/validation",
    tags=["projects"],
    response_model=ValidationAnswer,
    operation_id="validate_project",
)
async def validation(
    project: ProjectParameter,
    service: Served,
    check: Annotated[list[Name], Query(max_length=len(CHECKS))] = [],  # noqa: B006 - only read
    skip: Annotated[list[Name], Query(max_length=len(CHECKS))] = [],  # noqa: B006 - only read
) -> Response:
    """Check models, store, references and every chunk of a project, or only what `check` names."""
    chosen = service.project(project)
    if unknown := sorted({*check, *skip} - CHECKS.keys()):
        raise InvalidFilter(f"there is no check {', '.join(unknown)}", f"See {', '.join(CHECKS)}.")

    only, without = frozenset(check), frozenset(skip)

    def answer(cancellation: Cancellation) -> bytes:
        report = chosen.validate(only=only, skip=without, cancellation=cancellation)
        return json_text(service.paths.value(ValidationAnswer.of(report)), indent=None).encode()

    key = ("validation", project, only, without)
    result = await service.heavy.run(key, answer, VALIDATION_SECONDS)
    return Response(result, media_type=JsonAnswer.media_type)


def _projects(service: ServedLibrary) -> Response:
    served = [project for project in service.library.projects() if project.id in service.projects]
    return JsonAnswer(service.paths.value(served), service.door)


def _document(
    service: ServedLibrary, project_id: str, doc_id: str, limit: int, offset: int
) -> Response:
    project = service.project(project_id)
    detail = project.document(doc_id)
    some = Shown(chunks=detail.chunks[offset : offset + limit])
    chunks = shown_passages(some)
    page = {"total": len(detail.chunks), "offset": offset, "count": len(chunks), "items": chunks}
    return JsonAnswer(
        {
            "project": project_id,
            "content": UNTRUSTED,
            "document": service.paths.value(detail.document),
            "outline": detail.outline,
            "pages": detail.pages,
            "chunks": page,
        },
        service.door,
    )
