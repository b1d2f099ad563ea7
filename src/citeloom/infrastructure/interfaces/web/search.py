"""The view of searches: passages that answer a question, by work."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from citeloom.application.requests.passages import QueryRequest
from citeloom.infrastructure.answers.passages import QueryAnswer
from citeloom.infrastructure.interfaces.request_models import RequestBody
from citeloom.infrastructure.interfaces.web.views import PageOutcome, Visiting, streamed

router = APIRouter()


class SearchForm(RequestBody[QueryRequest]):
    """A question, or none yet."""

    text: str = ""


@router.get("/")
@router.get("/search")
async def search(form: Annotated[SearchForm, Query()], visit: Visiting) -> Response:
    """The form, and the passages once they are found."""

    def find() -> QueryAnswer:
        request = visit.service.limits.admitted(form.asked(), visit.project.project.retrieval.top_k)
        return QueryAnswer.of(visit.project.query(request), correlation_id="")

    seconds = visit.service.limits.hybrid_seconds

    async def found() -> PageOutcome:
        return await visit.outcome(visit.run(find, seconds))

    return streamed("search.html", visit, {"form": form, "found": found})
