"""Selecting items of Zotero libraries."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, TypeVar

from citeloom.domain.errors import NotFound
from citeloom.domain.fields import Example, Texts, key

if TYPE_CHECKING:
    from citeloom.domain.zotero.items import (
        ZoteroCollection,
        ZoteroContent,
        ZoteroItem,
        ZoteroLibraryRef,
        ZoteroObject,
        ZoteroSavedSearch,
    )

Named = TypeVar("Named", "ZoteroCollection", "ZoteroSavedSearch")

_EVERY = "all"
_OWN = ("library", "user", "my library")
_OUTER_SLASHES = re.compile(r"^/+|(?<!\\)/+$")
_BETWEEN_NAMES = re.compile(r"(?<!\\)/")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class CalledInZotero:
    """A collection or saved search by its key, and a path or name that it was given or had."""

    key: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroSelection:
    """Selects the items that are in any of the collections, are found by any of the saved searches,
    have all tags and no excluded tag.

    `called` has what collections and saved searches were called when they were last read, so that
    a renamed one is still found.
    """

    libraries: Annotated[Texts, Example(("library",))] = field(default=(), metadata=key("library"))
    """`library` (your own, the default), a group's name, `groups/ID`, or `all`."""
    collections: Annotated[Texts, Example(("Papers/Tides",))] = ()
    r"""Paths or keys of Zotero collections; write a slash within a name as `\\/`. Unset, the whole
    library.
    """
    subcollections: bool = False
    """Whether subcollections are included."""
    saved_searches: Annotated[Texts, Example(("Recent",))] = ()
    """Names or keys of saved searches in Zotero, one of which must find an item."""
    tags: Annotated[Texts, Example(("coast",))] = ()
    """Tags an item must have."""
    exclude_tags: Annotated[Texts, Example(("draft",))] = ()
    """Tags an item must not have."""
    annotations: bool = False
    """Whether annotations become passages of their own."""
    notes: bool = False
    """Whether notes become passages of their own."""
    called: tuple[CalledInZotero, ...] = field(default=(), compare=False, metadata=key(None))

    def recalling(self, earlier: ZoteroSelection | None) -> ZoteroSelection:
        """The same, remembering what collections and searches of an earlier one were called."""
        return replace(self, called=earlier.called) if earlier else self

    def with_marks(
        self, annotations: bool | None = None, notes: bool | None = None
    ) -> ZoteroSelection:
        """The same, with annotations and notes switched on or off unless None."""
        return replace(
            self,
            annotations=self.annotations if annotations is None else annotations,
            notes=self.notes if notes is None else notes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedInZotero:
    """An item or attachment as shown to users, and the path its file should have."""

    library: str
    """The library's path."""
    title: str
    """The title."""
    citekey: str | None = None
    """Null without one."""
    item_key: str | None = None
    """The item."""
    attachment_key: str | None = None
    """The attachment."""
    path: str | None = None
    """Where the file should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroReading:
    """What was read from Zotero: the number of `documents`, attachments whose file is `missing`,
    items `without_file`, items `sharing` the file of another item and cited as that one, the
    number of items cited under `generated_citekeys`, and `flaws`, one sentence each.
    """

    source: str
    """Where it was read."""
    selection: ZoteroSelection
    """What was selected."""
    documents: int
    """How many."""
    warnings: tuple[str, ...] = ()
    """What is to be known of it."""
    missing: tuple[NamedInZotero, ...] = ()
    """Attachments whose file is not there."""
    without_file: tuple[NamedInZotero, ...] = ()
    """Items without a file."""
    sharing: tuple[NamedInZotero, ...] = ()
    """Attachments sharing a file that is cited as another item."""
    generated_citekeys: int = 0
    """How many items are cited under a generated citekey."""
    flaws: tuple[str, ...] = ()
    """A sentence each."""


def chosen_libraries(
    selection: ZoteroSelection, libraries: Sequence[ZoteroLibraryRef]
) -> tuple[ZoteroLibraryRef, ...]:
    """The selected libraries. Raises `NotFound` for an unknown one."""
    if any(name.casefold() == _EVERY for name in selection.libraries):
        return tuple(libraries)
    names = selection.libraries or _OWN[:1]
    chosen: dict[ZoteroLibraryRef, None] = {}
    for name in names:
        folded = name.casefold()
        for library in libraries:
            called = (library.name.casefold(), library.path, str(library.group_id))
            if folded in called or (library.group_id == 0 and folded in _OWN):
                chosen[library] = None
                break
        else:
            known = ", ".join(library.name or library.path for library in libraries)
            raise NotFound(f"Zotero has no library '{name}'", f"There are: {known}.")
    return tuple(chosen)


def chosen_collections(selection: ZoteroSelection, content: ZoteroContent) -> frozenset[str] | None:
    """The keys of the selected collections of a library, or None if every item is selected."""
    if not selection.collections:
        return None
    chosen = [
        collection
        for name in selection.collections
        for collection in _named(name, selection, content.collections)
    ]
    above = {collection.path for collection in chosen} if selection.subcollections else set()
    return frozenset(
        collection.key
        for collection in content.collections
        if collection in chosen
        or any(collection.path[:depth] in above for depth in range(1, len(collection.path)))
    )


def items_by_collection(
    content: ZoteroContent,
) -> tuple[dict[str, set[str]], dict[tuple[str, ...], set[str]]]:
    """The keys of the items in each collection, by its key; and of those in it and below it, by its
    path.
    """
    items_of: dict[str, set[str]] = defaultdict(set)
    for item in content.items:
        for collection_key in item.collections:
            items_of[collection_key].add(item.key)
    below: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for collection in content.collections:
        for depth in range(1, len(collection.path) + 1):
            below[collection.path[:depth]] |= items_of[collection.key]
    return items_of, below


def only_below(selection: ZoteroSelection, contents: Iterable[ZoteroContent]) -> tuple[str, ...]:
    """The selected collections whose items are all in their subcollections, which are not."""
    if selection.subcollections:
        return ()
    own, below = set[str](), set[str]()
    for content in contents:
        items_of, items_below = items_by_collection(content)
        for name in selection.collections:
            for collection in _named(name, selection, content.collections):
                if items_of.get(collection.key):
                    own.add(name)
                elif items_below[collection.path]:
                    below.add(name)
    return tuple(name for name in selection.collections if name in below - own)


def known_searches(contents: Iterable[ZoteroContent]) -> list[ZoteroSavedSearch]:
    """The saved searches of some libraries."""
    return [search for content in contents for search in content.searches or ()]


def chosen_searches(
    selection: ZoteroSelection, contents: Sequence[ZoteroContent]
) -> tuple[ZoteroSavedSearch, ...]:
    """The selected saved searches of some libraries, each once."""
    known = known_searches(contents)
    found = (each for name in selection.saved_searches for each in _named(name, selection, known))
    return tuple(dict.fromkeys(found))


def unknown_collections(
    selection: ZoteroSelection, contents: Sequence[ZoteroContent]
) -> tuple[str, ...]:
    """The selected collections that none of the libraries has, by their last known names."""
    return _unknown(selection.collections, selection, _every(contents))


def unknown_searches(
    selection: ZoteroSelection, contents: Sequence[ZoteroContent]
) -> tuple[str, ...]:
    """The selected saved searches that none of the libraries has, by their last known names."""
    return _unknown(selection.saved_searches, selection, known_searches(contents))


def renamed_collections(
    selection: ZoteroSelection, contents: Sequence[ZoteroContent]
) -> tuple[tuple[str, str], ...]:
    """The paths in a selection that only lead to collections under the names they had before,
    each with the present path.
    """
    return _renamed(selection.collections, selection, _every(contents))


def renamed_searches(
    selection: ZoteroSelection, contents: Sequence[ZoteroContent]
) -> tuple[tuple[str, str], ...]:
    """The names in a selection that saved searches had before, each with the present name."""
    return _renamed(selection.saved_searches, selection, known_searches(contents))


def kept_by_key(selection: ZoteroSelection, contents: Sequence[ZoteroContent]) -> ZoteroSelection:
    """The same selection with its collections and saved searches named by key, which survives a
    change of name.
    """
    collections = _matches(selection.collections, selection, _every(contents))
    searches = _matches(selection.saved_searches, selection, known_searches(contents))
    matches = (*collections, *searches)
    keys = {now.key for _, now in matches}
    as_named = (CalledInZotero(key=now.key, path=name) for name, now in matches if name != now.key)
    before = (called for called in selection.called if called.key in keys)
    # each once, where it comes last: the present path of a collection after its former ones
    called = dict.fromkeys((*before, *as_named, *(now for _, now in matches))[::-1])
    return replace(
        selection,
        collections=tuple(dict.fromkeys(now.key for _, now in collections)),
        saved_searches=tuple(dict.fromkeys(now.key for _, now in searches)),
        called=tuple(called)[::-1],
    )


def selects(selection: ZoteroSelection, content: ZoteroContent) -> Callable[[ZoteroObject], bool]:
    """Whether a selection has an item of a library, or what stands alone in it."""
    chosen = chosen_collections(selection, content)
    found = frozenset[str]().union(
        *(search.found for search in chosen_searches(selection, [content]))
    )

    def has(entry: ZoteroObject) -> bool:
        names = {tag.name.casefold() for tag in entry.tags}
        return (
            (chosen is None or not chosen.isdisjoint(entry.collections))
            and (not selection.saved_searches or entry.key in found)
            and all(tag.casefold() in names for tag in selection.tags)
            and not any(tag.casefold() in names for tag in selection.exclude_tags)
        )

    return has


def selected_items(content: ZoteroContent, selection: ZoteroSelection) -> tuple[ZoteroItem, ...]:
    return tuple(filter(selects(selection, content), content.items))


def _every(contents: Iterable[ZoteroContent]) -> list[ZoteroCollection]:
    return [collection for content in contents for collection in content.collections]


def _unknown(
    names: Iterable[str], selection: ZoteroSelection, known: Sequence[Named]
) -> tuple[str, ...]:
    last = {called.key: called.path for called in selection.called}
    return tuple(last.get(name, name) for name in names if not _named(name, selection, known))


def _renamed(
    names: Iterable[str], selection: ZoteroSelection, known: Sequence[Named]
) -> tuple[tuple[str, str], ...]:
    former = [name for name in names if not _present(name, known)]
    return tuple((name, now.path) for name, now in _matches(former, selection, known))


def _matches(
    names: Iterable[str], selection: ZoteroSelection, known: Sequence[Named]
) -> list[tuple[str, CalledInZotero]]:
    """Each of the names with what that means, as it is called now."""
    return [
        (name, CalledInZotero(key=each.key, path=each.full_name))
        for name in names
        for each in _named(name, selection, known)
    ]


def _named(name: str, selection: ZoteroSelection, known: Sequence[Named]) -> list[Named]:
    """What has a name, or else what had it before."""
    if matches := _present(name, known):
        return matches
    parts = _parts(name)
    keys = {called.key for called in selection.called if _parts(called.path) == parts}
    return [each for each in known if each.key in keys]


def _present(name: str, known: Sequence[Named]) -> list[Named]:
    """What has this key or path, or else what looks so with slashes in names."""
    parts = _parts(name)
    matches = [each for each in known if name == each.key or parts == _folded(each.path)]
    return matches or [
        each for each in known if "/".join(parts) == "/".join(_parts(each.full_name))
    ]


def _parts(name: str) -> tuple[str, ...]:
    parts = _BETWEEN_NAMES.split(_OUTER_SLASHES.sub("", name))
    return _folded(part.replace("\\/", "/") for part in parts)


def _folded(path: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.strip().casefold() for part in path)
