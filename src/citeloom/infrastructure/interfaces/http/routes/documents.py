"""Projects, their documents, and whether all is well with them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from citeloom.application.library_info import ProjectSummary
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.documents import DocumentsRequest, ValidateRequest
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.library import (
    ChunkPage,
    DocumentAnswer,
    DocumentPageAnswer,
    ValidationAnswer,
)
from citeloom.infrastructure.answers.model import filled
from citeloom.infrastructure.answers.passages import ShownPassage
from citeloom.infrastructure.interfaces.http.answers import JsonAnswer
from citeloom.infrastructure.interfaces.http.routes import (
    PREFIX,
    Identifier,
    Page,
    ProjectPage,
    Served,
    in_thread,
)
from citeloom.infrastructure.interfaces.http.service import VALIDATION_SECONDS
from citeloom.infrastructure.interfaces.request_models import Body

router = APIRouter(prefix=PREFIX)


class DocumentFilter(Page, Body[DocumentsRequest]):
    """Which documents of a project are listed."""


@router.get("/projects", tags=["projects"], operation_id="list_projects")
@in_thread(scrubbed=True)
def projects(service: Served) -> list[ProjectSummary]:
    """List the projects that are served."""
    return [project for project in service.library.projects() if project.id in service.projects]


@router.get("/documents", tags=["documents"], operation_id="list_documents")
@in_thread(scrubbed=True)
def documents(filters: Annotated[DocumentFilter, Query()], service: Served) -> DocumentPageAnswer:
    """List a project's documents, sorted by path."""
    listed = service.project(filters.project).documents(filters.asked())
    return filters.of(DocumentPageAnswer, listed, project=filters.project)


@router.get("/documents/{doc_id}", tags=["documents"], operation_id="get_document")
@in_thread()
def document(
    doc_id: Identifier, page: Annotated[ProjectPage, Query()], service: Served
) -> DocumentAnswer:
    """Describe a document: its headings, its pages, and some of its chunks in reading order."""
    detail = service.project(page.project).document(doc_id)
    return filled(
        DocumentAnswer,
        detail,
        project=page.project,
        document=service.paths.value(detail.document),
        chunks=page.of(ChunkPage, detail.chunks, ShownPassage.of_chunk),
    )


@router.get(
    "/validation",
    tags=["projects"],
    response_model=ValidationAnswer,
    operation_id="validate_project",
)
async def validation(
    checks: Annotated[Body[ValidateRequest], Query()], service: Served
) -> Response:
    """Check models, store, references and every chunk of a project, or only what `check` names."""
    chosen = service.project(checks.project)

    def answer(cancellation: Cancellation) -> bytes:
        report = chosen.validate(checks.asked(cancellation=cancellation))
        return json_text(service.paths.value(ValidationAnswer.of(report)), indent=None).encode()

    key = ("validation", checks.model_dump_json())
    result = await service.heavy.run(key, answer, VALIDATION_SECONDS)
    return Response(result, media_type=JsonAnswer.media_type)
