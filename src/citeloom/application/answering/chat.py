"""The use cases `chat` and `chat list`, `export` and `delete`: conversations and their store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from citeloom.application.answering.ask import Ask
from citeloom.application.answering.follow_ups import ResolveFollowUp
from citeloom.application.events import AnswerEvents
from citeloom.application.ports.records import SessionStore
from citeloom.application.ports.runtime import Cancellation, Clock
from citeloom.application.requests.passages import ChatRequest
from citeloom.domain.answers.session import (
    Conversation,
    FollowUp,
    Session,
    Turn,
    begun_with,
    excerpt,
    no_session,
)
from citeloom.domain.errors import IncompleteReply
from citeloom.domain.project import Project
from citeloom.domain.retrieval.filters import check_text

# The sessions of a project: listed, read and deleted, and how long they are kept.


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRetention:
    """Deletes the sessions that were not used for `days`; 0 keeps them for ever."""

    store: SessionStore
    clock: Clock
    days: int = 0

    def __call__(self, project_id: str) -> None:
        """Delete a project's sessions that are too old, where the store can be written."""
        if self.days:
            since = self.clock.now() - timedelta(days=self.days)
            self.store.delete_unused(project_id, since=since)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    project: Project
    store: SessionStore
    retention: SessionRetention

    def check_writable(self) -> None:
        """Raise `IndexUnavailable` if a session could not be stored."""
        self.store.check_writable()

    def listed(self) -> list[Session]:
        """The sessions, the last used first."""
        self.retention(self.project.id)
        return self.store.sessions(self.project.id)

    def conversation(self, session_id: str) -> Conversation:
        """A session with its turns, oldest first. Raises `NotFound`."""
        check_text("session", session_id)
        self.retention(self.project.id)
        conversation = self.store.get(self.project.id, session_id)
        if conversation is None:
            raise no_session(session_id)
        return conversation

    def delete(self, session_id: str) -> None:
        """Delete a session with all its turns. Raises `NotFound`."""
        check_text("session", session_id)
        if not self.store.delete(self.project.id, session_id):
            raise no_session(session_id)


# The use case `chat`: the next question of a conversation, answered and kept.

REMEMBERED = 3
"""The turns that a question may refer to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Answers the questions of conversations, each with the turns before it, and stores them."""

    ask: Ask
    make_self_contained: ResolveFollowUp
    sessions: SessionStore
    retention: SessionRetention
    clock: Clock

    def __call__(
        self,
        request: ChatRequest,
        events: AnswerEvents | None = None,
        cancellation: Cancellation | None = None,
    ) -> Turn:
        """The turn, which is stored once this returns, and not at all if this raises. `events`
        receives the answer while it is made.

        Raises `IndexUnavailable` before anything is asked if it could not be stored, `NotFound` if
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
            question=request.text,
            follow_up=follow_up,
            answer=excerpt(answer),
            asked_at=asked_at,
            answered_at=self.clock.now(),
        )
        if request.session_id is None:
            self.sessions.begin(begun_with(self._project_id, turn))
        else:
            self.sessions.append(self._project_id, turn)
        return turn

    def _follow_up(self, request: ChatRequest, cancellation: Cancellation | None) -> FollowUp:
        if request.session_id is None:
            return FollowUp(asked=request.text)
        conversation = self.sessions.get(self._project_id, request.session_id, last=REMEMBERED)
        if conversation is None:
            raise no_session(request.session_id)
        return self.make_self_contained(request.text, conversation.turns, cancellation)

    @property
    def _project_id(self) -> str:
        return self.ask.project.id
