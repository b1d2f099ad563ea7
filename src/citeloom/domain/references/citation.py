"""Bibliographic metadata of a work, as a reference manager knows it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from citeloom.domain.documents.language import is_language_code


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationMeta:
    """A reference: what a passage of the work is cited with.

    Authors may be missing, and so may an identifier: real libraries have such items. They are
    kept, and `diagnostics` says what is missing.
    """

    citekey: str
    """The key that manuscripts cite by."""
    title: str
    """The title."""
    authors: tuple[str, ...] = ()
    """Family name first."""
    year: int | None = None
    """The year of issue."""
    doi: str | None = None
    """The DOI."""
    url: str | None = None
    """The address."""
    tags: tuple[str, ...] = ()
    """The tags of the reference."""
    collections: tuple[str, ...] = ()
    """The paths of its collections in Zotero."""
    language: str | None = None
    """The language of the work, as a code."""
    container: str | None = None
    """The journal, series or book that it is in."""
    pages: str | None = None
    """The reference's own range of pages."""
    item_key: str | None = None
    """Zotero's key of the item."""
    citekey_generated: bool = False
    """Whether the reference has no citekey in Zotero, or in the references file, and was given this
    one.
    """
    attachment: str | None = None
    """What Zotero calls the file, where the item has several."""
    more_authors: bool = False
    """Whether the reference has authors whom it does not name (`and others`, `et al.`)."""
    retracted: str | None = None
    """When it was retracted, as Zotero knows, or `undated`."""
    item_type: str | None = None
    """What kind of work it is, as Zotero calls it: `journalArticle`."""
    added: str | None = None
    """The day it was added to Zotero, in ISO 8601."""
    collection_keys: tuple[str, ...] = ()
    """Their keys, each after those of the collections above it."""
    libraries: tuple[str, ...] = ()
    """Zotero's libraries that have it: `library/My Library`, `groups/4355231/Tides`."""
    aliases: tuple[str, ...] = ()
    """Other citekeys by which it is found."""
    identifiers: tuple[str, ...] = ()
    """Its ISBN, PMID, PMCID and arXiv id: `pmid:31452104`."""
    related: tuple[str, ...] = ()
    """Zotero's keys of items that are related to it."""

    def __post_init__(self) -> None:
        if not self.citekey.strip():
            raise ValueError("a reference must have a citekey")
        if self.year is not None and self.year <= 0:
            raise ValueError(f"a year must be positive, not {self.year}")
        if self.language is not None and not is_language_code(self.language):
            raise ValueError(f"not a language code: {self.language!r}")

    @property
    def in_collections(self) -> tuple[str, ...]:
        """The paths and the keys of its collections, by which filters find it."""
        return (*self.collections, *self.collection_keys)

    @property
    def added_day(self) -> int | None:
        """The day it was added as a number."""
        return date.fromisoformat(self.added).toordinal() if self.added else None

    def with_copy(self, other: CitationMeta) -> CitationMeta:
        """The reference of a file that another item has, too: it is found by the citekey, the tags,
        the collections and the libraries of either.
        """

        def both(mine: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(dict.fromkeys((*mine, *theirs)))

        citekeys = both(self.aliases, (other.citekey, *other.aliases))
        return replace(
            self,
            aliases=tuple(citekey for citekey in citekeys if citekey != self.citekey),
            tags=both(self.tags, other.tags),
            collections=both(self.collections, other.collections),
            collection_keys=both(self.collection_keys, other.collection_keys),
            libraries=both(self.libraries, other.libraries),
        )

    def diagnostics(self) -> tuple[str, ...]:
        """What a complete reference would have and this one has not, in plain words.

        Only what is part of a journal or a collection is expected to have a DOI or an address.
        """
        missing = []
        if not self.title.strip():
            missing.append("no title")
        if not self.authors:
            missing.append("no authors")
        if self.container and not self.doi and not self.url:
            missing.append("neither DOI nor URL")
        if self.year is None:
            missing.append("no year")
        return tuple(missing)


# Where a document comes from.


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroOrigin:
    """The attachment a document comes from: its library's path, its key, its item if any."""

    library: str
    attachment_key: str
    item_key: str | None = None
