"""Questions and passages."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from citeloom.application.options import FilterOptions, QueryOptions
from citeloom.application.retrieval.show import LEAST_SCALE, MOST_SCALE
from citeloom.domain.errors import NotFound
from citeloom.domain.policies import Mode
from citeloom.infrastructure.interfaces.http.answers import (
    JsonAnswer,
    Responses,
    public_passage,
)
from citeloom.infrastructure.interfaces.http.requests import (
    CollectBody,
    Context,
    FindBody,
    Identifier,
    ProjectParameter,
    QueryBody,
)
from citeloom.infrastructure.interfaces.http.routes import PREFIX, RequestId, Served
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.serialisation.concordance import concordance_json
from citeloom.infrastructure.serialisation.passages import (
    chapter_json,
    collected_json,
    query_json,
    shown_json,
)
from citeloom.infrastructure.serialisation.schemas.passages import (
    ChaptersAnswer,
    CollectedAnswer,
    ConcordanceAnswer,
    PassageAnswer,
    QueryAnswer,
)

_IMAGE_SECONDS = 15.0
_PNG: Responses = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}
}

router = APIRouter(prefix=PREFIX, tags=["passages"])


@router.post("/query", response_model=QueryAnswer, operation_id="query")
async def query(body: QueryBody, service: Served, request_id: RequestId) -> Response:
    """Find the passages that answer a question, best first, each with its citation to the page."""
    limits = service.limits
    limits.check_query(body.text, body.top_k)
    seconds = limits.query_seconds if body.mode is Mode.DENSE else limits.hybrid_seconds
    return await service.run(lambda: _answer(service, body, request_id), seconds)


@router.get("/query", response_model=QueryAnswer, operation_id="query_by_address")
async def query_by_address(
    parameters: Annotated[QueryBody, Query()], service: Served, request_id: RequestId
) -> Response:
    """The same, asked with an address."""
    return await query(parameters, service, request_id)


@router.post("/find", response_model=ConcordanceAnswer, operation_id="find")
async def find(body: FindBody, service: Served) -> Response:
    """Find every place of a word, with the words around it and its page."""
    top_k = service.limits.passages(body.top_k, service.limits.top_k)
    chosen = service.project(body.project)
    filters = body.options(FilterOptions, top_k=top_k)
    concordance = await service.run(lambda: chosen.find(*body.words, exact=body.exact, **filters))
    return JsonAnswer(concordance_json(concordance, top_k))


@router.post("/collect", response_model=CollectedAnswer, operation_id="collect")
async def collect(body: CollectBody, service: Served) -> Response:
    """Append a passage with a comment and tags to the Markdown file of a chapter, once."""
    chosen = service.project(body.project)
    passage = await service.run(
        lambda: chosen.collect(
            body.chunk_id, chapter=body.chapter, comment=body.comment, tags=body.tags
        )
    )
    answer = collected_json(passage)
    return JsonAnswer({**answer, "path": service.paths.path(str(passage.path))})


@router.get("/collect", response_model=ChaptersAnswer, operation_id="list_chapters")
async def chapters(project: ProjectParameter, service: Served) -> Response:
    """List the chapters that passages are collected for, each with their ids."""
    chosen = service.project(project)
    listed = await service.run(chosen.chapters)
    items = [{**chapter_json(one), "path": service.paths.path(str(one.path))} for one in listed]
    return JsonAnswer({"project": project, "count": len(items), "items": items})


@router.get("/passages/{chunk_id}", response_model=PassageAnswer, operation_id="get_passage")
async def passage(
    chunk_id: Identifier, project: ProjectParameter, service: Served, context: Context = 1
) -> Response:
    """Show a passage with its neighbours, in reading order."""
    return await service.run(lambda: _shown(service, project, chunk_id, context))


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


def _answer(service: ServedLibrary, body: QueryBody, request_id: str) -> Response:
    project = service.project(body.project)
    top_k = service.limits.passages(body.top_k, project.project.retrieval.top_k)
    result = project.query(body.text, **body.options(QueryOptions, top_k=top_k))
    answer = query_json(result, project.info.base_dir)
    public = [public_passage(item, service.paths) for item in answer["items"]]
    return JsonAnswer({**answer, "items": public, "correlation_id": request_id})


def _shown(service: ServedLibrary, project_id: str, chunk_id: str, context: int) -> Response:
    project = service.project(project_id)
    shown = project.show(chunk_id, context=context)
    if shown.chunks[0].chunk.id != chunk_id:  # a citekey, of a work that may be very long
        raise NotFound(
            f"project '{project_id}' has no passage '{chunk_id}'",
            "The ids of passages are in the answer to a query.",
        )
    passages = shown_json(shown, project.info.base_dir)
    items = [public_passage(passage, service.paths) for passage in passages]
    return JsonAnswer({"project": project_id, "count": len(items), "items": items})
