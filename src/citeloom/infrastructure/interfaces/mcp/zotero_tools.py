"""Zotero, read only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from citeloom.application.requests.ingest import ZoteroKind, ZoteroSearchRequest
from citeloom.application.zotero.browse import ListedAnnotation, ListedItem
from citeloom.domain.retrieval.passage import trim
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.answers.model import UNTRUSTED, Model, Untrusted, filled
from citeloom.infrastructure.answers.zotero import (
    CollectionEntry,
    ItemEntry,
    TagEntry,
)
from citeloom.infrastructure.interfaces.mcp.tool_answers import WARNING, Part, ToolAnswer, pairs
from citeloom.infrastructure.interfaces.mcp.tool_call import Limit, Offset, ToolCall, tool
from citeloom.infrastructure.library.project import ProjectLibrary

# What the tool answers.


class FoundEntry(Model):
    """Something in Zotero; its words are a document's."""

    content: Untrusted = UNTRUSTED


ENTRY = Part.of(FoundEntry, "")


_ITEM = ("key", "citekey", "title", "year", "creators", "doi", "tags", "collections")


class ItemInShort(FoundEntry, of=ItemEntry, keys=_ITEM):
    """An item."""

    abstract: str
    has_file: bool
    annotations: int


class FoundTag(FoundEntry, TagEntry):
    """A tag."""


class FoundCollection(FoundEntry, CollectionEntry):
    """A collection."""


class FoundAnnotation(FoundEntry):
    """An annotation, by the key of its item, too."""

    key: str
    item: str
    citekey: str | None
    title: str
    page: str
    text: str
    comment: str
    color: str
    tags: tuple[str, ...]


class ZoteroEntries(ToolAnswer):
    """Of `zotero_search`: some of `total`."""

    DESCRIBED = "total next_offset items"
    PARTS = (ENTRY,)

    project: str
    total: int
    offset: int
    items: tuple[FoundEntry, ...]
    next_offset: int | None = None

    def lines(self) -> Iterator[str]:
        yield f"{len(self.items)} of {self.total} in Zotero"
        yield WARNING
        yield from (f"- {pairs(item)}" for item in self.items)


# The tool.

_ABSTRACT, _TEXT = 500, 2000


@tool(title="Search Zotero", limit="hybrid_seconds", reaches_out=True)
def zotero_search(
    call: ToolCall,
    project: ProjectLibrary,
    request: ZoteroSearchRequest,
    offset: Offset = 0,
    limit: Limit = 20,
) -> ZoteroEntries:
    """What Zotero has within the project's selection."""
    browse, selection = call.library.zotero(), project.project.zotero or ZoteroSelection()
    search, collection, item = request.text or None, request.collection, request.item
    listed: Sequence[Any]
    match request.what:
        case ZoteroKind.ITEMS:
            listed = browse.items(selection, search=search, collection=collection, item=item)
            entry: Callable[[Any], FoundEntry] = partial(
                _item, longest=_TEXT if item else _ABSTRACT
            )
        case ZoteroKind.ANNOTATIONS:
            listed = browse.annotations(selection, search=search, collection=collection, item=item)
            entry = _annotation
        case ZoteroKind.TAGS:
            listed, entry = browse.tags(selection, search=search), FoundTag.of
        case ZoteroKind.COLLECTIONS:
            text, entry = request.text.casefold(), FoundCollection.of
            listed = [
                found
                for found in browse.collections(selection, selected_only=True)
                if text in str([*found.collection.path]).casefold()
            ]
    return ZoteroEntries(
        project=project.project.id,
        total=len(listed),
        offset=offset,
        items=tuple(map(entry, listed[offset : offset + limit])),
    )


def _item(listed: ListedItem, longest: int) -> ItemInShort:
    return filled(
        ItemInShort,
        ItemEntry.of(listed),
        abstract=trim(listed.item.fields.get("abstractNote", ""), longest)[0],
        has_file=any(attachment.exists for attachment in listed.attachments),
        annotations=len(listed.annotations),
    )


def _annotation(listed: ListedAnnotation) -> FoundAnnotation:
    mark = listed.annotation
    return filled(
        FoundAnnotation,
        mark,
        item=listed.item.key,
        citekey=listed.item.citekey or None,
        title=listed.item.title,
        page=mark.page_label,
        text=trim(mark.text, _TEXT)[0],
        comment=trim(mark.comment, _TEXT)[0],
        tags=tuple(tag.name for tag in mark.tags),
    )
