"""Browsing Zotero: collections, items and tags, before anything is ingested."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import overload

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.chunks.chunk import color_name
from citeloom.domain.errors import InvalidFilter, LibraryRefused, NotFound, nearest
from citeloom.domain.references.bibliography import names_in
from citeloom.domain.retrieval.filters import LEAVE_OUT, check_text
from citeloom.domain.zotero.items import (
    CITEKEY_FIELDS,
    EVERYTHING,
    WORKS,
    ContentScope,
    Creator,
    LinkMode,
    ZoteroAnnotation,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    item_year,
    leading_creators,
)
from citeloom.domain.zotero.selection import (
    ZoteroSelection,
    chosen_collections,
    chosen_libraries,
    chosen_searches,
    items_by_collection,
    known_searches,
    only_below,
    selected_items,
    unknown_collections,
    unknown_searches,
)

_NAMES = CITEKEY_FIELDS | {*names_in("zotero", "title")}
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

    `creators` are the ones named in its citation; `annotations` those in its attachments, in the
    order they stand in.
    """

    item: ZoteroItem
    creators: tuple[Creator, ...]
    year: int | None
    attachments: tuple[ZoteroAttachment, ...]
    collections: tuple[str, ...]
    annotations: tuple[ZoteroAnnotation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedAnnotation:
    """An annotation with the item whose attachment it is in."""

    annotation: ZoteroAnnotation
    item: ZoteroItem


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTag:
    """A tag, its number of items, and on how many of them it was added automatically."""

    library: ZoteroLibraryRef
    name: str
    """The tag."""
    items: int
    """How many items have it."""
    automatic: int
    """On how many of them it came with the import."""


def read_selected(
    zotero: ZoteroLibrary, selection: ZoteroSelection, scope: ContentScope = EVERYTHING
) -> tuple[ZoteroContent, ...]:
    """The selected libraries; one that Zotero refuses is empty and says so beside others.

    Raises `NotFound` for an unknown library, collection or saved search, `LibraryRefused` where all
    are refused, or a collection or search may be in one that is, and `InvalidFilter` for a saved
    search that cannot be run.
    """
    scope = replace(scope, searches=bool(selection.saved_searches))
    contents, refusal = list[ZoteroContent](), None
    for library in chosen_libraries(selection, zotero.libraries()):
        try:
            contents.append(zotero.read(library, scope))
        except LibraryRefused as error:
            refusal = error
            contents.append(ZoteroContent(library=library, refused=True))
    unknown = unknown_collections(selection, contents)
    no_search = unknown_searches(selection, contents)
    if refusal and (unknown or no_search or all(content.refused for content in contents)):
        raise refusal
    if unknown:
        raise NotFound(
            f"Zotero has no collection {', '.join(map(repr, unknown))}",
            _nearest_collection(unknown[0], contents),
        )
    if selection.saved_searches:
        _check_searches(selection, contents, no_search)
    return tuple(contents)


def _nearest_collection(name: str, contents: Iterable[ZoteroContent]) -> str:
    """A hint at the collections with a path, or else with a last name, most like `name`."""
    every = [collection for content in contents for collection in content.collections]
    last = nearest(name, (collection.name for collection in every))
    near = nearest(name, (collection.full_name for collection in every)) or tuple(
        collection.full_name for collection in every if collection.name in last
    )
    otherwise = "See `citeloom zotero collections`; name one by its path or key."
    return f"Did you mean {' or '.join(near)}?" if near else otherwise


def hints_below(selection: ZoteroSelection, contents: Iterable[ZoteroContent]) -> tuple[str, ...]:
    """A sentence for each selected collection whose items are all in its subcollections."""
    return tuple(
        f"the items of the collection '{name}' are all in its subcollections; "
        "--subcollections includes them"
        for name in only_below(selection, contents)
    )


def _check_searches(
    selection: ZoteroSelection, contents: Sequence[ZoteroContent], unknown: Sequence[str]
) -> None:
    """Refuse saved searches that there are not, and that cannot be run."""
    if unknown:
        known = ", ".join(sorted({search.name for search in known_searches(contents)}))
        raise NotFound(
            f"Zotero has no saved search {', '.join(map(repr, unknown))}",
            f"There are: {known}." if known else "There are none in the selected libraries.",
        )
    for search in chosen_searches(selection, contents):
        if search.refusal:
            raise InvalidFilter(
                f"the saved search '{search.name}' cannot be selected: {search.refusal}",
                "Change it in Zotero, or put what it finds into a collection.",
            )


@dataclass(frozen=True, slots=True)
class Browse:
    """Lists the content of the selected libraries; Zotero is found when it is first needed."""

    reach: Callable[[], ZoteroLibrary]

    def contents(
        self, selection: ZoteroSelection, scope: ContentScope = EVERYTHING
    ) -> tuple[ZoteroContent, ...]:
        """The selected libraries. Raises `NotFound` for an unknown library or collection, and
        `SourceUnavailable` if Zotero cannot be read.
        """
        return read_selected(self.reach(), selection, scope)

    def hints_below(self, selection: ZoteroSelection) -> tuple[str, ...]:
        """A sentence for each selected collection whose items are all in its subcollections."""
        scope = replace(WORKS, fields=frozenset(), creators=False, tags=False)
        return hints_below(selection, self.contents(selection, scope))

    def collections(
        self, selection: ZoteroSelection, *, selected_only: bool = False
    ) -> tuple[ListedCollection, ...]:
        """Every collection by library and path, each directly before its subcollections; only
        those of the selection if `selected_only`.
        """
        listed: list[ListedCollection] = []
        scope = replace(WORKS, fields=frozenset(), creators=False, tags=False)
        for content in self.contents(selection, scope):
            chosen = chosen_collections(selection, content) if selected_only else None
            items_of, below = items_by_collection(content)
            listed += (
                ListedCollection(
                    collection=collection,
                    items=len(items_of[collection.key]),
                    items_below=len(below[collection.path]),
                )
                for collection in sorted(
                    content.collections, key=lambda each: (each.path, each.key)
                )
                if chosen is None or collection.key in chosen
            )
        return tuple(listed)

    def items(
        self,
        selection: ZoteroSelection,
        *,
        search: str | None = None,
        collection: str | None = None,
        item: str | None = None,
        order: ItemOrder = ItemOrder.CITEKEY,
    ) -> FoundItems:
        """The selected items whose title, creators or citekey contain `search`, in any case; of a
        `collection`, by its path or key, and those below it; or the one `item` of that key.

        Raises `InvalidFilter` for a search text that is empty, `NotFound` for an unknown
        collection.
        """
        pattern = _folded(search)
        scope = ContentScope(
            items=None if item is None else frozenset({item}),
            fields=_NAMES if pattern else CITEKEY_FIELDS,
            creators=bool(pattern),
            tags=bool(selection.tags or selection.exclude_tags),
            attachments=False,
            annotations=False,
            notes=False,
        )
        zotero = self.reach()
        contents = read_selected(zotero, selection, scope)
        within = _collection_keys(contents, collection)
        items = [
            work
            for content in contents
            for work in selected_items(content, selection)
            if item in {None, work.key}
            and (
                within is None
                or not within.isdisjoint((work.library, key) for key in work.collections)
            )
            and (not pattern or any(pattern in text.casefold() for text in _names_of(work)))
        ]
        if order is ItemOrder.CITEKEY:
            items.sort(key=lambda work: (not work.citekey, work.citekey.casefold(), work.key))
        elif order is ItemOrder.ADDED:
            items.sort(key=lambda work: work.added or _LONG_AGO, reverse=True)
        else:
            items.sort(key=lambda work: work.modified or _LONG_AGO, reverse=True)
        return FoundItems(zotero, items)

    def annotations(
        self,
        selection: ZoteroSelection,
        *,
        search: str | None = None,
        collection: str | None = None,
        item: str | None = None,
        colors: Sequence[str] = (),
    ) -> tuple[ListedAnnotation, ...]:
        """The annotations in the attachments of the selected items, narrowed as for `items`, whose
        text or comment contains `search`, in any of the `colors`, by Zotero's name or as
        `#ffd400`; by item, in the order they stand in.
        """
        pattern, chosen = _folded(search), {color.casefold() for color in colors}
        return tuple(
            ListedAnnotation(annotation=mark, item=listed.item)
            for listed in self.items(selection, collection=collection, item=item)
            for mark in listed.annotations
            if pattern in f"{mark.text}\n{mark.comment}".casefold()
            and (not chosen or chosen & {mark.color.casefold(), color_name(mark.color)})
        )

    def tags(
        self, selection: ZoteroSelection, *, search: str | None = None, limit: int | None = None
    ) -> tuple[ListedTag, ...]:
        """The tags of the selected items that contain `search`, the most frequent first.

        Raises `InvalidFilter` for a search text that is empty.
        """
        pattern = _folded(search)
        tags: list[ListedTag] = []
        for content in self.contents(selection, replace(WORKS, fields=frozenset(), creators=False)):
            items, automatic = Counter[str](), Counter[str]()
            for item in selected_items(content, selection):
                items.update({tag.name for tag in item.tags})
                automatic.update({tag.name for tag in item.tags if tag.automatic})
            tags += (
                ListedTag(
                    library=content.library, name=name, items=count, automatic=automatic[name]
                )
                for name, count in items.items()
                if pattern in name.casefold()
            )
        return tuple(sorted(tags, key=lambda tag: (-tag.items, tag.name.casefold()))[:limit])


def _folded(search: str | None) -> str:
    """The search text, case-folded; empty, which every text contains, where there is none."""
    if search is None:
        return ""
    check_text("search text", search, LEAVE_OUT)
    return search.casefold()


def _names_of(item: ZoteroItem) -> tuple[str, ...]:
    return item.title, item.citekey, *(creator.name for creator in item.creators)


class FoundItems(Sequence[ListedItem]):
    """Items in their order, of which those that are looked at are read whole; one that has gone
    from Zotero meanwhile is left out.
    """

    def __init__(self, zotero: ZoteroLibrary, found: Sequence[ZoteroItem]) -> None:
        self._zotero = zotero
        self._found = found

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, place: int) -> ListedItem: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ListedItem, ...]: ...
    def __getitem__(self, place: int | slice) -> ListedItem | tuple[ListedItem, ...]:
        if isinstance(place, slice):
            return self._listed(self._found[place])
        return self._listed([self._found[place]])[0]

    def __iter__(self) -> Iterator[ListedItem]:
        return iter(self._listed(self._found))

    def _listed(self, found: Sequence[ZoteroItem]) -> tuple[ListedItem, ...]:
        keys: dict[ZoteroLibraryRef, list[str]] = defaultdict(list)
        for item in found:
            keys[item.library].append(item.key)
        listed: dict[tuple[ZoteroLibraryRef, str], ListedItem] = {}
        for library, chosen in keys.items():
            scope = ContentScope(items=frozenset(chosen), notes=False)
            for each in _listing(self._zotero.read(library, scope)):
                listed[library, each.item.key] = each
        places = ((item.library, item.key) for item in found)
        return tuple(listed[place] for place in places if place in listed)


def _listing(content: ZoteroContent) -> Iterator[ListedItem]:
    attached: dict[str, list[ZoteroAttachment]] = defaultdict(list)
    for attachment in content.attachments:
        if attachment.parent and attachment.link_mode is not LinkMode.EMBEDDED_IMAGE:
            attached[attachment.parent].append(attachment)
    marks: dict[str, list[ZoteroAnnotation]] = defaultdict(list)
    for mark in sorted(content.annotations, key=lambda annotation: annotation.sort_index):
        marks[mark.attachment].append(mark)
    paths = {collection.key: "/".join(collection.path) for collection in content.collections}
    for item in content.items:
        attachments = tuple(attached[item.key])
        yield ListedItem(
            item=item,
            creators=leading_creators(item),
            year=item_year(item),
            attachments=attachments,
            annotations=tuple(mark for file in attachments for mark in marks[file.key]),
            collections=tuple(paths[key] for key in item.collections if key in paths),
        )


def _collection_keys(
    contents: Sequence[ZoteroContent], name: str | None
) -> frozenset[tuple[ZoteroLibraryRef, str]] | None:
    """The library and key of the collections with a path or key and of those below them; None
    without a name.
    """
    if name is None:
        return None
    every = [collection for content in contents for collection in content.collections]
    folded = tuple(part.strip().casefold() for part in name.split("/"))
    named = [
        (collection.library, collection.path)
        for collection in every
        if collection.key == name or tuple(map(str.casefold, collection.path)) == folded
    ]
    if not named:
        raise NotFound(f"Zotero has no collection '{name}'", _nearest_collection(name, contents))
    return frozenset(
        (collection.library, collection.key)
        for collection in every
        if any(
            (collection.library, collection.path[: len(path)]) == (ref, path) for ref, path in named
        )
    )
