"""`citeloom zotero collections`, `tags`, `items` and `recent`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.references.bibliography import plain
from citeloom.domain.zotero.items import LinkMode, ZoteroAttachment
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.interfaces.cli.console import note, out_json_rows, out_table
from citeloom.infrastructure.interfaces.cli.options import JsonOption, with_options
from citeloom.infrastructure.interfaces.cli.zotero.options import (
    CollectionOption,
    LibraryOption,
    LimitOption,
    SubcollectionsOption,
    browsing,
    selection_of,
)
from citeloom.infrastructure.serialisation.passages import in_short
from citeloom.infrastructure.serialisation.zotero import collection_json, item_json, tag_json

if TYPE_CHECKING:
    from citeloom.application.zotero.browse import (
        ItemOrder,
        ListedCollection,
        ListedItem,
        ListedTag,
    )


# `citeloom zotero collections`.


def collections(
    context: typer.Context, library: LibraryOption = None, as_json: JsonOption = False
) -> None:
    """List Zotero's collections as a tree, with the number of items in each.

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


# `citeloom zotero tags`.


def tags(
    context: typer.Context,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    subcollections: SubcollectionsOption = False,
    search: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only tags that contain this text.")
    ] = None,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> None:
    """List tags by number of items, and say which were added automatically.

    Example: citeloom zotero tags --collection Papers/Julia --limit 20
    """
    from citeloom.domain.references.bibliography import plain

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


# Items of Zotero as a table or as JSON.

_KINDS = {
    "application/pdf": "PDF",
    "application/epub+zip": "EPUB",
    "text/html": "HTML",
    "application/xhtml+xml": "HTML",
    "text/plain": "text",
}
_HEADS = ("key", "citekey", "year", "creators", "files", "title")


def show_items(
    listed: Sequence[ListedItem], *, as_json: bool, dated: ItemOrder | None = None
) -> None:
    """Print items; the table begins with the day that `dated` names, if any."""
    if as_json:
        out_json_rows(map(item_json, listed))
        return
    if not listed:
        note("no items")
        return
    heads = (dated.value, *_HEADS) if dated else _HEADS
    several = len({one.item.library for one in listed}) > 1
    rows = _rows(listed, dated)
    if several:
        heads = ("library", *heads)
        rows = ((one.item.library.path, *row) for one, row in zip(listed, rows))
    out_table(rows, heads)


def _rows(listed: Sequence[ListedItem], dated: ItemOrder | None) -> Iterator[tuple[str, ...]]:
    for one in listed:
        if dated:
            moment = one.item.added if dated.value == "added" else one.item.modified
            yield (moment.date().isoformat() if moment else "-", *_row(one))
        else:
            yield _row(one)


def _row(one: ListedItem) -> tuple[str, ...]:
    return (
        one.item.key,
        one.item.citekey or "-",
        str(one.year or "-"),
        in_short([plain(creator.family) for creator in one.creators]) or "-",
        ", ".join(map(_file, one.attachments)) or "-",
        plain(one.item.title) or "-",
    )


def _file(attachment: ZoteroAttachment) -> str:
    """What kind of file it is, and whether it is missing."""
    if attachment.link_mode is LinkMode.LINKED_URL:
        return "link"
    kind = _KINDS.get(attachment.content_type)
    kind = kind or Path(attachment.stored_path).suffix[1:].upper() or "file"
    return kind if attachment.exists else f"{kind} missing"


# `citeloom zotero items` and `citeloom zotero recent`.


class By(StrEnum):
    """The date that makes an item recent."""

    ADDED = "added"
    MODIFIED = "modified"


@with_options(selection=selection_of)
def items(
    context: typer.Context,
    *,
    selection: ZoteroSelection,
    search: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Only items with this text in title, creators or citekey."
        ),
    ] = None,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> None:
    """List items by citekey, with their files and whether these are missing.

    Example: citeloom zotero items --collection Papers --subcollections --search tides
    """
    with browsing(context) as opened:
        listed = opened.zotero().items(selection, search=search, limit=limit)
    show_items(listed, as_json=as_json)


@with_options(selection=selection_of)
def recent(
    context: typer.Context,
    *,
    selection: ZoteroSelection,
    by: Annotated[By, typer.Option(help="By date added or date modified.")] = By.ADDED,
    limit: LimitOption = 20,
    as_json: JsonOption = False,
) -> None:
    """List the items added or modified most recently.

    Example: citeloom zotero recent --by modified --limit 5
    """
    from citeloom.application.zotero.browse import ItemOrder

    order = ItemOrder(by.value)
    with browsing(context) as opened:
        listed = opened.zotero().items(selection, order=order, limit=limit)
    show_items(listed, as_json=as_json, dated=order)
