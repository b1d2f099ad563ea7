"""The tables of sessions, and the migrations of older files."""

from __future__ import annotations

import sqlite3

from citeloom.infrastructure import sqlite_file

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
