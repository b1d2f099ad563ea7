"""A private copy of a database that another program may be writing."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from citeloom.domain.errors import LibraryLocked, SourceUnavailable

_COMPANIONS = ("-wal", "-journal")
_ATTEMPTS = 6
_FIRST_PAUSE = 0.1
_WAL_HEADER = 32

State = tuple[tuple[str, int, int, bytes], ...]
"""Name, size, time of change and, of a write-ahead log, the header, of each file there is."""


def state_of(database: Path) -> State:
    """What changes whenever the database, its write-ahead log or its journal does.

    Raises `SourceUnavailable` where there is no database or it may not be looked at.
    """
    try:
        return tuple(_file_state(path) for path in _files(database))
    except OSError as error:
        raise SourceUnavailable(
            f"{database} cannot be read: {error.strerror or error}",
            "Check the file's permissions and that its disk is mounted.",
        ) from error


def copied(database: Path, into: Path, sleep: Callable[[float], None] = time.sleep) -> Path:
    """A sound copy of the database as of one moment, in the folder `into`.

    Database, write-ahead log and journal are copied together; a copy during which one of them
    changed, or that does not hold together, is made again. The original is only ever read as a
    file, never opened as a database. Raises `LibraryLocked` when no attempt succeeds.
    """
    for attempt in range(_ATTEMPTS):
        if attempt:
            sleep(_FIRST_PAUSE * 2 ** (attempt - 1))
        before = state_of(database)
        copy = _copy(database, into)
        if copy is not None and state_of(database) == before and _is_sound(copy):
            return copy
    raise LibraryLocked(
        f"{database} could not be read in one piece: it kept changing, or is damaged",
        "Wait until Zotero has finished synchronising, or close it, and try again.",
    )


def _files(database: Path) -> list[Path]:
    if not database.is_file():
        raise SourceUnavailable(
            f"there is no Zotero database at {database}",
            "Set data_dir in [zotero] to the folder that holds zotero.sqlite.",
        )
    companions = (database.with_name(database.name + suffix) for suffix in _COMPANIONS)
    return [database, *(path for path in companions if path.is_file())]


def _file_state(path: Path) -> tuple[str, int, int, bytes]:
    stat, header = path.stat(), b""
    if path.name.endswith("-wal"):
        with path.open("rb") as file:
            header = file.read(_WAL_HEADER)
    return path.name, stat.st_size, stat.st_mtime_ns, header


def _copy(database: Path, into: Path) -> Path | None:
    """The copy, or None when a file vanished on the way."""
    for old in into.glob(f"{database.name}*"):
        old.unlink()
    try:
        for path in _files(database):
            shutil.copyfile(path, into / path.name)
    except FileNotFoundError:
        return None
    return into / database.name


def _is_sound(copy: Path) -> bool:
    try:
        with closing(sqlite3.connect(copy)) as connection:
            (verdict,) = connection.execute("pragma quick_check(1)").fetchone()
            return bool(verdict == "ok")
    except sqlite3.DatabaseError:
        return False
