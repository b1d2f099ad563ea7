"""The local Zotero, read from copies of its database."""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero.items import ZoteroContent, ZoteroItem, ZoteroLibraryRef
from citeloom.infrastructure.zotero.citekeys import (
    BETTER_BIBTEX,
    Keys,
    better_bibtex_keys,
    copied,
    opened,
    state_of,
)
from citeloom.infrastructure.zotero.places import FileLocations
from citeloom.infrastructure.zotero.reading import read_library
from citeloom.infrastructure.zotero.rows import libraries

OLDEST_SCHEMA, NEWEST_SCHEMA = 120, 129


class LocalZotero(ZoteroLibrary):
    """A Zotero data directory, with the base directory of linked files if one is set.

    Everything is read at once from a temporary copy, and again when the files have changed.
    Zotero may be running; none of its files is modified.
    """

    def __init__(self, data_dir: Path, *, base_dir: Path | None = None) -> None:
        self._database = data_dir / "zotero.sqlite"
        self._better_bibtex = data_dir / "better-bibtex.sqlite"
        self._places = FileLocations(data_dir=data_dir, base_dir=base_dir)
        self._read_as = ""
        self._contents: dict[ZoteroLibraryRef, ZoteroContent] = {}
        self._warnings: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        return f"local database {self._database.parent}"

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._warnings

    def fingerprint(self) -> str:
        states = [state_of(self._database)]
        if self._better_bibtex.is_file():
            states.append(state_of(self._better_bibtex))
        return hashlib.sha256(repr(states).encode()).hexdigest()

    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        return tuple(self._current())

    def read(self, library: ZoteroLibraryRef) -> ZoteroContent:
        contents = self._current()
        if library not in contents:
            raise SourceUnavailable(
                f"Zotero has no library {library.path}", "See `citeloom zotero collections`."
            )
        return contents[library]

    def _current(self) -> dict[ZoteroLibraryRef, ZoteroContent]:
        fingerprint = self.fingerprint()
        if fingerprint != self._read_as:
            with tempfile.TemporaryDirectory(prefix="citeloom-zotero-") as folder:
                self._contents = self._read_all(Path(folder))
            self._read_as = fingerprint
        return self._contents

    def _read_all(self, folder: Path) -> dict[ZoteroLibraryRef, ZoteroContent]:
        citekeys = self._citekeys(folder)
        with closing(opened(copied(self._database, folder))) as db:
            _check_schema(db, self._database)
            try:
                contents = {
                    ref: read_library(db, number, ref, places=self._places, citekeys=citekeys)
                    for number, ref in libraries(db).items()
                }
            except sqlite3.DatabaseError as error:
                raise SourceUnavailable(
                    f"{self._database} is damaged or has an unknown structure: {error}",
                    "Let Zotero check it: Settings, Advanced, Files and Folders, Database "
                    "Maintenance.",
                ) from error
        return _with_clashes(contents)

    def _citekeys(self, folder: Path) -> Keys:
        """Better BibTeX's citekeys; none without its database or, with a warning, if unreadable."""
        self._warnings = ()
        if not self._better_bibtex.is_file():
            return {}
        try:
            return better_bibtex_keys(copied(self._better_bibtex, folder, BETTER_BIBTEX))
        except (SourceUnavailable, sqlite3.DatabaseError, ValueError) as error:
            self._warnings = (f"Better BibTeX's database cannot be read: {error}.",)
            return {}


def _check_schema(db: sqlite3.Connection, database: Path) -> None:
    try:
        (version,) = db.execute("select version from version where schema = 'userdata'").fetchone()
    except (sqlite3.DatabaseError, TypeError) as error:
        raise SourceUnavailable(
            f"{database} is not a Zotero database",
            "Set data_dir in [zotero] to the folder that holds Zotero's zotero.sqlite.",
        ) from error
    if version < OLDEST_SCHEMA:
        raise SourceUnavailable(
            f"{database} was written by a Zotero that is too old (schema {version}; "
            f"{OLDEST_SCHEMA} or later can be read)",
            "Update Zotero and start it once, so that it updates its database.",
        )
    if version > NEWEST_SCHEMA:
        raise SourceUnavailable(
            f"{database} was written by a Zotero that is too new (schema {version}; "
            f"up to {NEWEST_SCHEMA} can be read)",
            'Update citeloom, or read through Zotero\'s local API: access = "api".',
        )


def _with_clashes(
    contents: dict[ZoteroLibraryRef, ZoteroContent],
) -> dict[ZoteroLibraryRef, ZoteroContent]:
    """The contents, with a flaw for every citekey that several items share."""
    using: dict[str, list[ZoteroItem]] = defaultdict(list)
    for content in contents.values():
        for item in content.items:
            if item.citekey:
                using[item.citekey].append(item)
    clashes = [items for items in using.values() if len(items) > 1]
    return {
        ref: replace(content, flaws=(*content.flaws, *_clashes_in(ref, clashes)))
        for ref, content in contents.items()
    }


def _clashes_in(ref: ZoteroLibraryRef, clashes: Iterable[list[ZoteroItem]]) -> Iterator[str]:
    for items in clashes:
        if any(item.library == ref for item in items):
            places = ", ".join(f"{item.key} in {item.library.name}" for item in items)
            yield f"The citekey {items[0].citekey!r} is used by several items: {places}."
