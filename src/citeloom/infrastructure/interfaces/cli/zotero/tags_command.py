"""`citeloom zotero tags`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out_json_rows, out_table
from citeloom.infrastructure.interfaces.cli.options import JsonOption
from citeloom.infrastructure.interfaces.cli.zotero.options import (
    CollectionOption,
    LibraryOption,
    LimitOption,
    SubcollectionsOption,
    browsing,
    selection_of,
)
from citeloom.infrastructure.serialisation.zotero import tag_json

if TYPE_CHECKING:
    from citeloom.application.zotero.browse import ListedTag


def tags(
    context: typer.Context,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    subcollections: SubcollectionsOption = False,
    search: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only tags that contain this.")
    ] = None,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> None:
    """List tags by number of items, and say which were added automatically.

    Example: citeloom zotero tags --collection Papers/Julia --limit 20
    """
    from citeloom.domain.bibliography import plain

    selection = selection_of(library, collection, subcollections)
    with browsing(context) as opened:
        listed = opened.zotero().tags(selection, search=search, limit=limit)
    if as_json:
        out_json_rows(map(tag_json, listed))
    elif listed:
        rows = [(str(one.items), _origin(one), one.library.path, plain(one.name)) for one in listed]
        out_table(rows, ("items", "automatic", "library", "tag"))
    else:
        note("no tags")


def _origin(one: ListedTag) -> str:
    if not one.automatic:
        return "-"
    return "yes" if one.automatic == one.items else f"on {one.automatic}"
