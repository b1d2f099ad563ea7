"""Which items of a Zotero library a project is made of."""

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

    A library is `library` (the user's own, and what is taken when none is named), a group's name,
    `groups/ID`, or `all`. A collection is a key or a path of names such as `Papers/Julia`; what
    lies below it counts with `subcollections`. `annotations` in the items' documents and `notes`
    on the items belong to it where that is said.
    """

    libraries: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    subcollections: bool = False
    tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    annotations: bool = False
    notes: bool = False

    def with_marks(self, annotations: bool | None, notes: bool | None) -> ZoteroSelection:
        """The same, with or without annotations and notes where that is said."""
        return replace(
            self,
            annotations=self.annotations if annotations is None else annotations,
            notes=self.notes if notes is None else notes,
        )


def chosen_libraries(
    selection: ZoteroSelection, libraries: Sequence[ZoteroLibraryRef]
) -> tuple[ZoteroLibraryRef, ...]:
    """The libraries that were named. Raises `NotFound` for one there is not."""
    if any(name.casefold() == _EVERY for name in selection.libraries):
        return tuple(libraries)
    wanted = selection.libraries or _OWN[:1]
    return tuple(dict.fromkeys(_library(name, libraries) for name in wanted))


def chosen_collections(selection: ZoteroSelection, content: ZoteroContent) -> frozenset[str] | None:
    """Keys of the library's collections that count, or None where every item does."""
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
    """Named collections that none of the libraries has."""
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
    """Whether something with these tags, in these collections, is among the chosen."""
    names = {tag.name.casefold() for tag in tags}
    return (
        (chosen is None or not chosen.isdisjoint(collections))
        and all(tag.casefold() in names for tag in selection.tags)
        and not any(tag.casefold() in names for tag in selection.exclude_tags)
    )


def selected_items(content: ZoteroContent, selection: ZoteroSelection) -> tuple[ZoteroItem, ...]:
    """The items of one library that the selection names."""
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
