"""Items of Zotero as a table or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.bibliography import plain
from citeloom.domain.zotero import LinkMode, ZoteroAttachment
from citeloom.infrastructure.interfaces.cli.console import note, out_json_rows, out_table
from citeloom.infrastructure.serialisation.passages import in_short
from citeloom.infrastructure.serialisation.zotero import item_json

if TYPE_CHECKING:
    from citeloom.application.zotero.browse import ItemOrder, ListedItem

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
            yield (_day(moment), *_row(one))
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


def _day(moment: datetime | None) -> str:
    return moment.date().isoformat() if moment else "-"
