"""The views of passages and works: the picture of a page, and what is marked on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import RedirectResponse, Response

from citeloom.application.retrieval.show import LEAST_SCALE, MOST_SCALE
from citeloom.infrastructure.answers.pages import PageAnswer
from citeloom.infrastructure.interfaces.web.views import Visiting, view

router = APIRouter()
Identifier = Annotated[str, Path(min_length=1, max_length=300)]
Words = Annotated[str, Query(max_length=4_000)]
Scale = Annotated[float, Query(ge=LEAST_SCALE, le=MOST_SCALE)]
PageNumber = Annotated[int | None, Query(ge=1, le=100_000)]
ChunkId = Annotated[str | None, Query(max_length=300)]
_IMAGE_SECONDS = 15.0
_IMAGE_DAYS = 30
_SCALES = (1.0, 1.5, 2.0, 3.0)
_NEAR = 4
"""How many thumbnails are shown before and after a page."""
_AS_IT_IS = {"Content-Encoding": "identity"}
"""A picture is compressed already."""


@router.get("/passages/{chunk_id}")
@view("")
def passage(chunk_id: Identifier, visit: Visiting, words: Words = "") -> Response:
    """The address of a passage: opens its work where it is."""
    doc_id = visit.project.show(chunk_id, context=0).chunks[0].chunk.doc_id
    target = visit.address(f"/works/{doc_id}", passage=chunk_id, words=words)
    return RedirectResponse(target, status_code=303)


@router.get("/passages/{chunk_id}/page.png")
async def marked_page(
    chunk_id: Identifier,
    visit: Visiting,
    page: PageNumber = None,
    words: Words = "",
    scale: Scale = 1.5,
) -> Response:
    """A page of a passage as PNG, with it marked, or these words of it alone."""
    chosen = visit.project
    image = await visit.service.drawings.run(
        lambda: chosen.page_image(chunk_id, page=page, scale=scale, words=words), _IMAGE_SECONDS
    )
    return Response(image, media_type="image/png", headers=_AS_IT_IS)


@router.get("/works/{doc_id}/pages/{page}.png")
async def plain_page(
    doc_id: Identifier,
    page: Annotated[int, Path(ge=1, le=100_000)],
    visit: Visiting,
    scale: Scale = 1.5,
) -> Response:
    """A page of a document as PNG, which does not change: its id is of its content."""
    headers = {
        **_AS_IT_IS,
        "ETag": f'"{doc_id}-{page}-{scale:g}-{visit.request.app.version}"',
        "Cache-Control": f"private, max-age={_IMAGE_DAYS * 24 * 3600}, immutable",
    }
    if visit.request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    chosen = visit.project
    image = await visit.service.drawings.run(
        lambda: chosen.plain_page(doc_id, page, scale=scale), _IMAGE_SECONDS
    )
    return Response(image, media_type="image/png", headers=headers)


@router.get("/works/{doc_id}")
@view("work.html")
def work(
    doc_id: Identifier,
    visit: Visiting,
    page: PageNumber = None,
    label: Annotated[str | None, Query(max_length=50)] = None,
    passage: ChunkId = None,
    words: Words = "",
    scale: Scale = 1.5,
) -> Mapping[str, object]:
    """A page of a work, with what is marked on it; without fixed pages, a part of its text."""
    shown = visit.project.page_view(doc_id, page=page, label=label, chunk_id=passage, words=words)
    answer = PageAnswer.of(shown, visit.project_id)
    near = range(max(answer.page - _NEAR, 1), min(answer.page + _NEAR, len(answer.pages)) + 1)
    here = max(
        (entry.page or 0 for entry in answer.outline if (entry.page or 0) <= answer.page), default=0
    )
    return {
        "shown": answer,
        "words": words,
        "scale": scale,
        "scales": _SCALES,
        "near": [answer.pages[number - 1] for number in near],
        "here": here,
    }
