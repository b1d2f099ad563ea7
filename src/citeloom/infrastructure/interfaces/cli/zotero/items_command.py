"""`citeloom zotero items` and `citeloom zotero recent`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import JsonOption
from citeloom.infrastructure.interfaces.cli.zotero.options import (
    LimitOption,
    browsing,
    selection_of,
)


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
        typer.Option(metavar="TEXT", help="Only items with this in title, creators or citekey."),
    ] = None,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> None:
    """List items by citekey, with their files and whether these are missing.

    Example: citeloom zotero items --collection Papers --subcollections --search tides
    """
    from citeloom.infrastructure.interfaces.cli.zotero.item_listing import show_items

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
    """List the items that were added or modified last.

    Example: citeloom zotero recent --by modified --limit 5
    """
    from citeloom.application.zotero.browse import ItemOrder
    from citeloom.infrastructure.interfaces.cli.zotero.item_listing import show_items

    order = ItemOrder(by.value)
    with browsing(context) as opened:
        listed = opened.zotero().items(selection, order=order, limit=limit)
    show_items(listed, as_json=as_json, dated=order)
