"""The local Zotero, read from copies of its database."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import tempfile
import threading
import time
import weakref
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.errors import LibraryLocked, SourceUnavailable
from citeloom.domain.zotero.items import (
    CITEKEY_FIELDS,
    EVERYTHING,
    WORKS,
    ContentScope,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
)
from citeloom.infrastructure.zotero.database import (
    Keys,
    libraries,
    missing_columns,
    read_library,
)
from citeloom.infrastructure.zotero.places import FileLocations, is_there

OLDEST_SCHEMA, NEWEST_SCHEMA = 120, 129

CITEKEYS = replace(WORKS, fields=CITEKEY_FIELDS, creators=False, tags=False)
T = TypeVar("T")

BETTER_BIBTEX = "betterbibtex"
"""The schema name under which its database is attached."""


class LocalZotero(ZoteroLibrary):
    """A Zotero data directory, with the base directory of linked files if one is set.

    Zotero may be running; none of its files is modified. What was read is kept until they change,
    save whether the files of attachments are there, which is as of each reading.
    """

    def __init__(self, data_dir: Path, *, base_dir: Path | None = None) -> None:
        self._database = data_dir / "zotero.sqlite"
        self._better_bibtex = data_dir / "better-bibtex.sqlite"
        self._places = FileLocations(data_dir=data_dir, base_dir=base_dir)
        self._lock = threading.Lock()
        self._copies = Copies(self._database)
        self._read_as = ""
        self._libraries: dict[ZoteroLibraryRef, int] = {}
        self._citekeys: Keys = {}
        self._contents: dict[tuple[ZoteroLibraryRef, ContentScope], ZoteroContent] = {}
        self._warnings: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        return f"local database {self._database.parent}"

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._warnings

    @property
    def has_stamps(self) -> bool:
        return True

    def fingerprint(self) -> str:
        states = [state_of(self._database)]
        if self._better_bibtex.is_file():
            states.append(state_of(self._better_bibtex))
        return hashlib.sha256(repr(states).encode()).hexdigest()

    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        with self._lock:
            self._refresh()
            return tuple(self._libraries)

    def read(self, library: ZoteroLibraryRef, scope: ContentScope = EVERYTHING) -> ZoteroContent:
        with self._lock:
            self._refresh()
            if library not in self._libraries:
                raise SourceUnavailable(
                    f"Zotero has no library {library.path}", "See `citeloom zotero collections`."
                )
            known = self._contents.get((library, scope))
            if known is None:
                content = self._copies.read(lambda db: self._content(db, library, scope))
            else:
                content = _with_files_as_they_are(known)
            if scope.items is None and not scope.searches:
                self._contents[library, scope] = content
            return content

    def _refresh(self) -> None:
        """Read which libraries there are if the files have changed."""
        fingerprint = self.fingerprint()
        if fingerprint != self._read_as:
            self._warnings, self._contents = (), {}
            self._citekeys = self._better_bibtex_keys()
            self._libraries = self._copies.read(self._checked_libraries)
            self._read_as = fingerprint

    def _checked_libraries(self, db: sqlite3.Connection) -> dict[ZoteroLibraryRef, int]:
        self._check_schema(db)
        return {ref: number for number, ref in libraries(db).items()}

    def _content(
        self, db: sqlite3.Connection, library: ZoteroLibraryRef, scope: ContentScope
    ) -> ZoteroContent:
        """A library, with a flaw for every citekey that an item shares with one of any library."""

        def read(ref: ZoteroLibraryRef, scope: ContentScope) -> ZoteroContent:
            number = self._libraries[ref]
            return read_library(
                db, number, ref, places=self._places, citekeys=self._citekeys, scope=scope
            )

        content = read(library, scope)
        if scope.items is not None or not scope.attachments:
            return content
        using: dict[str, list[ZoteroItem]] = defaultdict(list)
        for ref in self._libraries:
            for item in (content if ref == library else read(ref, CITEKEYS)).items:
                if item.citekey:
                    using[item.citekey].append(item)
        flaws = []
        for items in using.values():
            if len(items) > 1 and any(item.library == library for item in items):
                places = ", ".join(f"{item.key} in {item.library.name}" for item in items)
                flaws.append(
                    f"The citekey {items[0].citekey!r} is used by several items: {places}."
                )
        return replace(content, flaws=(*content.flaws, *flaws))

    def _check_schema(self, db: sqlite3.Connection) -> None:
        query = "select version from version where schema = 'userdata'"
        try:
            (version,) = db.execute(query).fetchone()
        except (sqlite3.DatabaseError, TypeError) as error:
            raise SourceUnavailable(
                f"{self._database} is not a Zotero database",
                "Set data_dir in [zotero] to the folder that holds Zotero's zotero.sqlite.",
            ) from error
        if OLDEST_SCHEMA <= version <= NEWEST_SCHEMA:
            return
        missing: list[str] = []
        if version > NEWEST_SCHEMA and not (missing := missing_columns(db)):
            self._warnings = (
                *self._warnings,
                f"Zotero's database has schema {version}, newer than {NEWEST_SCHEMA}: all that is "
                "needed is there, but what is new in it is not read.",
            )
            return
        age, bound = "new", f"up to {NEWEST_SCHEMA} can be read; without {', '.join(missing)}"
        hint = 'Update citeloom, or read through Zotero\'s local API: access = "api".'
        if version < OLDEST_SCHEMA:
            age, bound = "old", f"{OLDEST_SCHEMA} or later can be read"
            hint = "Update Zotero and start it once, so that it updates its database."
        raise SourceUnavailable(
            f"{self._database} was written by a Zotero that is too {age} (schema {version}; "
            f"{bound})",
            hint,
        )

    def _better_bibtex_keys(self) -> Keys:
        """Better BibTeX's citekeys; none without its database or, with a warning, if unreadable."""
        if not self._better_bibtex.is_file():
            return {}
        try:
            with tempfile.TemporaryDirectory(prefix="citeloom-zotero-") as folder:
                return better_bibtex_keys(copied(self._better_bibtex, Path(folder), BETTER_BIBTEX))
        except (SourceUnavailable, sqlite3.DatabaseError, ValueError) as error:
            self._warnings = (f"Better BibTeX's database cannot be read: {error}.",)
            return {}


def _with_files_as_they_are(content: ZoteroContent) -> ZoteroContent:
    """The content with whether each file is there now."""
    if all(is_there(file.path) == file.exists for file in content.attachments):
        return content
    files = (replace(file, exists=is_there(file.path)) for file in content.attachments)
    return replace(content, attachments=tuple(files))


# Citekeys in Better BibTeX's own database.

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


# A database that another program may be writing, read as of one moment.


class Copies:
    """Reads a database in place where all of it is in one file that stays as it is meanwhile, and
    else from a copy, which is kept until the database changes.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._copied: tuple[State, Path] | None = None
        self._remove: Callable[[], object] = lambda: None

    def read(self, read: Callable[[sqlite3.Connection], T]) -> T:
        """What `read` reads, all as of one moment; it may be called twice.

        Raises what `copied` raises, and `SourceUnavailable` if the database is damaged.
        """
        try:
            before = state_of(self._database)
            if is_in_one_file(self._database):
                # what fails on a change in the midst, or on damage, is tried again on a copy
                with (
                    suppress(sqlite3.DatabaseError, SourceUnavailable, LookupError),
                    closing(opened_in_place(self._database)) as db,
                ):
                    result = read(db)
                    if state_of(self._database) == before:
                        return result
            with closing(opened(self._copy(before))) as db:
                return read(db)
        except sqlite3.DatabaseError as error:
            raise SourceUnavailable(
                f"{self._database} is damaged or has an unknown structure: {error}",
                "Let Zotero check it: Settings, Advanced, Files and Folders, Database Maintenance.",
            ) from error

    def _copy(self, state: State) -> Path:
        if self._copied is None or self._copied[0] != state:
            self._remove()
            folder = tempfile.mkdtemp(prefix="citeloom-zotero-")
            self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._copied = state, copied(self._database, Path(folder))
        return self._copied[1]


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
        with suppress(sqlite3.DatabaseError), closing(opened(copy, name)) as connection:
            (verdict,) = connection.execute(f"pragma {name}.quick_check(1)").fetchone()
            if verdict == "ok":
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


def is_in_one_file(database: Path) -> bool:
    """Whether neither a write-ahead log nor a journal has to be read with the database."""
    return all(
        state is None or state[1] == 0 or state[3][:1] == b"\0"
        for state in map(_file_state, _files(database)[1:])
    )


def opened_in_place(database: Path) -> sqlite3.Connection:
    """A connection to a database that is in one file, which SQLite is told not to lock or change:
    it is wrong once the file has changed.
    """
    connection = sqlite3.connect(":memory:", uri=True)
    uri = f"{database.absolute().as_uri()}?mode=ro&immutable=1"
    connection.execute("attach ? as zotero", (uri,))
    return connection


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
