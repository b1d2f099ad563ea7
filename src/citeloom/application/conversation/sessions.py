"""The sessions of a project: listed, read and deleted, and how long they are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from citeloom.application.ports.clock import Clock
from citeloom.application.ports.session_store import SessionStore
from citeloom.domain.answers.session import Conversation, Session, no_session
from citeloom.domain.filters import check_text
from citeloom.domain.project import Project


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
    """The conversations about one project."""

    project: Project
    store: SessionStore
    retention: SessionRetention

    def check_writable(self) -> None:
        """Raise `IndexUnavailable` if a session could not be kept."""
        self.store.check_writable()

    def listed(self) -> list[Session]:
        """The sessions, the last used first."""
        self.retention(self.project.id)
        return self.store.sessions(self.project.id)

    def conversation(self, session_id: str) -> Conversation:
        """A session with its turns, oldest first. Raises `NotFound`."""
        check_text("session", session_id)
        self.retention(self.project.id)
        found = self.store.get(self.project.id, session_id)
        if found is None:
            raise no_session(session_id)
        return found

    def delete(self, session_id: str) -> None:
        """Delete a session with all its turns. Raises `NotFound`."""
        check_text("session", session_id)
        if not self.store.delete(self.project.id, session_id):
            raise no_session(session_id)
