"""Answers and conversations."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from citeloom.application.answering.write import AnswerEvents
from citeloom.application.options import AskOptions
from citeloom.application.ports.runtime import Cancellation
from citeloom.infrastructure.interfaces.http.answers import (
    EVENTS,
    AnswerInProgress,
    Json,
    JsonAnswer,
    Responses,
    in_shape,
    listed,
    public_answer,
    shape_of,
    wants_events,
)
from citeloom.infrastructure.interfaces.http.requests import (
    AskBody,
    ChatBody,
    Identifier,
    Limit,
    Offset,
    ProjectParameter,
)
from citeloom.infrastructure.interfaces.http.routes import PREFIX, RequestId, Served
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.serialisation.answers import answer_json
from citeloom.infrastructure.serialisation.conversations import (
    conversation_json,
    conversation_markdown,
    session_json,
    turn_json,
)
from citeloom.infrastructure.serialisation.schemas.answers import (
    AskAnswer,
    SessionAnswer,
    SessionList,
    TurnAnswer,
)

# Questions that are answered.

router = APIRouter(prefix=PREFIX, tags=["answers"])


@router.post("/ask", response_model=AskAnswer, responses=EVENTS, operation_id="ask")
async def ask(body: AskBody, request: Request, service: Served, request_id: RequestId) -> Response:
    """Answer a question with sentences that are tied to words of a passage, or say that the project
    does not answer it. As events, it comes sentence by sentence.
    """
    service.limits.check_query(body.text, body.top_k)
    project = service.project(body.project)
    shape = shape_of(project, body.shape)
    top_k = service.limits.passages(body.top_k, project.project.retrieval.top_k)

    def make(events: AnswerEvents, cancellation: Cancellation) -> Json | list[Json]:
        answer = project.ask(
            body.text,
            events=events,
            cancellation=cancellation,
            **body.options(AskOptions, top_k=top_k),
        )
        made = answer_json(answer, project.info.base_dir)
        return in_shape(public_answer(made, service, request_id), shape)

    progress = AnswerInProgress(service, project, request)
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
    service.limits.check_query(body.text, body.top_k)
    project = service.project(body.project)
    shape = shape_of(project, body.shape)
    top_k = service.limits.passages(body.top_k, project.project.retrieval.top_k)

    def make(events: AnswerEvents, cancellation: Cancellation) -> Json | list[Json]:
        turn = project.chat(
            body.text,
            session_id=body.session_id,
            events=events,
            cancellation=cancellation,
            **body.options(AskOptions, top_k=top_k),
        )
        made = turn_json(turn, project.info.base_dir)
        return in_shape(public_answer(made, service, request_id), shape)

    progress = AnswerInProgress(service, project, request)
    return await progress.answered(make, stream=wants_events(request, body.stream))


@chat_router.get("/sessions", response_model=SessionList, operation_id="list_sessions")
async def sessions(
    project: ProjectParameter, service: Served, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """List the sessions of a project, the last used first."""
    chosen = service.project(project)
    conversations = await service.run(chosen.sessions.listed)
    page = listed(conversations, session_json, offset=offset, limit=limit)
    return JsonAnswer({"project": project, **page})


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
    shown = conversation_json(conversation, project.info.base_dir)
    public = [public_answer(turn, service, turn["correlation_id"]) for turn in shown["turns"]]
    return JsonAnswer({**shown, "turns": public})
