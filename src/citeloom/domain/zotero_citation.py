"""Zotero items as citations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from citeloom.domain.bibliography import RawReference, clean, usable_year, year_of
from citeloom.domain.citation import CitationMeta
from citeloom.domain.zotero import Creator, ZoteroCollection, ZoteroItem

DATES = ("date", "dateDecided", "dateEnacted", "issueDate")
"""The fields that hold the date of a work, whatever its type calls it."""
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
    fields = item.fields
    entry, flaws = clean(
        RawReference(
            name=item.key,
            citekey=item.citekey,
            title=item.title,
            authors=tuple(creator.name for creator in leading_creators(item)),
            date=_first(fields, DATES),
            year=_parsed_year(item),
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
    return _parsed_year(item) or year_of(_first(item.fields, DATES))


def leading_creators(item: ZoteroItem) -> tuple[Creator, ...]:
    """The creators a work is cited by: the primary ones of its type, else editors, else
    contributors.
    """
    for role in (*_PRIMARY_ROLES.get(item.item_type, _AUTHORS), *_NEXT_ROLES):
        if found := tuple(creator for creator in item.creators if creator.role == role):
            return found
    return ()


def _parsed_year(item: ZoteroItem) -> int | None:
    return usable_year(item.parsed_year or 0)


def _first(fields: Mapping[str, str], names: Iterable[str]) -> str:
    return next((fields[name] for name in names if fields.get(name)), "")
