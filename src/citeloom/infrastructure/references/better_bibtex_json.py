"""Better BibTeX's JSON export, with Zotero's item fields converted to CSL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

_CONTAINERS = (
    "publicationTitle",
    "bookTitle",
    "proceedingsTitle",
    "encyclopediaTitle",
    "dictionaryTitle",
    "websiteTitle",
)
_AUTHORS = {
    "author",
    "artist",
    "cartographer",
    "director",
    "interviewee",
    "inventor",
    "performer",
    "podcaster",
    "presenter",
    "programmer",
}
_SAME_MEANING = {
    "citation-key": "citationKey",
    "URL": "url",
    "page": "pages",
    "item-key": "itemKey",
    "issued": "date",
}
_NOT_WORKS = {"attachment", "note", "annotation"}


def csl_items(items: Sequence[object], collections: object) -> list[object]:
    """Zotero items as CSL items with the names of their collections; others as they are."""
    names = _collections_by_item(collections)
    return [
        _csl_item(item, names) if isinstance(item, Mapping) and "itemType" in item else item
        for item in items
        if not (isinstance(item, Mapping) and str(item.get("itemType")) in _NOT_WORKS)
    ]


def _csl_item(item: Mapping[str, object], names: Mapping[str, list[str]]) -> object:
    renamed = {csl: item[zotero] for csl, zotero in _SAME_MEANING.items() if zotero in item}
    creators = item.get("creators")
    return {
        **item,
        **renamed,
        "author": list(_authors(creators)) if isinstance(creators, list) else None,
        "container-title": next((item[key] for key in _CONTAINERS if item.get(key)), None),
        "collections": names.get(_item_id(item)) or item.get("collections"),
    }


def _authors(creators: Sequence[object]) -> Iterator[Mapping[str, object]]:
    for creator in creators:
        if isinstance(creator, Mapping) and str(creator.get("creatorType", "author")) in _AUTHORS:
            yield {
                "family": creator.get("lastName"),
                "given": creator.get("firstName"),
                "literal": creator.get("name"),
            }


def _collections_by_item(collections: object) -> Mapping[str, list[str]]:
    names: dict[str, list[str]] = {}
    for collection in collections.values() if isinstance(collections, Mapping) else ():
        if isinstance(collection, Mapping) and isinstance(collection.get("items"), list):
            for item in collection["items"]:
                names.setdefault(_item_id(item), []).append(str(collection.get("name", "")))
    return names


def _item_id(item: object) -> str:
    """The id of an item that a collection lists as a number or as an object."""
    return str(item.get("itemID") if isinstance(item, Mapping) else item)
