"""Zotero's items, attachments and annotations, and items as citations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum, StrEnum
from pathlib import Path

from citeloom.domain.references.bibliography import (
    RawReference,
    clean,
    identifiers_of,
    names_in,
    texts_of,
    usable_year,
    year_of,
    zotero_fields,
)
from citeloom.domain.references.citation import CitationMeta

# Zotero's own model: libraries, collections, items, attachments, annotations, notes.


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ZoteroLibraryRef:
    """The user's own library (`group_id` 0) or a group's. Keys are unique only within one."""

    group_id: int = 0
    name: str = field(default="", compare=False)

    @property
    def path(self) -> str:
        """The library as Zotero's links and API write it: `library` or `groups/4355231`."""
        return f"groups/{self.group_id}" if self.group_id else "library"


class CitekeySource(StrEnum):
    FIELD = "field"
    BETTER_BIBTEX = "better-bibtex"
    BETTER_BIBTEX_RPC = "better-bibtex-rpc"
    EXTRA = "extra"
    MADE = "made"


class LinkMode(Enum):
    """How Zotero holds an attachment; the values are Zotero's own."""

    IMPORTED_FILE = 0
    IMPORTED_URL = 1
    LINKED_FILE = 2
    LINKED_URL = 3
    EMBEDDED_IMAGE = 4


STORED = (LinkMode.IMPORTED_FILE, LinkMode.IMPORTED_URL)
"""How Zotero holds files that it stores itself."""
FILELESS = (LinkMode.LINKED_URL, LinkMode.EMBEDDED_IMAGE)
"""How it holds what is no file that can be read by itself."""


class AnnotationType(Enum):
    """The type of an annotation; the values are Zotero's own."""

    HIGHLIGHT = 1
    NOTE = 2
    IMAGE = 3
    INK = 4
    UNDERLINE = 5
    TEXT = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroCollection:
    """A collection of a library; `path` holds the names from the top down to its own."""

    library: ZoteroLibraryRef
    key: str
    path: tuple[str, ...]
    parent: str | None = None

    @property
    def name(self) -> str:
        return self.path[-1]

    @property
    def full_name(self) -> str:
        """The path that names it, a slash within a name escaped."""
        return "/".join(name.replace("/", "\\/") for name in self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroSavedSearch:
    """A saved search of a library with the keys of what it finds, or why it cannot be run."""

    library: ZoteroLibraryRef
    key: str
    name: str
    found: frozenset[str] = frozenset()
    refusal: str = ""

    @property
    def path(self) -> tuple[str, ...]:
        """Its name, as a collection's path."""
        return (self.name,)

    @property
    def full_name(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroTag:
    """A tag of an item, given by the user or added automatically on import."""

    name: str
    """The tag."""
    automatic: bool = False
    """Whether it came with the import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Creator:
    """A person, or an organisation with a single name: then `given` is empty and `single` set.

    Zotero stores particles in the family name (`van der Berg`) or after the given name.
    """

    role: str
    family: str
    given: str = ""
    single: bool = False

    @property
    def name(self) -> str:
        """`Family, Given`, or the single name."""
        return ", ".join(filter(None, (self.family, self.given)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroObject:
    """What items, attachments, annotations and notes have, whichever source they are read from.

    `collections` are keys of the library's collections, in which only items and what stands alone
    can be. `version` grows with each synchronised change.
    """

    library: ZoteroLibraryRef
    key: str
    tags: tuple[ZoteroTag, ...] = ()
    collections: tuple[str, ...] = ()
    added: datetime | None = None
    modified: datetime | None = None
    version: int = 0


UNDATED = "undated"
"""Stands for the date of a retraction of which Zotero knows none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroItem(ZoteroObject):
    """A work. `fields` has every field by Zotero's name for it, dates as typed.

    `parsed_year` is the year that Zotero itself reads in the date of the work, if it does.
    `relations` are the keys of related items. `retracted` is the date of its retraction, `undated`
    where Zotero knows none, else empty. `citekey` is empty if no source has one.
    """

    item_type: str
    fields: Mapping[str, str] = field(default_factory=dict)
    creators: tuple[Creator, ...] = ()
    relations: tuple[str, ...] = ()
    citekey: str = ""
    citekey_source: CitekeySource = CitekeySource.MADE
    parsed_year: int | None = None
    retracted: str = ""

    @property
    def title(self) -> str:
        """The title, whatever the item type calls that field."""
        return self.first(*names_in("zotero", "title"))

    def first(self, *names: str) -> str:
        """The first text among fields, or an empty one."""
        for name in names:
            if text := self.fields.get(name):
                return text
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroAttachment(ZoteroObject):
    """A file or link of an item, or a standalone one (`parent` is None).

    `path` is where the file should be; None for web links and where it cannot be located.
    `stored_path` is the path as Zotero stores it. `exists` says that the file exists.
    """

    parent: str | None
    link_mode: LinkMode
    title: str = ""
    content_type: str = ""
    stored_path: str = ""
    path: Path | None = None
    exists: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroAnnotation(ZoteroObject):
    """An annotation in an attachment. `page_index` counts from 0; `rects` are (left, bottom,
    right, top) in PDF points with the origin at the bottom left. `page_label` is Zotero's.
    """

    attachment: str
    type: AnnotationType
    text: str = ""
    comment: str = ""
    color: str = ""
    page_index: int | None = None
    page_label: str = ""
    rects: tuple[tuple[float, float, float, float], ...] = ()
    sort_index: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroNote(ZoteroObject):
    """A note of an item or attachment, or a standalone one; `html` is its text as Zotero stores it.

    The note that an attachment itself has carries its key, and has it as parent.
    """

    parent: str | None
    title: str = ""
    html: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroContent:
    """The content of one library without its trash, each kind ordered by key.

    `flaws` has a sentence for everything that could not be read or contradicts itself. `refused`
    says that Zotero gave no access, so that nothing is known of what the library holds.
    `searches` is None where saved searches were not read, or cannot be.
    """

    library: ZoteroLibraryRef
    collections: tuple[ZoteroCollection, ...] = ()
    searches: tuple[ZoteroSavedSearch, ...] | None = None
    items: tuple[ZoteroItem, ...] = ()
    attachments: tuple[ZoteroAttachment, ...] = ()
    annotations: tuple[ZoteroAnnotation, ...] = ()
    notes: tuple[ZoteroNote, ...] = ()
    flaws: tuple[str, ...] = ()
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentScope:
    """How much of a library is needed; a source may read more. By default everything but what
    saved searches find.
    """

    items: frozenset[str] | None = None
    """The keys of the items, which are needed with what is attached to them; None for all."""
    fields: frozenset[str] | None = None
    """The fields of items; None for all."""
    creators: bool = True
    tags: bool = True
    attachments: bool = True
    annotations: bool = True
    """Those in attachments that are needed."""
    notes: bool = True
    searches: bool = False
    """Saved searches with what they find, which changes with the day."""


EVERYTHING = ContentScope()
WORKS = ContentScope(attachments=False, annotations=False, notes=False)
"""Items without what is attached to them."""
CITEKEY_FIELDS = frozenset({"citationKey", "extra"})
"""The fields of items that may hold a citekey."""
CITED_FIELDS = CITEKEY_FIELDS | zotero_fields()
"""The fields that a citation is made of."""


# Zotero items as citations.

_PRIMARY_ROLES: Mapping[str, tuple[str, ...]] = {
    "artwork": ("artist",),
    "audioRecording": ("performer", "composer"),
    "bill": ("sponsor",),
    "bookSection": ("author", "bookAuthor"),
    "computerProgram": ("programmer",),
    "film": ("director",),
    "hearing": ("contributor",),
    "interview": ("interviewee",),
    "map": ("cartographer",),
    "patent": ("inventor",),
    "podcast": ("podcaster",),
    "presentation": ("presenter",),
    "radioBroadcast": ("creator", "director"),
    "tvBroadcast": ("director",),
    "videoRecording": ("creator", "director"),
}
"""The primary creators of each item type in Zotero's schema, where these are not its authors: the
present one before that of older versions, or before who takes its place.
"""
_AUTHORS = ("author",)
_NEXT_ROLES = ("editor", "contributor")
"""Who a work without primary creators is known by in Zotero."""


def citation_of(
    item: ZoteroItem, collections: Mapping[str, ZoteroCollection]
) -> tuple[CitationMeta, list[str]]:
    """The citation of an item, and a sentence for each flaw.

    `collections` are those of the item's library by key. An item without a citekey gets a
    stable one made of its first author, year and key.
    """
    inside = [key for key in item.collections if key in collections]
    entry, flaws = clean(
        RawReference(
            name=item.key,
            citekey=item.citekey,
            authors=tuple(creator.name for creator in leading_creators(item)),
            year=usable_year(item.parsed_year or 0),
            tags=tuple(tag.name for tag in item.tags),
            collections=tuple(collections[key].full_name for key in inside),
            item_type=item.item_type,
            identifiers=identifiers_of(item.first),
            note=item.fields.get("extra", ""),
            links=(item.key,),
            **texts_of("zotero", item.first),
        )
    )
    citation = replace(
        entry.citation,
        retracted=item.retracted or None,
        added=item.added.date().isoformat() if item.added else None,
        collection_keys=tuple("/".join(_keys_to(collections, key)) for key in inside),
        libraries=("/".join(filter(None, (item.library.path, item.library.name))),),
        related=item.relations,
    )
    return citation, flaws


def _keys_to(collections: Mapping[str, ZoteroCollection], key: str) -> tuple[str, ...]:
    """The keys of the collections down to one."""
    parent = collections[key].parent if key in collections else None
    return (*(_keys_to(collections, parent) if parent else ()), key)


def item_year(item: ZoteroItem) -> int | None:
    """The year of the item's citation; None if it has none."""
    return usable_year(item.parsed_year or 0) or year_of(item.first(*names_in("zotero", "date")))


def primary_roles(item_type: str) -> tuple[str, ...]:
    """The roles of the primary creators of an item type."""
    return _PRIMARY_ROLES.get(item_type, _AUTHORS)


def leading_creators(item: ZoteroItem) -> tuple[Creator, ...]:
    """The creators a work is cited by: the primary ones of its type, else editors, else
    contributors.
    """
    for role in (*primary_roles(item.item_type), *_NEXT_ROLES):
        if creators := tuple(creator for creator in item.creators if creator.role == role):
            return creators
    return ()


# The citekey of an item.

_IN_EXTRA = re.compile(
    r"^[^\S\n]*(?:citation key|bibtex)[^\S\n]*:[^\S\n]*(\S+)", re.IGNORECASE | re.MULTILINE
)


def citekey_in_extra(extra: str) -> str:
    """The citekey of a line `Citation Key: …`, or an empty text."""
    match = _IN_EXTRA.search(extra)
    return match[1] if match else ""


def citekey_of(fields: Mapping[str, str], better_bibtex: str | None) -> tuple[str, CitekeySource]:
    """An item's citekey and its source: its own field, Better BibTeX, or Extra."""
    choices = (
        (fields.get("citationKey", "").strip(), CitekeySource.FIELD),
        (better_bibtex or "", CitekeySource.BETTER_BIBTEX),
        (citekey_in_extra(fields.get("extra", "")), CitekeySource.EXTRA),
    )
    return next((choice for choice in choices if choice[0]), ("", CitekeySource.MADE))
