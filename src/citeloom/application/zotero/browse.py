"""Browsing Zotero: collections, items and tags, before anything is ingested."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from citeloom.application.ports.zotero_library import ZoteroLibrary
from citeloom.domain.errors import NotFound
from citeloom.domain.filters import LEAVE_OUT, check_text
from citeloom.domain.zotero import (
    Creator,
    LinkMode,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
)
from citeloom.domain.zotero_citation import item_year, leading_creators
from citeloom.domain.zotero_selection import (
    ZoteroSelection,
    chosen_collections,
    chosen_libraries,
    selected_items,
    unknown_collections,
)

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class ItemOrder(StrEnum):
    """By citekey, or newest first by date added or date modified."""

    CITEKEY = "citekey"
    ADDED = "added"
    MODIFIED = "modified"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCollection:
    """A collection with its number of items, without and with its subcollections."""

    collection: ZoteroCollection
    items: int
    items_below: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedItem:
    """An item with its attachments and the paths of its collections.

    `creators` are the ones named in its citation.
    """

    item: ZoteroItem
    creators: tuple[Creator, ...]
    year: int | None
    attachments: tuple[ZoteroAttachment, ...]
    collections: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTag:
    """A tag, its number of items, and on how many of them it was added automatically."""

    library: ZoteroLibraryRef
    name: str
    items: int
    automatic: int


@dataclass(frozen=True, slots=True)
class Browse:
    """Lists the content of the selected libraries; Zotero is found when it is first needed."""

    reach: Callable[[], ZoteroLibrary]

    @property
    def zotero(self) -> ZoteroLibrary:
        """Zotero. Raises `SourceUnavailable` if it cannot be read."""
        return self.reach()

    def contents(self, selection: ZoteroSelection) -> tuple[ZoteroContent, ...]:
        """The selected libraries. Raises `NotFound` for an unknown library or collection."""
        libraries = chosen_libraries(selection, self.zotero.libraries())
        contents = tuple(self.zotero.read(library) for library in libraries)
        if unknown := unknown_collections(selection, contents):
            raise NotFound(
                f"Zotero has no collection {', '.join(map(repr, unknown))}",
                "See `citeloom zotero collections`; name one by its path or key.",
            )
        return contents

    def collections(
        self, selection: ZoteroSelection, *, selected_only: bool = False
    ) -> tuple[ListedCollection, ...]:
        """Every collection by library and path, each directly before its subcollections; only
        those of the selection if `selected_only`.
        """
        return tuple(
            listed
            for content in self.contents(selection)
            for listed in _collections(content)
            if not selected_only or _is_chosen(listed, selection, content)
        )

    def items(
        self,
        selection: ZoteroSelection,
        *,
        search: str | None = None,
        order: ItemOrder = ItemOrder.CITEKEY,
        limit: int | None = None,
    ) -> tuple[ListedItem, ...]:
        """The selected items whose title, creators or citekey contain `search`, in any case.

        Raises `InvalidFilter` for a search text that is empty.
        """
        wanted = _wanted(search)
        contents = {content.library: content for content in self.contents(selection)}
        found = [
            item
            for content in contents.values()
            for item in selected_items(content, selection)
            if _mentions(item, wanted)
        ]
        chosen = _sorted(found, order)[:limit]
        listing = {ref: _Listing.of(content) for ref, content in contents.items()}
        return tuple(listing[item.library].listed(item) for item in chosen)

    def tags(
        self, selection: ZoteroSelection, *, search: str | None = None, limit: int | None = None
    ) -> tuple[ListedTag, ...]:
        """The tags of the selected items that contain `search`, the most frequent first.

        Raises `InvalidFilter` for a search text that is empty.
        """
        wanted = _wanted(search)
        found = [
            tag
            for content in self.contents(selection)
            for tag in _tags(content, selection)
            if wanted in tag.name.casefold()
        ]
        return tuple(sorted(found, key=lambda tag: (-tag.items, tag.name.casefold()))[:limit])


def _wanted(search: str | None) -> str:
    """The search text without regard to case; what is not searched for is in everything."""
    if search is None:
        return ""
    check_text("search text", search, LEAVE_OUT)
    return search.casefold()


@dataclass(frozen=True, slots=True)
class _Listing:
    """The attachments and collection paths that items of one library are listed with."""

    attached: dict[str, list[ZoteroAttachment]]
    paths: dict[str, str]

    @staticmethod
    def of(content: ZoteroContent) -> _Listing:
        attached = defaultdict(list)
        for attachment in content.attachments:
            if attachment.parent and attachment.link_mode is not LinkMode.EMBEDDED_IMAGE:
                attached[attachment.parent].append(attachment)
        return _Listing(attached, {one.key: "/".join(one.path) for one in content.collections})

    def listed(self, item: ZoteroItem) -> ListedItem:
        return ListedItem(
            item=item,
            creators=leading_creators(item),
            year=item_year(item),
            attachments=tuple(self.attached.get(item.key, ())),
            collections=tuple(self.paths[key] for key in item.collections if key in self.paths),
        )


def _is_chosen(one: ListedCollection, selection: ZoteroSelection, content: ZoteroContent) -> bool:
    chosen = chosen_collections(selection, content)
    return chosen is None or one.collection.key in chosen


def _collections(content: ZoteroContent) -> Iterator[ListedCollection]:
    held: dict[str, set[str]] = defaultdict(set)
    for item in content.items:
        for key in item.collections:
            held[key].add(item.key)
    below: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for collection in content.collections:
        for depth in range(1, len(collection.path) + 1):
            below[collection.path[:depth]] |= held[collection.key]
    for collection in sorted(content.collections, key=lambda one: (one.path, one.key)):
        yield ListedCollection(
            collection=collection,
            items=len(held[collection.key]),
            items_below=len(below[collection.path]),
        )


def _mentions(item: ZoteroItem, folded: str) -> bool:
    if not folded:
        return True
    texts = (item.title, item.citekey, *(creator.name for creator in item.creators))
    return any(folded in text.casefold() for text in texts)


def _sorted(items: list[ZoteroItem], order: ItemOrder) -> list[ZoteroItem]:
    if order is ItemOrder.CITEKEY:
        return sorted(items, key=lambda item: (not item.citekey, item.citekey.casefold(), item.key))
    if order is ItemOrder.ADDED:
        return sorted(items, key=lambda item: item.added or _LONG_AGO, reverse=True)
    return sorted(items, key=lambda item: item.modified or _LONG_AGO, reverse=True)


def _tags(content: ZoteroContent, selection: ZoteroSelection) -> Iterator[ListedTag]:
    items: Counter[str] = Counter()
    automatic: Counter[str] = Counter()
    for item in selected_items(content, selection):
        items.update({tag.name for tag in item.tags})
        automatic.update({tag.name for tag in item.tags if tag.automatic})
    for name, count in items.items():
        yield ListedTag(library=content.library, name=name, items=count, automatic=automatic[name])
