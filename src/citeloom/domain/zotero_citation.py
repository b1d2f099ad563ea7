"""Zotero items as citations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from citeloom.domain.bibliography import RawReference, clean, year_of
from citeloom.domain.citation import CitationMeta
from citeloom.domain.zotero import Creator, ZoteroCollection, ZoteroItem

_DATES = ("date", "dateDecided", "dateEnacted", "issueDate")
_CONTAINERS = (
    "publicationTitle",
    "bookTitle",
    "proceedingsTitle",
    "encyclopediaTitle",
    "dictionaryTitle",
    "websiteTitle",
    "blogTitle",
    "forumTitle",
    "seriesTitle",
)
_LEADING_ROLES = (
    "author",
    "artist",
    "bookAuthor",
    "cartographer",
    "composer",
    "director",
    "interviewee",
    "inventor",
    "performer",
    "podcaster",
    "presenter",
    "programmer",
    "sponsor",
    "contributor",
    "editor",
)


def citation_of(
    item: ZoteroItem, collections: Mapping[str, ZoteroCollection]
) -> tuple[CitationMeta, list[str]]:
    """The citation of an item, and a sentence for each flaw.

    `collections` are those of the item's library by key. An item without a citekey gets a
    stable one made of its first author, year and key.
    """
    fields = item.fields
    entry, flaws = clean(
        RawReference(
            name=item.key,
            citekey=item.citekey,
            title=item.title,
            authors=tuple(creator.name for creator in leading_creators(item.creators)),
            date=_first(fields, _DATES),
            doi=fields.get("DOI", ""),
            url=fields.get("url", ""),
            tags=tuple(tag.name for tag in item.tags),
            collections=tuple(
                "/".join(collections[key].path) for key in item.collections if key in collections
            ),
            language=fields.get("language", ""),
            container=_first(fields, _CONTAINERS),
            pages=fields.get("pages", ""),
            note=fields.get("extra", ""),
            links=(item.key,),
        )
    )
    return entry.citation, flaws


def item_year(item: ZoteroItem) -> int | None:
    """The year of the item's citation; None if it has none."""
    return year_of(_first(item.fields, _DATES))


def leading_creators(creators: Iterable[Creator]) -> tuple[Creator, ...]:
    """The creators a work is cited by: its authors, else those of the next leading role."""
    creators = tuple(creators)
    for role in _LEADING_ROLES:
        if found := tuple(creator for creator in creators if creator.role == role):
            return found
    return ()


def _first(fields: Mapping[str, str], names: Iterable[str]) -> str:
    return next((fields[name] for name in names if fields.get(name)), "")
