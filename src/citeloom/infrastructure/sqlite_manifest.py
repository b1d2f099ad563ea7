"""The manifest in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, astuple, fields
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from citeloom.application.ports.records import ManifestStore
from citeloom.domain.documents.conversion import LeftOut, LeftOutKind
from citeloom.domain.documents.manifest import ManifestEntry, Status, Tombstone, WriteIntent
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.zotero.selection import CalledInZotero, ZoteroSelection
from citeloom.infrastructure import sqlite_file
from citeloom.infrastructure.sqlite_file import Row, SqliteFile, means_damage

# The tables of the manifest, and the migrations of older files.

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
    ("ALTER TABLE documents ADD COLUMN lost_words TEXT NOT NULL DEFAULT '{}'",),
    (
        "ALTER TABLE documents ADD COLUMN copy_of TEXT",
        "ALTER TABLE documents ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}'",
    ),
    ("ALTER TABLE documents ADD COLUMN left_out TEXT NOT NULL DEFAULT '{}'",),
)
"""The statements of each migration; `user_version` is the number of migrations applied."""


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate the file to the current schema in one transaction.

    Raises `IndexUnavailable` if its schema is newer than this version supports.
    """
    sqlite_file.migrate(connection, MIGRATIONS, NAME)


T = TypeVar("T")
_UNDECODABLE = (ValueError, TypeError, LookupError, AttributeError)
_COLUMNS = tuple(field.name for field in fields(ManifestEntry))
_LISTED = ", ".join(f'"{column}"' for column in _COLUMNS)
_SELECT = f"SELECT {_LISTED} FROM documents WHERE project_id = ?"  # noqa: S608
_PUT = (
    f"INSERT OR REPLACE INTO documents ({_LISTED}) "  # noqa: S608
    f"VALUES ({', '.join('?' * len(_COLUMNS))})"
)
_REMOVE = "DELETE FROM documents WHERE project_id = ? AND path = ?"
_TOMBSTONES = (
    "SELECT project_id, doc_id, path, citekey, created_at, finished FROM tombstones "
    "WHERE project_id = ? ORDER BY doc_id"
)
_PUT_TOMBSTONE = "INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?, ?, ?, ?)"
_REMOVE_TOMBSTONE = "DELETE FROM tombstones WHERE project_id = ? AND doc_id = ?"
_INTENTS = (
    "SELECT project_id, path, doc_id, generation FROM write_intents "
    "WHERE project_id = ? ORDER BY path, doc_id, generation"
)
_PUT_INTENT = "INSERT OR IGNORE INTO write_intents VALUES (?, ?, ?, ?)"
_REMOVE_INTENT = (
    "DELETE FROM write_intents WHERE project_id = ? AND path = ? AND doc_id = ? AND generation = ?"
)
_ADVICE = (
    "If the file is damaged, run `citeloom repair`: it keeps the file aside and lists the "
    "documents anew from the index."
)


class SqliteManifest(ManifestStore):
    """Keeps the entries of all projects in the file at `path`.

    The file is opened at its first use and created by the first write; without a file, reads find
    nothing, and one that may not be written is read all the same. Threads and processes may share
    it. Raises `IndexLocked` if another process locks it for longer than `busy_seconds`,
    `IndexUnavailable` if it is unreadable.
    """

    def __init__(self, path: Path, *, busy_seconds: float = 30.0) -> None:
        self._file = SqliteFile(
            path, name=NAME, migrate=migrate, advice=_ADVICE, busy_seconds=busy_seconds
        )

    def get(self, project_id: str, path: str) -> ManifestEntry | None:
        rows = self._file.read(f"{_SELECT} AND path = ?", project_id, path)
        return next(iter(self._decoded(rows, _entry)), None)

    def put(self, *entries: ManifestEntry) -> None:
        self._file.write(_PUT, map(_row, entries))

    def remove(self, project_id: str, *paths: str) -> None:
        if self._file.exists():
            self._file.write(_REMOVE, ((project_id, path) for path in paths))

    def entries(self, project_id: str) -> list[ManifestEntry]:
        return self._decoded(self._file.read(f"{_SELECT} ORDER BY path", project_id), _entry)

    def tombstones(self, project_id: str) -> list[Tombstone]:
        return self._decoded(self._file.read(_TOMBSTONES, project_id), _tombstone)

    def put_tombstones(self, *tombstones: Tombstone) -> None:
        self._file.write(_PUT_TOMBSTONE, map(_row, tombstones))

    def remove_tombstones(self, project_id: str, *doc_ids: str) -> None:
        if self._file.exists():
            self._file.write(_REMOVE_TOMBSTONE, ((project_id, doc_id) for doc_id in doc_ids))

    def intents(self, project_id: str) -> list[WriteIntent]:
        return self._decoded(self._file.read(_INTENTS, project_id), _intent)

    def put_intents(self, *intents: WriteIntent) -> None:
        self._file.write(_PUT_INTENT, map(_row, intents))

    def remove_intents(self, *intents: WriteIntent) -> None:
        if self._file.exists():
            self._file.write(_REMOVE_INTENT, map(_row, intents))

    def selection(self, project_id: str) -> ZoteroSelection | None:
        rows = self._file.read("SELECT selection FROM selections WHERE project_id = ?", project_id)
        return next(iter(self._decoded(rows, _selection)), None)

    def select(self, project_id: str, selection: ZoteroSelection) -> None:
        row = (project_id, json.dumps(asdict(selection)))
        self._file.write("INSERT OR REPLACE INTO selections VALUES (?, ?)", [row])

    def damage(self) -> str:
        try:
            self._file.check()
            self._decoded(self._file.read(f"SELECT {_LISTED} FROM documents"), _entry)  # noqa: S608
            for table, decode in _KNOWN_HERE_ALONE.items():
                self._decoded(self._file.read(f"SELECT * FROM {table}"), decode)  # noqa: S608
        except IndexUnavailable as error:
            if isinstance(error.__cause__, _UNDECODABLE) or (
                isinstance(error.__cause__, sqlite3.DatabaseError) and means_damage(error.__cause__)
            ):
                return error.message
            raise
        return ""

    def set_aside(self) -> str:
        aside = self._file.set_aside()
        for table, decode in _KNOWN_HERE_ALONE.items():
            if rows := _readable_rows(aside, table, decode):
                marks = ", ".join("?" * len(rows[0]))
                self._file.write(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)  # noqa: S608
        return str(aside)

    def close(self) -> None:
        self._file.close()

    def _decoded(self, rows: Iterable[Row], decode: Callable[[Row], T]) -> list[T]:
        """The values of the rows. Raises `IndexUnavailable` where one cannot be read."""
        try:
            return [decode(row) for row in rows]
        except _UNDECODABLE as error:
            raise self._file.damaged(f"a row cannot be read ({error})") from error


def _row(value: ManifestEntry | Tombstone | WriteIntent) -> Row:
    """The fields in the order of their columns."""
    return tuple(_encoded(getattr(value, field.name)) for field in fields(value))


def _encoded(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return json.dumps(value, default=astuple) if isinstance(value, Mapping) else value


def _from_row(kind: type[T]) -> Callable[[Row], T]:
    """Makes a row into what it stores."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    decoders = {name: decode for name, decode in _DECODED.items() if name in names}

    def decode(row: Row) -> T:
        values = dict(zip(names, row))
        for name, decoder in decoders.items():
            values[name] = decoder(values[name])
        return kind(**values)

    return decode


def _moment(value: str | None) -> datetime | None:
    return datetime.fromisoformat(value) if value else None


_DECODED: dict[str, Callable[[Any], object]] = {
    "created_at": _moment,
    "updated_at": _moment,
    "status": Status,
    "finished": bool,
    "lost_words": lambda counts: {int(page): int(n) for page, n in json.loads(counts).items()},
    "left_out": lambda texts: {
        int(page): tuple(
            LeftOut(kind=LeftOutKind(kind), count=count, text=text) for kind, count, text in parts
        )
        for page, parts in json.loads(texts).items()
    },
    "metadata": lambda fields: {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in json.loads(fields).items()
    },
}
_entry = _from_row(ManifestEntry)
_tombstone = _from_row(Tombstone)
_intent = _from_row(WriteIntent)


def _selection(row: Row) -> ZoteroSelection:
    values = json.loads(row[0])
    return ZoteroSelection(
        libraries=tuple(values["libraries"]),
        collections=tuple(values["collections"]),
        subcollections=values["subcollections"],
        saved_searches=tuple(values.get("saved_searches", ())),
        tags=tuple(values["tags"]),
        exclude_tags=tuple(values["exclude_tags"]),
        annotations=values.get("annotations", False),
        notes=values.get("notes", False),
        called=tuple(CalledInZotero(**called) for called in values.get("called", ())),
    )


_KNOWN_HERE_ALONE: dict[str, Callable[[Row], object]] = {
    "tombstones": _tombstone,
    "write_intents": _intent,
    "selections": lambda row: _selection(row[1:]),
}
"""The tables of what only the manifest knows; documents are in the index, too."""


def _readable_rows(path: Path, table: str, decode: Callable[[Row], object]) -> list[Row]:
    """The rows of a damaged file's table that can be read and decoded."""
    rows: list[Row] = []
    with (
        suppress(sqlite3.DatabaseError, UnicodeDecodeError),
        closing(sqlite3.connect(path)) as damaged,
    ):
        cursor = damaged.execute(f"SELECT * FROM {table}")  # noqa: S608
        rows.extend(row for row in cursor if _is_readable(row, decode))  # up to the first error
    return rows


def _is_readable(row: Row, decode: Callable[[Row], object]) -> bool:
    try:
        decode(row)
    except _UNDECODABLE:
        return False
    return all(isinstance(value, str | int | None) for value in row)
