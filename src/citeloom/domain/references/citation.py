"""Bibliographic metadata of a work, as a reference manager knows it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from citeloom.domain.documents.language import is_language_code


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationMeta:
    """A reference: what a passage of the work is cited with.

    Authors may be missing, and so may an identifier: real libraries have such items. They are
    kept, and `diagnostics` says what is missing. `pages` is the reference's own page range.
    `citekey_generated` says that no library has the citekey, `more_authors` that the work has
    authors whom its reference does not name. `attachment` names the file of a work that has
    several. `retracted` is when it was retracted, as Zotero knows, or `undated`.

    `item_type` is Zotero's name of the kind of work, `added` the day it was added to Zotero, in ISO
    8601. `collection_keys` are the keys of each of its collections from the top down, and
    `libraries` what Zotero's libraries that have it are called in links, before their names, all of
    these with slashes between. `aliases` are other citekeys that it has or had, `identifiers` its
    ISBN, PMID, PMCID and arXiv id (`pmid:31452104`), `related` the keys of related items.
    """

    citekey: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str | None = None
    url: str | None = None
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    language: str | None = None
    container: str | None = None
    pages: str | None = None
    item_key: str | None = None
    citekey_generated: bool = False
    attachment: str | None = None
    more_authors: bool = False
    retracted: str | None = None
    item_type: str | None = None
    added: str | None = None
    collection_keys: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    related: tuple[str, ...] = ()

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
