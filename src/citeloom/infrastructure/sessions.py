"""Sessions in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from citeloom.application.ports.records import SessionStore
from citeloom.domain.answers.session import Conversation, Session, Turn, no_session
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.policies import MOST_TURNS
from citeloom.infrastructure import sqlite_file
from citeloom.infrastructure.sqlite_file import Row, SqliteFile

# The tables of sessions, and the migrations of older files.

NAME = "the file of sessions"
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE sessions (
            project_id TEXT NOT NULL,
            id         TEXT NOT NULL,
            title      TEXT NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            asked      INTEGER NOT NULL,
            PRIMARY KEY (project_id, id)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE turns (
            project_id TEXT NOT NULL,
            session_id TEXT NOT NULL,
            number     INTEGER NOT NULL,
            turn       TEXT NOT NULL,
            PRIMARY KEY (project_id, session_id, number),
            FOREIGN KEY (project_id, session_id) REFERENCES sessions ON DELETE CASCADE
        )
        """,
    ),
)
"""The statements of each migration; `user_version` is the number of migrations applied."""


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate the file to the current schema in one transaction.

    Raises `IndexUnavailable` if its schema is newer than this version supports.
    """
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    sqlite_file.migrate(connection, MIGRATIONS, NAME)


_TURN = TypeAdapter(Turn)
_ADVICE = "If the file is damaged, move it away: the library itself is not in it."
_SESSIONS = "SELECT id, project_id, title, created_at, updated_at, asked FROM sessions"
_BEGIN = (
    "INSERT INTO sessions (id, project_id, title, created_at, updated_at, asked) "
    "VALUES (?, ?, ?, ?, ?, ?)"
)
_TURNS = (
    "SELECT turn FROM (SELECT number, turn FROM turns WHERE project_id = ? AND session_id = ? "
    "ORDER BY number DESC LIMIT ?) ORDER BY number"
)
_APPEND = "INSERT INTO turns (project_id, session_id, number, turn) VALUES (?, ?, ?, ?)"
_COUNT = (
    "UPDATE sessions SET asked = asked + 1, updated_at = ? WHERE project_id = ? AND id = ? "
    "RETURNING asked"
)
_DROP = "DELETE FROM turns WHERE project_id = ? AND session_id = ? AND number <= ?"
_DELETE = "DELETE FROM sessions WHERE project_id = ? AND id = ?"
_DELETE_UNUSED = f"{_DELETE} AND updated_at = ?"
_ALL = -1


class SqliteSessions(SessionStore):
    """Keeps the sessions of all projects in the file at `path`, which only this user may read.

    The file is created by the first session. Threads and processes may share it. Raises
    `IndexLocked` if another process locks it for longer than `busy_seconds`, `IndexUnavailable` if
    it is unreadable.
    """

    def __init__(self, path: Path, *, busy_seconds: float = 30.0) -> None:
        self._file = SqliteFile(
            path,
            name=NAME,
            migrate=migrate,
            advice=_ADVICE,
            busy_seconds=busy_seconds,
            private=True,
        )

    def check_writable(self) -> None:
        self._file.check_writable()

    def begin(self, conversation: Conversation) -> None:
        session = conversation.session
        numbered = enumerate(conversation.turns, start=session.asked - len(conversation.turns) + 1)
        with self._file.transaction() as connection:
            moments = (session.created_at.isoformat(), session.updated_at.isoformat())
            row = (session.id, session.project_id, session.title, *moments, session.asked)
            connection.execute(_BEGIN, row)
            connection.executemany(
                _APPEND,
                [(session.project_id, session.id, n, _encoded(turn)) for n, turn in numbered],
            )

    def append(self, project_id: str, turn: Turn, *, keep: int = MOST_TURNS) -> None:
        place = (project_id, turn.session_id)
        if not self._file.exists():
            raise no_session(turn.session_id)
        with self._file.transaction() as connection:
            counted = connection.execute(_COUNT, (turn.answered_at.isoformat(), *place)).fetchone()
            if counted is None:
                raise no_session(turn.session_id)
            (number,) = counted
            connection.execute(_APPEND, (*place, number, _encoded(turn)))
            connection.execute(_DROP, (*place, number - keep))

    def get(
        self, project_id: str, session_id: str, *, last: int | None = None
    ) -> Conversation | None:
        if not self._file.exists():
            return None
        place = (project_id, session_id)
        with self._file.opened() as connection:
            connection.execute("BEGIN")
            try:
                cursor = connection.execute(f"{_SESSIONS} WHERE project_id = ? AND id = ?", place)
                row = cursor.fetchone()
                limit = _ALL if last is None else last
                turns = connection.execute(_TURNS, (*place, limit)).fetchall()
            finally:
                connection.execute("COMMIT")
        if row is None:
            return None
        return Conversation(session=_session(row), turns=tuple(_decoded(turn) for (turn,) in turns))

    def sessions(self, project_id: str) -> list[Session]:
        rows = self._file.read(f"{_SESSIONS} WHERE project_id = ?", project_id)
        by_id = sorted(map(_session, rows), key=lambda session: session.id)
        return sorted(by_id, key=lambda session: session.updated_at, reverse=True)

    def delete(self, project_id: str, session_id: str) -> bool:
        if not self._file.exists():
            return False
        with self._file.transaction() as connection:
            return connection.execute(_DELETE, (project_id, session_id)).rowcount > 0

    def delete_unused(self, project_id: str, *, since: datetime) -> int:
        unused = [session for session in self.sessions(project_id) if session.updated_at < since]
        if not unused or not self._file.is_writable():
            return 0
        with self._file.transaction() as connection:
            return sum(
                connection.execute(
                    _DELETE_UNUSED, (project_id, session.id, session.updated_at.isoformat())
                ).rowcount
                for session in unused
            )

    def close(self) -> None:
        self._file.close()


def _session(row: Row) -> Session:
    session_id, project_id, title, created_at, updated_at, count = row
    return Session(
        id=session_id,
        project_id=project_id,
        title=title,
        created_at=datetime.fromisoformat(created_at),
        updated_at=datetime.fromisoformat(updated_at),
        asked=count,
    )


def _encoded(turn: Turn) -> str:
    """The turn as JSON in ASCII, since the name of a file may be no text in Unicode."""
    return json.dumps(_TURN.dump_python(turn, mode="json"))


def _decoded(text: str) -> Turn:
    try:
        return _TURN.validate_python(json.loads(text))
    except ValidationError as error:
        raise IndexUnavailable(
            f"a turn of a session cannot be read: {error.error_count()} of its values",
            "A newer citeloom may have written it: update citeloom, or delete the session.",
        ) from error
    except ValueError as error:
        raise IndexUnavailable(
            "a turn of a session is damaged: it is no JSON",
            "Delete the session: `citeloom chat delete ID`. The other sessions are not affected.",
        ) from error
