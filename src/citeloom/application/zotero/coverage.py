"""How much of Zotero a project has indexed: its libraries, their collections and saved searches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.errors import LibraryRefused
from citeloom.domain.zotero.items import WORKS, ZoteroContent, ZoteroLibraryRef
from citeloom.domain.zotero.selection import (
    ZoteroSelection,
    chosen_collections,
    chosen_libraries,
    chosen_searches,
    items_by_collection,
)

_SCOPE = replace(WORKS, creators=False, tags=False, searches=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveredPlace:
    """A collection with those below it, or a saved search, and how much of it is indexed."""

    key: str
    path: tuple[str, ...]
    items: int
    indexed: int
    is_selected: bool
    refusal: str = ""
    """Why a saved search cannot be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveredLibrary:
    """A library of Zotero; one that is `refused` is not open to this account."""

    library: ZoteroLibraryRef
    items: int = 0
    indexed: int = 0
    is_selected: bool = False
    """Whether all of it is."""
    collections: tuple[CoveredPlace, ...] = ()
    """By path, each before those in it."""
    searches: tuple[CoveredPlace, ...] = ()
    """By name."""
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroCoverage:
    """What was read of Zotero, and the libraries that were not looked into."""

    source: str
    warnings: tuple[str, ...]
    libraries: tuple[CoveredLibrary, ...]
    others: tuple[ZoteroLibraryRef, ...]


def cover_zotero(
    zotero: ZoteroLibrary,
    entries: Iterable[ManifestEntry],
    selection: ZoteroSelection | None,
    libraries: tuple[str, ...] = (),
) -> ZoteroCoverage:
    """How much of the named libraries, or of those of the project's selection, its documents are
    from.

    Raises `NotFound` for an unknown library, and what Zotero raises that cannot be read.
    """
    known = zotero.libraries()
    named = ZoteroSelection(libraries=libraries or (selection.libraries if selection else ()))
    chosen = chosen_libraries(named, known)
    indexed: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        if entry.is_searchable and entry.zotero_library and entry.item_key:
            indexed[entry.zotero_library].add(entry.item_key)
    selected = chosen_libraries(selection, known) if selection else ()
    covered = []
    for library in chosen:
        try:
            content = zotero.read(library, _SCOPE)
        except LibraryRefused:
            covered.append(CoveredLibrary(library=library, refused=True))
            continue
        own = selection if library in selected else None
        covered.append(_covered(content, indexed[library.path], own))
    return ZoteroCoverage(
        source=zotero.source,
        warnings=zotero.warnings,
        libraries=tuple(covered),
        others=tuple(library for library in known if library not in chosen),
    )


def _covered(
    content: ZoteroContent, indexed: Set[str], selection: ZoteroSelection | None
) -> CoveredLibrary:
    keys = {item.key for item in content.items}
    chosen = chosen_collections(selection, content) if selection else frozenset[str]()
    searches = chosen_searches(selection, [content]) if selection else ()
    is_whole = chosen is None and selection is not None and not selection.saved_searches
    return CoveredLibrary(
        library=content.library,
        items=len(keys),
        indexed=len(keys & indexed),
        is_selected=is_whole,
        collections=tuple(_collections(content, indexed, chosen or frozenset())),
        searches=tuple(
            CoveredPlace(
                key=search.key,
                path=search.path,
                items=len(search.found & keys),
                indexed=len(search.found & keys & indexed),
                is_selected=search in searches,
                refusal=search.refusal,
            )
            for search in sorted(content.searches or (), key=lambda each: each.name.casefold())
        ),
    )


def _collections(
    content: ZoteroContent, indexed: Set[str], chosen: Set[str]
) -> Iterator[CoveredPlace]:
    _, below = items_by_collection(content)
    for collection in sorted(content.collections, key=lambda each: (each.path, each.key)):
        inside = below[collection.path]
        yield CoveredPlace(
            key=collection.key,
            path=collection.path,
            items=len(inside),
            indexed=len(inside & indexed),
            is_selected=collection.key in chosen,
        )
