"""`citeloom zotero collections`."""

from __future__ import annotations

import typer

from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.cli.console import out, out_json, table
from citeloom.infrastructure.cli.options import JsonOption
from citeloom.infrastructure.cli.zotero.options import LibraryOption, browsing


def collections(
    context: typer.Context, library: LibraryOption = None, as_json: JsonOption = False
) -> None:
    """List the collections of Zotero, with how many items each holds.

    Example: citeloom zotero collections --library all
    """
    browse = browsing(context)
    listed = browse.collections(ZoteroSelection(libraries=tuple(library or ())))
    if as_json:
        out_json(
            [
                {
                    "library": one.collection.library.path,
                    "key": one.collection.key,
                    "path": list(one.collection.path),
                    "items": one.items,
                }
                for one in listed
            ]
        )
        return
    rows = [
        (
            one.collection.key,
            str(one.items),
            one.collection.library.path,
            "/".join(one.collection.path),
        )
        for one in listed
    ]
    out(table(rows, ("key", "items", "library", "collection")))
