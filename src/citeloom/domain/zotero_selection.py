"""Selecting items of Zotero libraries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citeloom.domain.errors import NotFound
from citeloom.domain.zotero import (
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroTag,
)

_EVERY = "all"
_OWN = ("library", "user", "my library")


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroSelection:
    """Items in any of the named collections that have all tags and none of the excluded ones.

    A library is `library` (the user's own, the default), a group's name,
    `groups/ID`, or `all`. A collection is a key or a path of names such as `Papers/Julia`; its
    subcollections count with `subcollections`. `annotations` in the items' documents and `notes`
    on the items are selected if set.
    """

    libraries: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    subcollections: bool = False
    tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    annotations: bool = False
    notes: bool = False

    def with_marks(self, annotations: bool | None, notes: bool | None) -> ZoteroSelection:
        """The same, with annotations and notes switched on or off unless None."""
        return replace(
            self,
            annotations=self.annotations if annotations is None else annotations,
            notes=self.notes if notes is None else notes,
        )


def chosen_libraries(
    selection: ZoteroSelection, libraries: Sequence[ZoteroLibraryRef]
) -> tuple[ZoteroLibraryRef, ...]:
    """The selected libraries. Raises `NotFound` for an unknown one."""
    if any(name.casefold() == _EVERY for name in selection.libraries):
        return tuple(libraries)
    wanted = selection.libraries or _OWN[:1]
    return tuple(dict.fromkeys(_library(name, libraries) for name in wanted))


def chosen_collections(selection: ZoteroSelection, content: ZoteroContent) -> frozenset[str] | None:
    """The keys of the selected collections of a library, or None if every item is selected."""
    if not selection.collections:
        return None
    chosen = [
        collection
        for collection in content.collections
        if any(_names(name, collection) for name in selection.collections)
    ]
    paths = tuple(collection.path for collection in chosen)
    return frozenset(
        collection.key
        for collection in content.collections
        if collection in chosen
        or (selection.subcollections and any(_below(collection, path) for path in paths))
    )


def unknown_collections(
    selection: ZoteroSelection, contents: Sequence[ZoteroContent]
) -> tuple[str, ...]:
    """The selected collections that none of the libraries has."""
    every = [collection for content in contents for collection in content.collections]
    return tuple(
        name
        for name in selection.collections
        if not any(_names(name, collection) for collection in every)
    )


def is_selected(
    selection: ZoteroSelection,
    chosen: frozenset[str] | None,
    tags: Sequence[ZoteroTag],
    collections: Sequence[str],
) -> bool:
    """Whether something with these tags and collections is selected."""
    names = {tag.name.casefold() for tag in tags}
    return (
        (chosen is None or not chosen.isdisjoint(collections))
        and all(tag.casefold() in names for tag in selection.tags)
        and not any(tag.casefold() in names for tag in selection.exclude_tags)
    )


def selected_items(content: ZoteroContent, selection: ZoteroSelection) -> tuple[ZoteroItem, ...]:
    """The selected items of one library."""
    chosen = chosen_collections(selection, content)
    return tuple(
        item
        for item in content.items
        if is_selected(selection, chosen, item.tags, item.collections)
    )


def _library(name: str, libraries: Sequence[ZoteroLibraryRef]) -> ZoteroLibraryRef:
    folded = name.casefold()
    for library in libraries:
        own = library.group_id == 0 and folded in _OWN
        if own or folded in (library.name.casefold(), library.path, str(library.group_id)):
            return library
    known = ", ".join(library.name or library.path for library in libraries)
    raise NotFound(f"Zotero has no library '{name}'", f"There are: {known}.")


def _names(name: str, collection: ZoteroCollection) -> bool:
    if name == collection.key:
        return True
    path = tuple(part.strip().casefold() for part in name.strip("/").split("/"))
    return path == tuple(part.casefold() for part in collection.path)


def _below(collection: ZoteroCollection, path: tuple[str, ...]) -> bool:
    return len(collection.path) > len(path) and collection.path[: len(path)] == path
