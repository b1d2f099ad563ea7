"""CSL-JSON as written by Zotero, Better BibTeX, Crossref and pandoc."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeGuard

from citeloom.domain.errors import InvalidReferences
from citeloom.domain.references.bibliography import (
    Bibliography,
    RawReference,
    assemble,
    identifiers_of,
    names_in,
    split_tags,
    texts_of,
)

# The `file` field, in which reference managers list an entry's attachments.

_BETWEEN_ENTRIES = re.compile(r"(?<!\\);")
_BETWEEN_PARTS = re.compile(r"(?<!\\):")
_ESCAPED = re.compile(r"\\([:;\\{}])")


def attached_files(field: str) -> tuple[str, ...]:
    """The paths in `title:path:type;…` or `path;…`, colons and backslashes unescaped."""
    paths = []
    for entry in _BETWEEN_ENTRIES.split(field.replace(r"$\backslash$", "\\")):
        _, *rest = _BETWEEN_PARTS.split(entry.strip())
        path = ":".join(rest[:-1]) if len(rest) > 1 else entry
        paths.append(_ESCAPED.sub(r"\1", path).strip())
    return tuple(filter(None, paths))


# Better BibTeX's JSON export, with Zotero's item fields converted to CSL.

_AUTHORS = frozenset(
    "author artist cartographer director interviewee inventor performer podcaster presenter "
    "programmer".split()
)
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
    names: dict[str, list[str]] = {}
    for collection in collections.values() if isinstance(collections, Mapping) else ():
        if isinstance(collection, Mapping) and isinstance(collection.get("items"), list):
            for item in collection["items"]:
                names.setdefault(_item_id(item), []).append(str(collection.get("name", "")))
    return [
        _csl_item(item, names) if isinstance(item, Mapping) and "itemType" in item else item
        for item in items
        if not (isinstance(item, Mapping) and str(item.get("itemType")) in _NOT_WORKS)
    ]


def _csl_item(item: Mapping[str, object], names: Mapping[str, list[str]]) -> object:
    renamed = {csl: item[zotero] for csl, zotero in _SAME_MEANING.items() if zotero in item}
    creators = item.get("creators")
    authors = [
        {
            "family": creator.get("lastName"),
            "given": creator.get("firstName"),
            "literal": creator.get("name"),
        }
        for creator in (creators if isinstance(creators, list) else ())
        if isinstance(creator, Mapping) and str(creator.get("creatorType", "author")) in _AUTHORS
    ]
    return {
        **item,
        **renamed,
        "author": authors if isinstance(creators, list) else None,
        "container-title": _first(item, *names_in("zotero", "container")),
        "collections": names.get(_item_id(item)) or item.get("collections"),
    }


def _item_id(item: object) -> str:
    """The id of an item that a collection lists as a number or as an object."""
    return str(item.get("itemID") if isinstance(item, Mapping) else item)


_LISTS = ("items", "references")


def read(text: str, name: str) -> Bibliography:
    """The references in `text`; unknown fields are ignored, invalid values reported.

    Raises `InvalidReferences` if it is not a list of CSL items.
    """
    flaws: list[str] = []
    references: list[RawReference] = []
    try:
        parsed: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidReferences(
            f"{name} is not valid JSON: {error.msg} in line {error.lineno}, column {error.colno}.",
            hint="Export the library again as Better CSL JSON, or correct that line.",
        ) from error
    except (RecursionError, ValueError) as error:
        raise InvalidReferences(
            f"{name} cannot be read as CSL-JSON: {error}.",
            hint="Export the library again as Better CSL JSON.",
        ) from error
    items: object = parsed
    if is_object(parsed):
        items = next((parsed[key] for key in _LISTS if key in parsed), None)
        if isinstance(items, list):
            items = csl_items(items, parsed.get("collections"))
        elif "title" in parsed and ("id" in parsed or "citation-key" in parsed):
            items = [parsed]
    if not isinstance(items, list):
        raise InvalidReferences(
            f"{name} has no list of references.",
            hint="Export the library as Better CSL JSON: a list of items, or an object with "
            "`items`.",
        )
    for position, item in enumerate(items, start=1):
        if is_object(item):
            references.append(_reference(item, position))
        else:
            flaws.append(f"Entry {position} is not a reference and was left out: {item!r:.60}")
    return assemble(references, flaws)


def is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


def _reference(item: Mapping[str, object], position: int) -> RawReference:
    attachments = (_text(entry) for entry in _list(item.get("attachments")))
    tags = item.get("keyword") or item.get("tags") or item.get("keywords")
    return RawReference(
        name=str(position),
        citekey=_first(item, "citation-key", "citekey", "id"),
        authors=tuple(map(_name, _list(item.get("author")))),
        tags=tuple(map(_text, tags)) if isinstance(tags, list) else split_tags(_text(tags)),
        collections=tuple(map(_text, _list(item.get("collections")))),
        note="\n".join((_text(item.get("note")), _text(item.get("extra")))),
        links=tuple(_text(item.get(key)) for key in ("item-key", "select", "uri", "id", "URL")),
        files=(*filter(None, attachments), *attached_files(_text(item.get("file")))),
        item_type=_first(item, "type"),
        identifiers=identifiers_of(partial(_first, item)),
        aliases=tuple(map(_text, _list(item.get("aliases")))),
        **texts_of("csl", partial(_first, item), date=_date(item.get("issued"))),
    )


def _first(item: Mapping[str, object], *keys: str) -> str:
    return next((text for key in keys if (text := _text(item.get(key)))), "")


def _text(value: object) -> str:
    """A value as text: the first item of a list, the name of an object."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list):
        return next(filter(None, map(_text, value)), "")
    if is_object(value):
        return _first(value, "path", "localPath", "tag", "name", "literal", "raw")
    return ""


def _list(value: object) -> Sequence[object]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _name(name: object) -> str:
    """`Family, Given`: non-dropping particles before the family name, others after the given."""
    if not is_object(name):
        return _text(name)
    particle, family = _text(name.get("non-dropping-particle")), _text(name.get("family"))
    family = " ".join(filter(None, (particle, family.strip('"'))))
    given = " ".join(filter(None, (_text(name.get("given")), _text(name.get("dropping-particle")))))
    parts = (family, given, _text(name.get("suffix")))
    return ", ".join(filter(None, parts)) or _first(name, "literal", "name")


def _date(date: object) -> str:
    """The first year of a range, or the date as written."""
    if not is_object(date):
        return _text(date)
    parts = date.get("date-parts")
    while isinstance(parts, list) and parts:
        parts = parts[0]
    return _text(parts) or _first(date, "raw", "literal", "year", "date", "date-time")
