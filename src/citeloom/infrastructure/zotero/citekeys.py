"""Citekeys in Better BibTeX's own database, or in an item's Extra field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from citeloom.domain.zotero import CitekeySource
from citeloom.infrastructure.zotero.copies import opened

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
    found = _IN_EXTRA.search(extra)
    return found[1] if found else ""


def citekey_of(fields: Mapping[str, str], better_bibtex: str | None) -> tuple[str, CitekeySource]:
    """An item's citekey and its source: its own field, Better BibTeX, or Extra."""
    choices = (
        (fields.get("citationKey", "").strip(), CitekeySource.FIELD),
        (better_bibtex or "", CitekeySource.BETTER_BIBTEX),
        (citekey_in_extra(fields.get("extra", "")), CitekeySource.EXTRA),
    )
    return next((choice for choice in choices if choice[0]), ("", CitekeySource.MADE))
