"""Questions and passages."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from citeloom.application.manuscript.collect import LONGEST_CHAPTER, LONGEST_COMMENT, MOST_TAGS
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
from citeloom.infrastructure.interfaces.http.answers import (
    JsonAnswer,
    Responses,
)
from citeloom.infrastructure.interfaces.http.routes import (
    PREFIX,
    Body,
    Identifier,
    ProjectParameter,
    RequestId,
    Served,
)
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.interfaces.request_models import SOME_TEXT, Name, OfProject

_IMAGE_SECONDS = 15.0
_MOST_CONTEXT = 10
Context = Annotated[int, Query(ge=0, le=_MOST_CONTEXT, description="Neighbours on each side.")]
_PNG: Responses = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}
}

router = APIRouter(prefix=PREFIX, tags=["passages"])


class CollectBody(OfProject):
    """A passage to collect in the Markdown file of a chapter, with a comment and tags."""

    chunk_id: Name
    chapter: str = Field(min_length=1, max_length=LONGEST_CHAPTER, pattern=SOME_TEXT)
    comment: str = Field(default="", max_length=LONGEST_COMMENT)
    tags: list[Name] = Field(default=[], max_length=MOST_TAGS)


@router.post("/query", response_model=QueryAnswer, operation_id="query")
async def query(body: Body[QueryRequest], service: Served, request_id: RequestId) -> Response:
    """Find the passages that answer a question, best first, each with its citation to the page."""
    limits, project = service.limits, service.project(body.project)
    request = limits.admitted(body.asked(), project.project.retrieval.top_k)

    def answer() -> Response:
        found = QueryAnswer.of(project.query(request), correlation_id=request_id)
        return JsonAnswer(found, service.door)

    seconds = limits.query_seconds if request.mode is Mode.DENSE else limits.hybrid_seconds
    return await service.run(answer, seconds)


@router.get("/query", response_model=QueryAnswer, operation_id="query_by_address")
async def query_by_address(
    parameters: Annotated[Body[QueryRequest], Query()], service: Served, request_id: RequestId
) -> Response:
    """The same, asked with an address."""
    return await query(parameters, service, request_id)


@router.post("/find", response_model=ConcordanceAnswer, operation_id="find")
async def find(body: Body[FindRequest], service: Served) -> Response:
    """Find every place of a word, with the words around it and its page."""
    chosen, request = service.project(body.project), body.asked()
    top_k = request.top_k or service.limits.top_k
    concordance = await service.run(lambda: chosen.find(request))
    return JsonAnswer(ConcordanceAnswer.of(concordance, top_k), service.door)


@router.post("/collect", response_model=CollectedAnswer, operation_id="collect")
async def collect(body: CollectBody, service: Served) -> Response:
    """Append a passage with a comment and tags to the Markdown file of a chapter, once."""
    chosen = service.project(body.project)
    passage = await service.run(
        lambda: chosen.collect(
            body.chunk_id, chapter=body.chapter, comment=body.comment, tags=body.tags
        )
    )
    return JsonAnswer(CollectedAnswer.of(passage), service.door)


@router.get("/collect", response_model=ChaptersAnswer, operation_id="list_chapters")
async def chapters(project: ProjectParameter, service: Served) -> Response:
    """List the chapters that passages are collected for, each with their ids."""
    chosen = service.project(project)
    listed = await service.run(chosen.chapters)
    items = tuple(map(CollectedChapter.of, listed))
    return JsonAnswer(ChaptersAnswer(project=project, count=len(items), items=items), service.door)


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


def _shown(service: ServedLibrary, project_id: str, chunk_id: str, context: int) -> Response:
    project = service.project(project_id)
    shown = project.show(chunk_id, context=context)
    if shown.chunks[0].chunk.id != chunk_id:  # a citekey, of a work that may be very long
        raise NotFound(
            f"project '{project_id}' has no passage '{chunk_id}'",
            "The ids of passages are in the answer to a query.",
        )
    return JsonAnswer(PassageAnswer.of(shown, project_id), service.door)
