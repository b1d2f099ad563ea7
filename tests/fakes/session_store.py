"""An in-memory `SessionStore`."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from citeloom.application.ports.records import SessionStore
from citeloom.domain.answers.session import (
    Conversation,
    Session,
    Turn,
    no_session,
)
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.policies import MOST_TURNS


class InMemorySessions(SessionStore):
    """Keeps conversations in a dictionary, unless it is `read_only`."""

    def __init__(self, *, read_only: bool = False) -> None:
        self._read_only = read_only
        self._kept: dict[tuple[str, str], Conversation] = {}

    def check_writable(self) -> None:
        if self._read_only:
            raise IndexUnavailable("the sessions cannot be written", "Ask elsewhere.")

    def begin(self, conversation: Conversation) -> None:
        session = conversation.session
        self._kept[session.project_id, session.id] = conversation

    def append(self, project_id: str, turn: Turn, *, keep: int = MOST_TURNS) -> None:
        found = self._kept.get((project_id, turn.session_id))
        if found is None:
            raise no_session(turn.session_id)
        session = found.session
        counted = replace(session, asked=session.asked + 1, updated_at=turn.answered_at)
        turns = (*found.turns, turn)[-keep:]
        self._kept[project_id, turn.session_id] = Conversation(session=counted, turns=turns)

    def get(
        self, project_id: str, session_id: str, *, last: int | None = None
    ) -> Conversation | None:
        found = self._kept.get((project_id, session_id))
        if found is None or last is None:
            return found
        first = max(0, len(found.turns) - last)
        return replace(found, turns=found.turns[first:])

    def sessions(self, project_id: str) -> list[Session]:
        mine = [one.session for (owner, _), one in self._kept.items() if owner == project_id]
        by_id = sorted(mine, key=lambda one: one.id)
        return sorted(by_id, key=lambda one: one.updated_at, reverse=True)

    def delete(self, project_id: str, session_id: str) -> bool:
        return self._kept.pop((project_id, session_id), None) is not None

    def delete_unused(self, project_id: str, *, since: datetime) -> int:
        unused = [one for one in self.sessions(project_id) if one.updated_at < since]
        return 0 if self._read_only else sum(self.delete(project_id, one.id) for one in unused)

    def close(self) -> None:
        """Nothing is open: the sessions stay."""
