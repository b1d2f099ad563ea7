"""Looking through Zotero: what is there, before anything is ingested."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from citeloom.application.ports.zotero_library import ZoteroLibrary
from citeloom.domain.errors import NotFound
from citeloom.domain.zotero import ZoteroCollection, ZoteroContent
from citeloom.domain.zotero_selection import (
    ZoteroSelection,
    chosen_libraries,
    unknown_collections,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCollection:
    """A collection, and how many items are in it, those below it apart."""

    collection: ZoteroCollection
    items: int


@dataclass(frozen=True, slots=True)
class Browse:
    """Reads the chosen libraries and lists what is in them."""

    zotero: ZoteroLibrary

    def contents(self, selection: ZoteroSelection) -> tuple[ZoteroContent, ...]:
        """The chosen libraries. Raises `NotFound` for a library or collection there is not."""
        libraries = chosen_libraries(selection, self.zotero.libraries())
        contents = tuple(self.zotero.read(library) for library in libraries)
        if unknown := unknown_collections(selection, contents):
            raise NotFound(
                f"Zotero has no collection {', '.join(map(repr, unknown))}",
                "See `citeloom zotero collections`; name one by its path or key.",
            )
        return contents

    def collections(self, selection: ZoteroSelection) -> tuple[ListedCollection, ...]:
        """Every collection by library and path."""
        return tuple(
            ListedCollection(collection=collection, items=counts[collection.key])
            for content in self.contents(selection)
            for counts in [Counter(key for item in content.items for key in item.collections)]
            for collection in sorted(content.collections, key=lambda one: one.path)
        )
