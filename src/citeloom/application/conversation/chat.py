"""The use case `chat`: the next question of a conversation, answered and kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import uuid4

from citeloom.application.answering.ask import Ask, AskRequest
from citeloom.application.answering.events import AnswerEvents
from citeloom.application.cancellation import Cancellation
from citeloom.application.conversation.self_contained import MakeSelfContained
from citeloom.application.conversation.sessions import SessionRetention
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.session_store import SessionStore
from citeloom.domain.answers.excerpt import excerpt
from citeloom.domain.answers.session import FollowUp, Turn, begun_with, no_session
from citeloom.domain.errors import IncompleteReply
from citeloom.domain.filters import Filters, check_text

REMEMBERED = 3
"""The turns that a question may refer to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """The next question of a session, or the first of a new one, and what it is answered from. With
    `quote_first` a model only chooses, orders and connects quotations.

    Raises `InvalidFilter` for an empty question and one of more than 2,000 characters.
    """

    question: str
    session_id: str | None = None
    filters: Filters = field(default_factory=Filters)
    top_k: int | None = None
    quote_first: bool = False

    def __post_init__(self) -> None:
        self.asking(self.question)
        if self.session_id is not None:
            check_text("session", self.session_id)

    def asking(self, question: str) -> AskRequest:
        """The request of that question instead."""
        return AskRequest(
            question=question,
            filters=self.filters,
            top_k=self.top_k,
            quote_first=self.quote_first,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Answers the questions of conversations, each with regard to those before, and keeps them."""

    ask: Ask
    make_self_contained: MakeSelfContained
    sessions: SessionStore
    retention: SessionRetention
    clock: Clock

    def __call__(
        self,
        request: ChatRequest,
        events: AnswerEvents | None = None,
        cancellation: Cancellation | None = None,
    ) -> Turn:
        """The turn as it is kept: it is stored once this returns, and not at all if this raises.
        `events` are told of the answer while it is made.

        Raises `IndexUnavailable` before anything is asked if it could not be kept, `NotFound` if
        the project has no such session, what `Ask` raises, and `IncompleteReply` if it was
        cancelled.
        """
        self.sessions.check_writable()
        self.retention(self._project_id)
        asked_at = self.clock.now()
        follow_up = self._follow_up(request, cancellation)
        answer = self.ask(request.asking(follow_up.asked), events, cancellation)
        if cancellation is not None and cancellation.requested:
            raise IncompleteReply("the question was cancelled, and is not kept", "Ask again.")
        turn = Turn(
            id=answer.query_id,
            answer_id=answer.id,
            session_id=request.session_id or uuid4().hex[:12],
            question=request.question,
            follow_up=follow_up,
            answer=excerpt(answer),
            asked_at=asked_at,
            answered_at=self.clock.now(),
        )
        self._keep(turn, new=request.session_id is None)
        return turn

    def _follow_up(self, request: ChatRequest, cancellation: Cancellation | None) -> FollowUp:
        """What the question really asks."""
        if request.session_id is None:
            return FollowUp(asked=request.question)
        found = self.sessions.get(self._project_id, request.session_id, last=REMEMBERED)
        if found is None:
            raise no_session(request.session_id)
        return self.make_self_contained(request.question, found.turns, cancellation)

    def _keep(self, turn: Turn, *, new: bool) -> None:
        if new:
            self.sessions.begin(begun_with(self._project_id, turn))
        else:
            self.sessions.append(self._project_id, turn)

    @property
    def _project_id(self) -> str:
        return self.ask.query.project.id
