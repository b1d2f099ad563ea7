"""Questions and passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from citeloom.application.requests.manuscript import CollectRequest
from citeloom.application.requests.passages import FindRequest, QueryRequest
from citeloom.application.retrieval.show import LEAST_SCALE, MOST_SCALE
from citeloom.domain.errors import NotFound
from citeloom.domain.policies import Mode
from citeloom.infrastructure.answers.concordance import ConcordanceAnswer
from citeloom.infrastructure.answers.passages import (
    ChaptersAnswer,
    CollectedAnswer,
    CollectedChapter,
    PassageAnswer,
    QueryAnswer,
)
from citeloom.infrastructure.interfaces.http.responses import (
    PREFIX,
    Identifier,
    ProjectParameter,
    RequestId,
    Responses,
    Served,
    in_thread,
)
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.interfaces.request_models import RequestBody

_IMAGE_SECONDS = 15.0
_MOST_CONTEXT = 10
Context = Annotated[int, Query(ge=0, le=_MOST_CONTEXT, description="Neighbours on each side.")]
_PNG: Responses = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}
}

router = APIRouter(prefix=PREFIX, tags=["passages"])


def _seconds(service: ServedLibrary, given: Mapping[str, Any]) -> float:
    is_dense = given["body"].mode is Mode.DENSE
    return service.limits.query_seconds if is_dense else service.limits.hybrid_seconds


def _found(body: RequestBody[QueryRequest], service: ServedLibrary, request_id: str) -> QueryAnswer:
    project = service.project(body.project)
    request = service.limits.admitted(body.asked(), project.project.retrieval.top_k)
    return QueryAnswer.of(project.query(request), correlation_id=request_id)


@router.post("/query", operation_id="query")
@in_thread(seconds=_seconds)
def query(body: RequestBody[QueryRequest], service: Served, request_id: RequestId) -> QueryAnswer:
    """Find the passages that answer a question, best first, each with its citation to the page."""
    return _found(body, service, request_id)


@router.get("/query", operation_id="query_by_address")
@in_thread(seconds=_seconds)
def query_by_address(
    body: Annotated[RequestBody[QueryRequest], Query()], service: Served, request_id: RequestId
) -> QueryAnswer:
    """The same, asked with an address."""
    return _found(body, service, request_id)


@router.post("/find", operation_id="find")
@in_thread(seconds=lambda service, _: service.limits.hybrid_seconds, reading=True)
def find(body: RequestBody[FindRequest], service: Served) -> ConcordanceAnswer:
    """Find every place of a word, with the words around it and its page."""
    request = body.asked()
    request = replace(request, top_k=request.top_k or service.limits.top_k)
    return ConcordanceAnswer.of(service.project(body.project).find(request))


@router.post("/collect", operation_id="collect")
@in_thread()
def collect(body: RequestBody[CollectRequest], service: Served) -> CollectedAnswer:
    """Append a passage with a comment and tags to the Markdown file of a chapter, once."""
    return CollectedAnswer.of(service.project(body.project).collect(body.asked()))


@router.get("/collect", operation_id="list_chapters")
@in_thread()
def chapters(project: ProjectParameter, service: Served) -> ChaptersAnswer:
    """List the chapters that passages are collected for, each with their ids."""
    items = tuple(map(CollectedChapter.of, service.project(project).chapters()))
    return ChaptersAnswer(project=project, count=len(items), items=items)


@router.get("/passages/{chunk_id}", operation_id="get_passage")
@in_thread()
def passage(
    chunk_id: Identifier, project: ProjectParameter, service: Served, context: Context = 1
) -> PassageAnswer:
    """Show a passage with its neighbours, in reading order."""
    shown = service.project(project).show(chunk_id, context=context)
    if shown.chunks[0].chunk.id != chunk_id:  # a citekey, of a work that may be very long
        raise NotFound(
            f"project '{project}' has no passage '{chunk_id}'",
            "The ids of passages are in the answer to a query.",
        )
    return PassageAnswer.of(shown, project)


@router.get(
    "/passages/{chunk_id}/page.png",
    response_class=Response,
    responses=_PNG,
    operation_id="draw_page",
)
async def page_image(
    chunk_id: Identifier,
    project: ProjectParameter,
    service: Served,
    page: Annotated[int | None, Query(ge=1, le=100_000)] = None,
    scale: Annotated[float, Query(ge=LEAST_SCALE, le=MOST_SCALE)] = 1.5,
) -> Response:
    """Draw a page of a passage, by default the first, with the passage highlighted."""
    chosen = service.project(project)
    image = await service.drawings.run(
        lambda: chosen.page_image(chunk_id, page=page, scale=scale), _IMAGE_SECONDS
    )
    return Response(image, media_type="image/png", headers={"Cache-Control": "private, max-age=60"})
