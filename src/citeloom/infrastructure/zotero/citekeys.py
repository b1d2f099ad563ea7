"""Citekeys in Better BibTeX's database or an item's Extra field, read from copies."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from citeloom.domain.errors import LibraryLocked, SourceUnavailable
from citeloom.domain.zotero.items import CitekeySource

# Consistent copies of a database that another program may be writing.

_COMPANIONS = ("-wal", "-journal")
_PAUSES = (0, 0.1, 0.2, 0.4, 0.8, 1.6)
_HEADER = 100

State = tuple[tuple[str, int, int, bytes], ...]
"""Name, size, modification time and header (with its change counter) of each file."""


def state_of(database: Path) -> State:
    """A state that changes whenever the database, its write-ahead log or its journal does.

    Raises `SourceUnavailable` if the database is missing or may not be read.
    """
    try:
        return tuple(filter(None, map(_file_state, _files(database))))
    except OSError as error:
        raise SourceUnavailable(
            f"{database} cannot be read: {error.strerror or error}",
            "Check the file's permissions and that its disk is mounted.",
        ) from error


def copied(
    database: Path, into: Path, name: str = "zotero", sleep: Callable[[float], None] = time.sleep
) -> Path:
    """A consistent copy of the database in the folder `into`, for `opened`.

    Database, write-ahead log and journal are copied together; if one of them changed meanwhile,
    or the copy fails its integrity check, it is copied again. The original is only read as a
    file, never opened as a database. Raises `LibraryLocked` if it keeps changing, and
    `SourceUnavailable` if it does not change but fails the check.
    """
    unsound: State | None = None
    for pause in _PAUSES:
        sleep(pause)
        before = state_of(database)
        copy = _copy(database, into)
        if copy is None or state_of(database) != before:
            continue
        if _is_sound(copy, name):
            return copy
        if before == unsound:
            raise SourceUnavailable(
                f"{database} is not an SQLite database, or it is damaged",
                "Restore it from a backup, or let Zotero check it: Settings, Advanced, Files and "
                "Folders, Database Maintenance.",
            )
        unsound = before
    raise LibraryLocked(
        f"{database} could not be copied: it kept changing",
        "Wait until Zotero has finished synchronising, or close it, and try again.",
    )


def opened(copy: Path, name: str = "zotero") -> sqlite3.Connection:
    """A connection to a copy, attached under the schema name that its triggers may use.

    Better BibTeX's triggers do: SQLite reads such a database only under that name.
    """
    connection = sqlite3.connect(":memory:")
    connection.execute(f"attach ? as {name}", (str(copy),))
    return connection


def _files(database: Path) -> list[Path]:
    if not database.is_file():
        raise SourceUnavailable(
            f"there is no Zotero database at {database}",
            "Set data_dir in [zotero] to the folder that holds zotero.sqlite.",
        )
    companions = (database.with_name(database.name + suffix) for suffix in _COMPANIONS)
    return [database, *(path for path in companions if path.is_file())]


def _file_state(path: Path) -> tuple[str, int, int, bytes] | None:
    """The state of a file, or None if it has just been removed."""
    try:
        with path.open("rb") as file:
            stat = os.fstat(file.fileno())
            return path.name, stat.st_size, stat.st_mtime_ns, file.read(_HEADER)
    except FileNotFoundError:
        return None


def _copy(database: Path, into: Path) -> Path | None:
    """The copy, or None if a file was removed meanwhile."""
    try:
        for old in into.glob(f"{database.name}*"):
            old.unlink()
        for path in _files(database):
            shutil.copyfile(path, into / path.name)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SourceUnavailable(
            f"{database} cannot be copied into {into}: {error.strerror or error}",
            "Set TMPDIR to a folder on a disk with room for the database.",
        ) from error
    return into / database.name


def _is_sound(copy: Path, name: str) -> bool:
    try:
        with closing(opened(copy, name)) as connection:
            (verdict,) = connection.execute(f"pragma {name}.quick_check(1)").fetchone()
            return bool(verdict == "ok")
    except sqlite3.DatabaseError:
        return False


# Citekeys in Better BibTeX's own database, or in an item's Extra field.

BETTER_BIBTEX = "betterbibtex"
"""The schema name under which its database is attached."""

_IN_EXTRA = re.compile(
    r"^[^\S\n]*(?:citation key|bibtex)[^\S\n]*:[^\S\n]*(\S+)", re.IGNORECASE | re.MULTILINE
)

_LAYOUTS = {
    "citationkey": "select libraryID, itemKey, citationKey from citationkey",
    "better-bibtex": """
        select coalesce(json_extract(value, '$.libraryID'), 1), json_extract(value, '$.itemKey'),
            json_extract(value, '$.citekey')
        from "better-bibtex", json_each(data, '$.data')
        where "better-bibtex".name = 'better-bibtex.citekey'
            and json_extract(value, '$.citekey') <> ''
    """,
}

Keys = Mapping[tuple[int, str], str]
"""Citekeys by library id in the database and item key."""


def better_bibtex_keys(copy: Path) -> Keys:
    """The citekeys in a copy of `better-bibtex.sqlite`, in either of its layouts.

    It has a table of citekeys, or a JSON document with a list of them. Raises
    `sqlite3.DatabaseError` or `ValueError` if it has neither.
    """
    with closing(opened(copy, BETTER_BIBTEX)) as db:
        tables = {name for (name,) in db.execute("select name from betterbibtex.sqlite_master")}
        layout = next((table for table in _LAYOUTS if table in tables), None)
        if layout is None:
            raise ValueError("it has no citekeys")
        return {(library, item): citekey for library, item, citekey in db.execute(_LAYOUTS[layout])}


def citekey_in_extra(extra: str) -> str:
    """The citekey of a line `Citation Key: …`, or an empty text."""
    match = _IN_EXTRA.search(extra)
    return match[1] if match else ""


def citekey_of(fields: Mapping[str, str], better_bibtex: str | None) -> tuple[str, CitekeySource]:
    """An item's citekey and its source: its own field, Better BibTeX, or Extra."""
    choices = (
        (fields.get("citationKey", "").strip(), CitekeySource.FIELD),
        (better_bibtex or "", CitekeySource.BETTER_BIBTEX),
        (citekey_in_extra(fields.get("extra", "")), CitekeySource.EXTRA),
    )
    return next((choice for choice in choices if choice[0]), ("", CitekeySource.MADE))
