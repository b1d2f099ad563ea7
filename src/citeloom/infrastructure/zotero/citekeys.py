"""The citekeys that Better BibTeX keeps in a database of its own, or in an item's Extra."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from citeloom.domain.zotero import CitekeySource

_IN_EXTRA = re.compile(r"^\s*(?:citation key|bibtex)\s*:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_LOKI_COLLECTION = "better-bibtex.citekey"

Keys = Mapping[tuple[int, str], str]
"""Citekeys by Zotero's number of the library and the item's key."""


def better_bibtex_keys(database: Path) -> Keys:
    """The citekeys of `better-bibtex.sqlite`, in either of its layouts.

    It has a table of citekeys, or one of JSON documents with a collection of them in it. Raises
    `sqlite3.DatabaseError` or `ValueError` when it is neither.
    """
    with closing(sqlite3.connect(database)) as db:
        tables = {name for (name,) in db.execute("select name from sqlite_master")}
        if "citationkey" in tables:
            rows = db.execute("select libraryID, itemKey, citationKey from citationkey")
            return {(library, item): citekey for library, item, citekey in rows}
        if "better-bibtex" in tables:
            return _in_documents(db)
    raise ValueError("it holds no citekeys")


def citekey_in_extra(extra: str) -> str:
    """The citekey of a line `Citation Key: …`, or nothing."""
    found = _IN_EXTRA.search(extra)
    return found[1] if found else ""


def citekey_of(fields: Mapping[str, str], better_bibtex: str | None) -> tuple[str, CitekeySource]:
    """An item's citekey and where it is from: its own field, Better BibTeX, or Extra."""
    choices = (
        (fields.get("citationKey", "").strip(), CitekeySource.FIELD),
        (better_bibtex or "", CitekeySource.BETTER_BIBTEX),
        (citekey_in_extra(fields.get("extra", "")), CitekeySource.EXTRA),
    )
    return next((choice for choice in choices if choice[0]), ("", CitekeySource.MADE))


def _in_documents(db: sqlite3.Connection) -> Keys:
    row = db.execute(
        'select data from "better-bibtex" where name = ?', (_LOKI_COLLECTION,)
    ).fetchone()
    if row is None:
        return {}
    entries = json.loads(row[0])["data"]
    return {
        (entry["libraryID"], entry["itemKey"]): entry["citekey"]
        for entry in entries
        if entry.get("citekey") and entry.get("itemKey")
    }
