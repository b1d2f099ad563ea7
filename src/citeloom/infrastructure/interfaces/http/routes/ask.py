"""Answers and conversations."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse, Response

from citeloom.application.events import AnswerEvents
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.passages import AskRequest, ChatRequest
from citeloom.infrastructure.answers.ask import (
    AskAnswer,
    SessionAnswer,
    SessionEntry,
    SessionList,
    TurnAnswer,
)
from citeloom.infrastructure.answers.conversations import (
    conversation_markdown,
)
from citeloom.infrastructure.answers.model import replaced
from citeloom.infrastructure.interfaces.http.answers import (
    EVENTS,
    AnswerInProgress,
    JsonAnswer,
    Responses,
    in_shape,
    listed,
    shape_of,
    wants_events,
)
from citeloom.infrastructure.interfaces.http.routes import (
    PREFIX,
    Body,
    Identifier,
    Limit,
    Offset,
    ProjectParameter,
    RequestId,
    Served,
)
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.interfaces.request_models import Name

# Questions that are answered.


class Shaped(BaseModel):
    """How an answer comes."""

    stream: bool = Field(
        default=False,
        description="As server-sent events, as for an `Accept` of `text/event-stream`.",
    )
    shape: Name | None = Field(
        default=None,
        alias="as",
        description="The answer has the fields of this shape of the project alone.",
    )


class AskBody(Shaped, Body[AskRequest]):
    """A question that is answered from the passages that meet the filters."""


class ChatBody(Shaped, Body[ChatRequest]):
    """The next question of a session, or the first of a new one."""


router = APIRouter(prefix=PREFIX, tags=["answers"])


@router.post("/ask", response_model=AskAnswer, responses=EVENTS, operation_id="ask")
async def ask(body: AskBody, request: Request, service: Served, request_id: RequestId) -> Response:
    """Answer a question with sentences that are tied to words of a passage, or say that the project
    does not answer it. As events, it comes sentence by sentence.
    """
    project = service.project(body.project)
    shape = shape_of(project, body.shape)
    asked = service.limits.admitted(body.asked(), project.project.retrieval.top_k)

    def make(events: AnswerEvents, cancellation: Cancellation) -> object:
        answer = project.ask(replace(asked, events=events, cancellation=cancellation))
        return in_shape(AskAnswer.of(answer, correlation_id=request_id), shape, service.door)

    progress = AnswerInProgress(service, request)
    return await progress.answered(make, stream=wants_events(request, body.stream))


# Conversations: questions one after another, and the sessions they are kept in.

_MARKDOWN: Responses = {200: {"content": {"text/markdown": {"schema": {"type": "string"}}}}}

chat_router = APIRouter(prefix=f"{PREFIX}/chat", tags=["answers"])


@chat_router.post("", response_model=TurnAnswer, responses=EVENTS, operation_id="chat")
async def chat(
    body: ChatBody, request: Request, service: Served, request_id: RequestId
) -> Response:
    """Answer the next question of a session, or the first of a new one, as `ask` does; a follow-up
    is made self-contained first. It is kept once it is answered.
    """
    project = service.project(body.project)
    shape = shape_of(project, body.shape)
    asked = service.limits.admitted(body.asked(), project.project.retrieval.top_k)

    def make(events: AnswerEvents, cancellation: Cancellation) -> object:
        turn = project.chat(replace(asked, events=events, cancellation=cancellation))
        answer = replaced(TurnAnswer.of_turn(turn), correlation_id=request_id)
        return in_shape(answer, shape, service.door)

    progress = AnswerInProgress(service, request)
    return await progress.answered(make, stream=wants_events(request, body.stream))


@chat_router.get("/sessions", response_model=SessionList, operation_id="list_sessions")
async def sessions(
    project: ProjectParameter, service: Served, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """List the sessions of a project, the last used first."""
    chosen = service.project(project)
    conversations = await service.run(chosen.sessions.listed)
    page = listed(conversations, SessionEntry.of, offset=offset, limit=limit)
    return JsonAnswer({"project": project, **page}, service.door)


@chat_router.get("/sessions/{session_id}", response_model=SessionAnswer, operation_id="get_session")
async def session(session_id: Identifier, project: ProjectParameter, service: Served) -> Response:
    """Show a session with its questions and answers."""
    return await service.run(lambda: _shown(service, project, session_id))


@chat_router.get(
    "/sessions/{session_id}/export",
    response_class=Response,
    responses=_MARKDOWN,
    operation_id="export_session",
)
async def export(session_id: Identifier, project: ProjectParameter, service: Served) -> Response:
    """Give a session as Markdown with citations for Pandoc, and its sources."""
    chosen = service.project(project)
    text = await service.run(
        lambda: conversation_markdown(chosen.sessions.conversation(session_id))
    )
    return PlainTextResponse(text, media_type="text/markdown")


@chat_router.delete(
    "/sessions/{session_id}",
    status_code=204,
    response_class=Response,
    operation_id="delete_session",
)
async def delete(session_id: Identifier, project: ProjectParameter, service: Served) -> Response:
    """Delete a session with all its questions and answers."""
    chosen = service.project(project)
    await service.run(lambda: chosen.sessions.delete(session_id))
    return Response(status_code=204)


def _shown(service: ServedLibrary, project_id: str, session_id: str) -> Response:
    project = service.project(project_id)
    conversation = project.sessions.conversation(session_id)
    return JsonAnswer(SessionAnswer.of_conversation(conversation), service.door)
