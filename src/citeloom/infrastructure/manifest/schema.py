"""The tables of the manifest, and the migrations of older files."""

from __future__ import annotations

import sqlite3

from citeloom.infrastructure import sqlite_file

NAME = "the manifest"

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE documents (
            project_id   TEXT NOT NULL,
            path         TEXT NOT NULL,
            status       TEXT NOT NULL,
            content_hash TEXT NOT NULL,
            doc_id       TEXT NOT NULL,
            size         INTEGER NOT NULL,
            modified_ns  INTEGER NOT NULL,
            fingerprint  TEXT NOT NULL,
            generation   TEXT NOT NULL,
            "references" TEXT NOT NULL,
            citekey      TEXT,
            citation     TEXT NOT NULL,
            chunks       INTEGER NOT NULL,
            pages        INTEGER NOT NULL,
            body_share   REAL NOT NULL,
            error_code   TEXT,
            error        TEXT,
            updated_at   TEXT,
            PRIMARY KEY (project_id, path)
        ) WITHOUT ROWID
        """,
    ),
    (
        "ALTER TABLE documents ADD COLUMN citation_pages TEXT",
        "ALTER TABLE documents ADD COLUMN zotero_library TEXT",
        "ALTER TABLE documents ADD COLUMN attachment_key TEXT",
        "ALTER TABLE documents ADD COLUMN item_key TEXT",
        "CREATE TABLE selections (project_id TEXT PRIMARY KEY, selection TEXT NOT NULL)",
    ),
    ("ALTER TABLE documents ADD COLUMN ocr TEXT NOT NULL DEFAULT ''",),
    (
        """
        CREATE TABLE tombstones (
            project_id TEXT NOT NULL,
            doc_id     TEXT NOT NULL,
            path       TEXT NOT NULL,
            citekey    TEXT,
            created_at TEXT,
            finished   INTEGER NOT NULL,
            PRIMARY KEY (project_id, doc_id)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE write_intents (
            project_id TEXT NOT NULL,
            path       TEXT NOT NULL,
            doc_id     TEXT NOT NULL,
            generation TEXT NOT NULL,
            PRIMARY KEY (project_id, path, doc_id, generation)
        ) WITHOUT ROWID
        """,
    ),
    (
        "ALTER TABLE documents ADD COLUMN created_at TEXT",
        "UPDATE documents SET created_at = updated_at",
    ),
)
"""The statements of each migration; `user_version` is the number of migrations applied."""


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate the file to the current schema in one transaction.

    Raises `IndexUnavailable` if its schema is newer than this version supports.
    """
    sqlite_file.migrate(connection, MIGRATIONS, NAME)
