"""The views of passages and works: the picture of a page, and what is marked on it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from citeloom.infrastructure.answers.passages import shown_passages
from citeloom.infrastructure.interfaces.web.views import Visiting, view

router = APIRouter()
Identifier = Annotated[str, Path(min_length=1, max_length=300)]
_IMAGE_SECONDS = 15.0


@router.get("/passages/{chunk_id}")
@view("passage.html")
def passage(chunk_id: Identifier, visit: Visiting) -> dict[str, object]:
    """A passage on its page, with its neighbours."""
    shown = visit.project.show(chunk_id, context=1)
    return {"passage": shown_passages(shown), "chunk_id": chunk_id}


@router.get("/passages/{chunk_id}/page.png")
async def picture(
    chunk_id: Identifier,
    visit: Visiting,
    page: Annotated[int | None, Query(ge=1, le=100_000)] = None,
) -> Response:
    """A page of a passage as PNG."""
    chosen = visit.project
    image = await visit.service.drawings.run(
        lambda: chosen.page_image(chunk_id, page=page), _IMAGE_SECONDS
    )
    return Response(image, media_type="image/png")
