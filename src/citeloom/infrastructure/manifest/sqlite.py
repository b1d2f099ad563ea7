"""The manifest in one SQLite file."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, astuple, fields
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from citeloom.application.disk_room import MEGABYTE, is_out_of_room, no_room_for
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.domain.manifest import ManifestEntry, Status
from citeloom.domain.tombstone import Tombstone, WriteIntent
from citeloom.domain.zotero_selection import CalledCollection, ZoteroSelection
from citeloom.infrastructure.manifest.schema import migrate

_COLUMNS = tuple(field.name for field in fields(ManifestEntry))
_MOMENTS = ("created_at", "updated_at")
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

_Row = tuple[Any, ...]


class SqliteManifest(ManifestStore):
    """Keeps the entries of all projects in the file at `path`.

    The file is opened at its first use and created by the first write; without a file, reads find
    nothing, and one that may not be written is read all the same. Threads and processes may share
    it. Raises `IndexLocked` if another process locks it for longer than `busy_seconds`,
    `IndexUnavailable` if it is unreadable.
    """

    def __init__(self, path: Path, *, busy_seconds: float = 30.0) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.RLock()

    def get(self, project_id: str, path: str) -> ManifestEntry | None:
        rows = self._read(f"{_SELECT} AND path = ?", project_id, path)
        return _entry(rows[0]) if rows else None

    def put(self, *entries: ManifestEntry) -> None:
        self._write(_PUT, map(_row, entries))

    def remove(self, project_id: str, *paths: str) -> None:
        if self._exists():
            self._write(_REMOVE, ((project_id, path) for path in paths))

    def entries(self, project_id: str) -> list[ManifestEntry]:
        return [_entry(row) for row in self._read(f"{_SELECT} ORDER BY path", project_id)]

    def tombstones(self, project_id: str) -> list[Tombstone]:
        return [_tombstone(row) for row in self._read(_TOMBSTONES, project_id)]

    def put_tombstones(self, *tombstones: Tombstone) -> None:
        self._write(_PUT_TOMBSTONE, map(_tombstone_row, tombstones))

    def remove_tombstones(self, project_id: str, *doc_ids: str) -> None:
        if self._exists():
            self._write(_REMOVE_TOMBSTONE, ((project_id, doc_id) for doc_id in doc_ids))

    def intents(self, project_id: str) -> list[WriteIntent]:
        return [
            WriteIntent(project_id=project, path=path, doc_id=doc_id, generation=generation)
            for project, path, doc_id, generation in self._read(_INTENTS, project_id)
        ]

    def put_intents(self, *intents: WriteIntent) -> None:
        self._write(_PUT_INTENT, map(astuple, intents))

    def remove_intents(self, *intents: WriteIntent) -> None:
        if self._exists():
            self._write(_REMOVE_INTENT, map(astuple, intents))

    def selection(self, project_id: str) -> ZoteroSelection | None:
        rows = self._read("SELECT selection FROM selections WHERE project_id = ?", project_id)
        return _selection(rows[0][0]) if rows else None

    def select(self, project_id: str, selection: ZoteroSelection) -> None:
        row = (project_id, json.dumps(asdict(selection)))
        self._write("INSERT OR REPLACE INTO selections VALUES (?, ?)", [row])

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _exists(self) -> bool:
        return self._connection is not None or self._path.exists()

    def _read(self, statement: str, *values: str) -> list[_Row]:
        if not self._exists():
            return []
        with self._opened() as connection, closing(connection.execute(statement, values)) as found:
            return found.fetchall()

    def _write(self, statement: str, rows: Iterable[_Row]) -> None:
        """Execute a statement for every row, in one transaction."""
        with self._opened() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(statement, rows)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _translated_errors(self._path):
            if self._connection is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._connection = _connect(self._path, self._busy_seconds)
            yield self._connection


def _connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """A connection with the current schema and durable writes, or to a copy in memory where the
    file may not be written.
    """
    if path.exists() and not all(os.access(one, os.W_OK) for one in (path, path.parent)):
        return _copy_in_memory(path)
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _copy_in_memory(path: Path) -> sqlite3.Connection:
    """The manifest as it lies there, with what stands in its write-ahead log."""
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    with TemporaryDirectory(prefix="citeloom-") as folder:
        copy = Path(folder) / path.name
        for suffix in ("", "-wal"):
            if (stored := path.with_name(path.name + suffix)).exists():
                shutil.copyfile(stored, copy.with_name(copy.name + suffix))
        with closing(sqlite3.connect(copy)) as stored_rows:
            stored_rows.backup(memory)
    migrate(memory)
    memory.execute("PRAGMA query_only = ON")
    return memory


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            raise IndexLocked(
                f"another process has locked the manifest {path}",
                "Wait until it is done, then try again.",
            ) from error
        if _is_full(error, path):
            raise no_room_for(f"the manifest {path}") from error
        raise IndexUnavailable(
            f"the manifest {path} cannot be used: {error}",
            "Check that its folder is writable and the disk has room. If the file is damaged, "
            "move it away and run `citeloom ingest` again: conversions are kept in the cache.",
        ) from error


def _is_full(error: sqlite3.DatabaseError | OSError, path: Path) -> bool:
    """Whether the disk is full, which SQLite tells only of the file itself, not of its log."""
    if not isinstance(error, sqlite3.OperationalError):
        return is_out_of_room(error)
    if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
        return True
    return error.sqlite_errorname.startswith("SQLITE_IOERR") and _has_no_room(path.parent)


def _has_no_room(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < MEGABYTE
    except OSError:
        return False


def _row(entry: ManifestEntry) -> _Row:
    values = {column: getattr(entry, column) for column in _COLUMNS}
    moments = {name: values[name] and values[name].isoformat() for name in _MOMENTS}
    values |= {"status": entry.status.value, **moments}
    return tuple(values.values())


def _entry(row: _Row) -> ManifestEntry:
    values = dict(zip(_COLUMNS, row))
    moments = {name: values[name] and datetime.fromisoformat(values[name]) for name in _MOMENTS}
    values |= {"status": Status(values["status"]), **moments}
    return ManifestEntry(**values)


def _tombstone_row(one: Tombstone) -> _Row:
    moment = one.created_at and one.created_at.isoformat()
    return one.project_id, one.doc_id, one.path, one.citekey, moment, int(one.finished)


def _tombstone(row: _Row) -> Tombstone:
    project_id, doc_id, path, citekey, moment, finished = row
    return Tombstone(
        project_id=project_id,
        doc_id=doc_id,
        path=path,
        citekey=citekey,
        created_at=moment and datetime.fromisoformat(moment),
        finished=bool(finished),
    )


def _selection(stored: str) -> ZoteroSelection:
    values = json.loads(stored)
    return ZoteroSelection(
        libraries=tuple(values["libraries"]),
        collections=tuple(values["collections"]),
        subcollections=values["subcollections"],
        tags=tuple(values["tags"]),
        exclude_tags=tuple(values["exclude_tags"]),
        annotations=values.get("annotations", False),
        notes=values.get("notes", False),
        called=tuple(CalledCollection(**called) for called in values.get("called", ())),
    )
