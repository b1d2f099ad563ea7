"""The views of answers: a question that is answered sentence by sentence, and conversations."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Form, Path, Query
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from citeloom.application.events import AnswerEvents
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.passages import LONGEST_QUESTION, AskRequest, ChatRequest
from citeloom.domain.errors import InvalidFilter
from citeloom.infrastructure.answers.ask import (
    AskAnswer,
    SessionAnswer,
    SessionEntry,
    TurnAnswer,
)
from citeloom.infrastructure.answers.ask_text import conversation_markdown
from citeloom.infrastructure.interfaces.http.responses import AnswerInProgress
from citeloom.infrastructure.interfaces.request_models import RequestBody
from citeloom.infrastructure.interfaces.web.views import (
    Changing,
    LatestValues,
    Visit,
    Visiting,
    streamed,
    view,
)

router = APIRouter()
Events = Callable[[], AsyncIterator[tuple[str, object]]]
SessionName = Annotated[str, Path(min_length=1, max_length=100)]
MOST_WAITING = 1000


class AskForm(RequestBody[AskRequest]):
    """A question, or none yet."""

    text: str = ""


@router.get("/ask")
async def ask(form: Annotated[AskForm, Query()], visit: Visiting) -> Response:
    """The form, and the answer as it is made; a link on another site only fills in the form."""
    asked = form.asked() if form.text and visit.is_own else None

    def answer(request: AskRequest) -> AskAnswer:
        return AskAnswer.of(visit.project.ask(request), correlation_id="")

    events = _events(visit, asked, answer) if asked else None
    return streamed("ask.html", visit, {"form": form, "events": events})


def _events(visit: Visit, asked: AskRequest, answer: Callable[..., AskAnswer]) -> Events:
    """What a page shows of an answer, part by part: `passages`, `sentence`, `answer`; or the
    `problem` that ended it.
    """
    service = visit.service
    asked = service.limits.admitted(asked, visit.project.project.retrieval.top_k)

    def make(events: AnswerEvents, cancellation: Cancellation) -> AskAnswer:
        return answer(replace(asked, events=events, cancellation=cancellation))

    async def each() -> AsyncIterator[tuple[str, object]]:
        try:
            async for event in AnswerInProgress(service, visit.request).each(make):
                yield event
        except Exception as error:  # noqa: BLE001 - the page is begun, and says so
            yield "problem", visit.refusal(error)

    return each


# Conversations. A question is sent once, and answered on the page that this leads to; that page,
# loaded again, has the conversation without asking anew.


def questions_of(visit: Visit) -> LatestValues[str]:
    """Questions that were sent and whose page has not been loaded, by a name that is used once."""
    questions: LatestValues[str] = visit.request.app.state.questions
    return questions


@router.get("/chat")
@view("chat.html")
def chat(visit: Visiting) -> dict[str, object]:
    """The conversations of a project, the last used first, and the form that begins one."""
    return {
        "session": None,
        "events": None,
        "sessions": tuple(map(SessionEntry.of, visit.project.sessions.listed())),
    }


@router.post("/chat", dependencies=[Changing])
async def send(
    visit: Visiting,
    text: Annotated[str, Form(max_length=LONGEST_QUESTION)] = "",
    session_id: Annotated[str, Form(max_length=100)] = "new",
) -> Response:
    """Take a question, and lead to the page that answers it."""
    if not text.strip():
        raise InvalidFilter("there is no question", "Write one, in a sentence or two.")
    questions_of(visit).keep(name := secrets.token_urlsafe(12), text.strip())
    return RedirectResponse(visit.address(f"/chat/{session_id}", question=name), 303)


@router.get("/chat/{session_id}")
async def conversation(session_id: SessionName, visit: Visiting, question: str = "") -> Response:
    """A conversation, and below it the answer to a question that was just sent."""
    is_new = session_id == "new"
    text = questions_of(visit).take(question) if question and visit.is_own else None
    if is_new and text is None:
        return RedirectResponse(visit.address("/chat"), 303)

    def stored() -> SessionAnswer:
        return SessionAnswer.of_conversation(visit.project.sessions.conversation(session_id))

    events = None
    if text is not None:
        request = ChatRequest(text, session_id=None if is_new else session_id)
        events = _events(
            visit, request, lambda asked: TurnAnswer.of_turn(visit.project.chat(asked))
        )
    session = None if is_new else await visit.run(stored)
    return streamed(
        "conversation.html", visit, {"session": session, "text": text, "events": events}
    )


@router.get("/chat/{session_id}/markdown")
@view("")
def markdown(session_id: SessionName, visit: Visiting) -> Response:
    """A conversation as Markdown with citations for Pandoc, and its sources."""
    text = conversation_markdown(visit.project.sessions.conversation(session_id))
    headers = {"Content-Disposition": 'attachment; filename="conversation.md"'}
    return PlainTextResponse(text, media_type="text/markdown", headers=headers)


@router.post("/chat/{session_id}/delete", dependencies=[Changing])
async def delete(session_id: SessionName, visit: Visiting) -> Response:
    """Delete a conversation with all its questions and answers."""
    await visit.run(lambda: visit.project.sessions.delete(session_id))
    return RedirectResponse(visit.address("/chat"), 303)
