"""`citeloom zotero collections`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer

from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.interfaces.cli.console import out_json_rows, out_table
from citeloom.infrastructure.interfaces.cli.options import JsonOption
from citeloom.infrastructure.interfaces.cli.zotero.options import LibraryOption, browsing
from citeloom.infrastructure.serialisation.zotero import collection_json

if TYPE_CHECKING:
    from citeloom.application.zotero.browse import ListedCollection


def collections(
    context: typer.Context, library: LibraryOption = None, as_json: JsonOption = False
) -> None:
    """List the collections of Zotero as a tree, with their numbers of items.

    Example: citeloom zotero collections --library all
    """
    with browsing(context) as opened:
        listed = opened.zotero().collections(ZoteroSelection(libraries=tuple(library or ())))
    if as_json:
        out_json_rows(map(collection_json, listed))
    else:
        out_table(_tree(listed), ("key", "items", "with subcollections", "collection"))


def _tree(listed: Sequence[ListedCollection]) -> Iterator[tuple[str, ...]]:
    several = len({one.collection.library for one in listed}) > 1
    shown = None
    for one in listed:
        library = one.collection.library
        if several and library != shown:
            yield "", "", "", f"{library.name or library.path} ({library.path})"
            shown = library
        indent = "  " * (len(one.collection.path) - 1 + several)
        name = f"{indent}{one.collection.name}"
        yield one.collection.key, str(one.items), str(one.items_below), name
