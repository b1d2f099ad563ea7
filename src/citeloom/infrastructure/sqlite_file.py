"""One SQLite file that threads and processes share, with durable writes and migrations."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from citeloom.application.disk_space import MEGABYTE, is_out_of_room, no_room_for
from citeloom.domain.errors import DiskFull, IndexLocked, IndexUnavailable

Row = tuple[Any, ...]
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
Migrations = Sequence[Sequence[str]]


class SqliteFile:
    """The file at `path`, called `name` in messages; `advice` says what to do if it is damaged.

    It is opened at its first use and created by the first write. Without a file, reads return
    nothing; a read-only file can still be read. Raises `IndexLocked` if another process locks it
    for longer than `busy_seconds`, `IndexUnavailable` if it is unreadable. With `private` it is
    created for this user alone.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        migrate: Callable[[sqlite3.Connection], None],
        advice: str,
        busy_seconds: float = 30.0,
        private: bool = False,
    ) -> None:
        self._path = path
        self._name = f"{name} {path}"
        self._migrate = migrate
        self._advice = advice
        self._busy_seconds = busy_seconds
        self._private = private
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.RLock()

    def exists(self) -> bool:
        """Whether there is anything to read."""
        return self._connection is not None or self._path.exists()

    def read(self, statement: str, *values: object) -> list[Row]:
        """The rows that a statement finds, in a copy of the file where the disk is full."""
        if not self.exists():
            return []
        try:
            with self.opened() as connection:
                return connection.execute(statement, values).fetchall()
        except DiskFull:
            with self._translated_errors(), closing(self._copy_in_memory()) as copy:
                return copy.execute(statement, values).fetchall()

    def write(self, statement: str, rows: Iterable[Row]) -> None:
        """Execute a statement for every row, in one transaction."""
        with self.transaction() as connection:
            connection.executemany(statement, rows)

    def check_writable(self) -> None:
        """Raise `IndexUnavailable` where a write would fail, the file being read-only."""
        if not self.is_writable():
            raise IndexUnavailable(
                f"{self._name} cannot be written",
                f"Check that you may write to {self._path.parent}, or set another "
                "[paths] data_dir.",
            )

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction, which an exception undoes. It is durable once it has ended."""
        with self.opened() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """The connection, for this thread alone."""
        with self._lock, self._translated_errors():
            if self._connection is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._connection = self._connect()
            yield self._connection

    def check(self) -> None:
        """Read the whole file. Raises `IndexUnavailable` where it is damaged."""
        if not self.exists():
            return
        with self.opened() as connection:
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise sqlite3.DatabaseError(str(verdict).replace("\n", " "))

    def set_aside(self) -> Path:
        """Move a damaged file, with its log, to another name; returns its new path."""
        with self._lock, self._translated_errors():
            self.close()
            number = 1
            while (aside := self._path.with_name(f"{self._path.name}.damaged-{number}")).exists():
                number += 1
            for suffix in ("-wal", "-shm", ""):
                part = self._path.with_name(self._path.name + suffix)
                if part.exists():
                    part.replace(aside.with_name(aside.name + suffix))
        return aside

    def close(self) -> None:
        """Close the file; it is opened again when it is used. May be called twice."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _connect(self) -> sqlite3.Connection:
        """A connection with the current schema and durable writes, or to a copy in memory where the
        file may not be written.
        """
        path = self._path
        if path.is_dir():
            raise sqlite3.DatabaseError("a folder stands in its place")
        if path.exists() and not self.is_writable():
            return self._copy_in_memory()
        if self._private:
            path.touch(mode=0o600)
        connection = sqlite3.connect(
            path, timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def is_writable(self) -> bool:
        folder = next(parent for parent in self._path.parents if parent.exists())
        return all(os.access(path, os.W_OK) for path in (self._path, folder) if path.exists())

    def _copy_in_memory(self) -> sqlite3.Connection:
        """A copy of the file in memory, with the content of its write-ahead log."""
        memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        with TemporaryDirectory(prefix="citeloom-") as folder:
            copy = Path(folder) / self._path.name
            for suffix in ("", "-wal"):
                if (stored := self._path.with_name(self._path.name + suffix)).exists():
                    shutil.copyfile(stored, copy.with_name(copy.name + suffix))
            with closing(sqlite3.connect(copy)) as stored_rows:
                stored_rows.backup(memory)
        self._migrate(memory)
        memory.execute("PRAGMA query_only = ON")
        return memory

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except UnicodeDecodeError as error:  # what SQLite says of a damaged name is no text
            raise self.damaged("it holds text that is no UTF-8") from error
        except (sqlite3.DatabaseError, OSError) as error:
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise IndexLocked(
                    f"another process has locked {self._name}",
                    "Wait until it is done, then try again.",
                ) from error
            if _is_full(error, self._path):
                raise no_room_for(self._name) from error
            if isinstance(error, sqlite3.DatabaseError) and means_damage(error):
                raise self.damaged(str(error)) from error
            raise IndexUnavailable(
                f"{self._name} cannot be used: {error}",
                f"Check that its folder is writable and the disk has room. {self._advice}",
            ) from error

    def damaged(self, reason: str) -> IndexUnavailable:
        """The error of a file that is damaged."""
        return IndexUnavailable(f"{self._name} is damaged: {reason}", self._advice)


def migrate(connection: sqlite3.Connection, steps: Migrations, name: str) -> None:
    """Migrate a file to the current schema in one transaction; `user_version` is the number of
    steps applied.

    Raises `IndexUnavailable` if its schema is newer than this version supports.
    """
    if _version(connection) == len(steps):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        _apply(connection, steps, name)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _apply(connection: sqlite3.Connection, steps: Migrations, name: str) -> None:
    seen = _version(connection)
    if seen > len(steps):
        raise IndexUnavailable(
            f"{name} has schema {seen}; this version of citeloom supports up to {len(steps)}",
            "A newer citeloom wrote it: update citeloom, or set another [paths] data_dir.",
        )
    for step in steps[seen:]:
        for statement in step:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(steps)}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _is_full(error: sqlite3.DatabaseError | OSError, path: Path) -> bool:
    """Whether the disk is full, which SQLite reports for the file itself, but not for its log."""
    if not isinstance(error, sqlite3.OperationalError):
        return is_out_of_room(error)
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return True
    return code == sqlite3.SQLITE_IOERR and _has_no_room(path.parent)


def means_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file's content is at fault, and not the system or the disk space."""
    return _code(error) in _DAMAGE


def _code(error: sqlite3.DatabaseError) -> int:
    """The primary result code; SQLITE_ERROR where the error is not SQLite's own, such as invalid
    UTF-8.
    """
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _has_no_room(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < MEGABYTE
    except OSError:
        return False
