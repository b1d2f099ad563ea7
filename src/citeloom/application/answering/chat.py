"""The use cases `chat` and `chat list`, `export` and `delete`: conversations and their store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from citeloom.application.answering.ask import Ask
from citeloom.application.answering.follow_ups import RewriteQuestion, self_contained
from citeloom.application.ports.records import SessionStore
from citeloom.application.ports.runtime import Clock
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
class Sessions:
    """The sessions of a project, of which those not used for `days` go; 0 keeps all for ever."""

    project: Project
    store: SessionStore
    clock: Clock
    days: int = 0

    def check_writable(self) -> None:
        """Raise `IndexUnavailable` if a session could not be stored."""
        self.store.check_writable()

    def delete_unused(self) -> None:
        """Delete the sessions that are too old, where the store can be written."""
        if self.days:
            since = self.clock.now() - timedelta(days=self.days)
            self.store.delete_unused(self.project.id, since=since)

    def listed(self) -> list[Session]:
        """The sessions, the last used first."""
        self.delete_unused()
        return self.store.sessions(self.project.id)

    def conversation(self, session_id: str, *, last: int | None = None) -> Conversation:
        """A session with its last turns, by default all, oldest first. Raises `NotFound`."""
        check_text("session", session_id)
        self.delete_unused()
        conversation = self.store.get(self.project.id, session_id, last=last)
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


def chat(
    request: ChatRequest, *, ask: Ask, sessions: Sessions, rewrite: RewriteQuestion | None = None
) -> Turn:
    """The turn, which is stored once this returns, and not at all if this raises.

    Raises `IndexUnavailable` before anything is asked if it could not be stored, `NotFound` if the
    project has no such session, what `Ask` raises, and `IncompleteReply` if it was cancelled.
    """
    sessions.check_writable()
    sessions.delete_unused()
    asked_at, follow_up = sessions.clock.now(), FollowUp(asked=request.text)
    if request.session_id is not None:
        earlier = sessions.conversation(request.session_id, last=REMEMBERED).turns
        follow_up = self_contained(request.text, earlier, rewrite, request.cancellation)
    answer = ask(request.asking(follow_up.asked))
    if request.cancellation is not None and request.cancellation.requested:
        raise IncompleteReply("the question was cancelled, and is not kept", "Ask again.")
    turn = Turn(
        id=answer.query_id,
        answer_id=answer.id,
        session_id=request.session_id or uuid4().hex[:12],
        question=request.text,
        follow_up=follow_up,
        answer=excerpt(answer),
        asked_at=asked_at,
        answered_at=sessions.clock.now(),
    )
    if request.session_id is None:
        sessions.store.begin(begun_with(sessions.project.id, turn))
    else:
        sessions.store.append(sessions.project.id, turn)
    return turn
