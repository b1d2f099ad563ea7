"""Questions that are answered."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from citeloom.application.answering.events import AnswerEvents
from citeloom.application.cancellation import Cancellation
from citeloom.infrastructure.interfaces.http.answering import (
    EVENTS,
    AnswerInProgress,
    public_answer,
    wants_events,
)
from citeloom.infrastructure.interfaces.http.answers import Json
from citeloom.infrastructure.interfaces.http.routes import PREFIX
from citeloom.infrastructure.interfaces.http.schemas.answers import AskAnswer
from citeloom.infrastructure.interfaces.http.schemas.requests import AskBody
from citeloom.infrastructure.interfaces.http.service import RequestId, Served
from citeloom.infrastructure.serialisation.answers import answer_json

router = APIRouter(prefix=PREFIX, tags=["answers"])


@router.post("/ask", response_model=AskAnswer, responses=EVENTS, operation_id="ask")
async def ask(body: AskBody, request: Request, service: Served, request_id: RequestId) -> Response:
    """Answer a question with sentences that are tied to words of a passage, or say that the project
    does not answer it. As events, it comes sentence by sentence.
    """
    service.limits.check_query(body.text, body.top_k)
    project = service.project(body.project)
    top_k = service.limits.passages(body.top_k, project.project.retrieval.top_k)

    def make(events: AnswerEvents, cancellation: Cancellation) -> Json:
        answer = project.ask(
            body.text, events=events, cancellation=cancellation, **body.options(top_k)
        )
        made = answer_json(answer, project.info.base_dir)
        return public_answer(made, service, request_id)

    progress = AnswerInProgress(service, project, request)
    return await progress.answered(make, stream=wants_events(request, body.stream))
