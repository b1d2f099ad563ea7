"""Where conversations are kept."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime
from typing import Protocol

from citeloom.domain.answers.session import MOST_TURNS, Conversation, Session, Turn


class SessionStore(Protocol):
    """The sessions of each project. Every write is durable once it returns.

    A session is found by its project alone: one project never sees another's. Turns appended by
    several processes at once are all kept, each whole, in the order in which they were appended.
    """

    @abstractmethod
    def check_writable(self) -> None:
        """Raise `IndexUnavailable` if it is known beforehand that nothing can be stored."""
        ...

    @abstractmethod
    def begin(self, conversation: Conversation) -> None:
        """Store a new session with its turns. Its id must not have been used before."""
        ...

    @abstractmethod
    def append(self, project_id: str, turn: Turn, *, keep: int = MOST_TURNS) -> None:
        """Store a turn behind the others of its session, of which the last `keep` stay.

        Raises `NotFound` if the project has no such session, or none any more.
        """
        ...

    @abstractmethod
    def get(
        self, project_id: str, session_id: str, *, last: int | None = None
    ) -> Conversation | None:
        """A session with its last turns, by default all; None where the project has none."""
        ...

    @abstractmethod
    def sessions(self, project_id: str) -> list[Session]:
        """The sessions of a project, the last used first."""
        ...

    @abstractmethod
    def delete(self, project_id: str, session_id: str) -> bool:
        """Delete a session with all its turns; whether there was one."""
        ...

    @abstractmethod
    def delete_unused(self, project_id: str, *, since: datetime) -> int:
        """Delete the sessions of a project that were last used before `since`; how many there were.
        A store that cannot be written deletes none.
        """
        ...

    @abstractmethod
    def close(self) -> None:
        """Close the store. May be called twice."""
        ...
