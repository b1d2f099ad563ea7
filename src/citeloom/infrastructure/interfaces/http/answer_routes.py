"""Answers and conversations, drafts and matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse, Response

from citeloom.application.events import AnswerEvents
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.manuscript import (
    CheckTextRequest,
    CiteRequest,
    MatrixRequest,
    SupportTextRequest,
)
from citeloom.application.requests.passages import AskRequest, ChatRequest
from citeloom.infrastructure.answers.ask import (
    AskAnswer,
    SessionAnswer,
    SessionEntry,
    SessionList,
    TurnAnswer,
)
from citeloom.infrastructure.answers.ask_text import conversation_markdown
from citeloom.infrastructure.answers.draft_checks import CitedAnswer, DraftChecks
from citeloom.infrastructure.answers.draft_support import SupportAnswer
from citeloom.infrastructure.answers.json import shaped_answer
from citeloom.infrastructure.answers.literature_matrix import MatrixAnswer
from citeloom.infrastructure.answers.model import replaced
from citeloom.infrastructure.interfaces.http.responses import (
    EVENTS,
    PREFIX,
    AnswerInProgress,
    Identifier,
    ProjectPagination,
    ProjectParameter,
    RequestId,
    Responses,
    Served,
    in_thread,
    shape_of,
    wants_events,
)
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.interfaces.request_models import Name, RequestBody

AskT = TypeVar("AskT", bound=AskRequest)

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


class AskBody(Shaped, RequestBody[AskRequest]):
    """A question that is answered from the passages that meet the filters."""


class ChatBody(Shaped, RequestBody[ChatRequest]):
    """The next question of a session, or the first of a new one."""


router = APIRouter(prefix=PREFIX, tags=["answers"])


@router.post("/ask", response_model=AskAnswer, responses=EVENTS, operation_id="ask")
async def ask(body: AskBody, request: Request, service: Served, request_id: RequestId) -> Response:
    """Answer a question with sentences that are tied to words of a passage, or say that the project
    does not answer it. As events, it comes sentence by sentence.
    """
    project = service.project(body.project)

    def answer(asked: AskRequest) -> AskAnswer:
        return AskAnswer.of(project.ask(asked), correlation_id=request_id)

    return await _answered(answer, body.asked(), body, request, service)


async def _answered(
    answer: Callable[[AskT], AskAnswer],
    asked: AskT,
    body: AskBody | ChatBody,
    request: Request,
    service: ServedLibrary,
) -> Response:
    project = service.project(body.project)
    shape = shape_of(project, body.shape)
    asked = service.limits.admitted(asked, project.project.retrieval.top_k)

    def make(events: AnswerEvents, cancellation: Cancellation) -> object:
        made = answer(replace(asked, events=events, cancellation=cancellation))
        return made if shape is None else shaped_answer(shape, made, service.door)

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

    def answer(asked: ChatRequest) -> AskAnswer:
        return replaced(TurnAnswer.of_turn(project.chat(asked)), correlation_id=request_id)

    return await _answered(answer, body.asked(), body, request, service)


@chat_router.get("/sessions", operation_id="list_sessions")
@in_thread()
def sessions(page: Annotated[ProjectPagination, Query()], service: Served) -> SessionList:
    """List the sessions of a project, the last used first."""
    listed = service.project(page.project).sessions.listed()
    return page.of(SessionList, listed, SessionEntry.of, project=page.project)


@chat_router.get("/sessions/{session_id}", operation_id="get_session")
@in_thread()
def session(session_id: Identifier, project: ProjectParameter, service: Served) -> SessionAnswer:
    """Show a session with its questions and answers."""
    conversation = service.project(project).sessions.conversation(session_id)
    return SessionAnswer.of_conversation(conversation)


@chat_router.get(
    "/sessions/{session_id}/export",
    response_class=Response,
    responses=_MARKDOWN,
    operation_id="export_session",
)
@in_thread()
def export(session_id: Identifier, project: ProjectParameter, service: Served) -> Response:
    """Give a session as Markdown with citations for Pandoc, and its sources."""
    conversation = service.project(project).sessions.conversation(session_id)
    return PlainTextResponse(conversation_markdown(conversation), media_type="text/markdown")


@chat_router.delete(
    "/sessions/{session_id}",
    status_code=204,
    response_class=Response,
    operation_id="delete_session",
)
@in_thread()
def delete(session_id: Identifier, project: ProjectParameter, service: Served) -> Response:
    """Delete a session with all its questions and answers."""
    service.project(project).sessions.delete(session_id)
    return Response(status_code=204)


# Drafts: citations formatted, quotations checked, support found; and a literature matrix.

draft_router = APIRouter(prefix=PREFIX, tags=["drafts"])


@draft_router.post("/cite", response_model=CitedAnswer, operation_id="cite")
async def cite(body: RequestBody[CiteRequest], request: Request, service: Served) -> Response:
    """Format citations of works and passages, in a style or as a program reads them."""
    project = service.project(body.project)

    def make(_: object, cancellation: Cancellation) -> CitedAnswer:
        asked = body.asked(cancellation=cancellation)
        return CitedAnswer(project=body.project, format=asked.form, text=project.cite(asked))

    seconds = service.limits.hybrid_seconds
    return await AnswerInProgress(service, request, service.drafts, seconds).answered(make)


@draft_router.post("/check", response_model=DraftChecks, operation_id="check_draft")
async def check(body: RequestBody[CheckTextRequest], request: Request, service: Served) -> Response:
    """Check every quotation and citation of a draft against the cited works."""
    project = service.project(body.project)

    def make(_: object, cancellation: Cancellation) -> DraftChecks:
        asked = body.asked(cancellation=cancellation)
        draft = project.read_text(asked.text, asked.markup, cancellation=cancellation)
        return DraftChecks.of(project.check_drafts(replace(asked, drafts=draft)))

    return await AnswerInProgress(service, request, service.drafts).answered(make)


@draft_router.post("/support", response_model=SupportAnswer, operation_id="support_draft")
async def support(
    body: RequestBody[SupportTextRequest], request: Request, service: Served
) -> Response:
    """Find the passages that support a draft's sentences without a citation; `top_k` for each."""
    project = service.project(body.project)

    def make(_: object, cancellation: Cancellation) -> SupportAnswer:
        asked = body.asked(cancellation=cancellation)
        draft = project.read_text(asked.text, asked.markup, cancellation=cancellation)
        return SupportAnswer.of(project.support_drafts(replace(asked, drafts=draft)))

    return await AnswerInProgress(service, request, service.drafts).answered(make)


@draft_router.post("/matrix", response_model=MatrixAnswer, operation_id="literature_matrix")
async def matrix(body: RequestBody[MatrixRequest], request: Request, service: Served) -> Response:
    """Ask each work each question: the best passage of it, or nothing where none is near enough."""
    project = service.project(body.project)

    def make(_: object, cancellation: Cancellation) -> MatrixAnswer:
        return MatrixAnswer.of(project.matrix(body.asked(cancellation=cancellation)))

    return await AnswerInProgress(service, request).answered(make)
