"""Saved searches that Zotero's API names, run on its entries as on a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from citeloom.domain.zotero.items import ZoteroLibraryRef, ZoteroSavedSearch
from citeloom.infrastructure.zotero.api_client import Json
from citeloom.infrastructure.zotero.places import moment
from citeloom.infrastructure.zotero.saved_searches import NOTE_BEGINS, NOTE_ENDS, saved_searches

Row = tuple[str, Sequence[object]]
"""A table, and the values of a row of it."""

_LIBRARY = 1
_TABLES = {
    "items": "itemID key itemTypeID dateAdded dateModified libraryID",
    "deletedItems": "itemID",
    "itemTypesCombined": "itemTypeID typeName",
    "fieldsCombined": "fieldID fieldName",
    "baseFieldMappingsCombined": "baseFieldID fieldID",
    "itemData": "itemID fieldID valueID",
    "itemDataValues": "valueID value",
    "itemCreators": "itemID creatorID creatorTypeID",
    "creators": "creatorID firstName lastName",
    "creatorTypes": "creatorTypeID creatorType",
    "itemTags": "itemID tagID",
    "tags": "tagID name",
    "itemNotes": "itemID parentItemID note",
    "itemAttachments": "itemID parentItemID",
    "itemAnnotations": "itemID parentItemID",
    "collections": "collectionID key parentCollectionID libraryID",
    "deletedCollections": "collectionID",
    "collectionItems": "collectionID itemID",
    "savedSearches": "savedSearchID key savedSearchName libraryID",
    "savedSearchConditions": "savedSearchID searchConditionID condition operator value required",
    "deletedSearches": "savedSearchID",
}
"""What saved searches look at, as Zotero's database has it; names and keys are their own ids."""
_BASE_FIELDS = {
    "authority": "court issuingAuthority legislativeBody organization",
    "date": "dateDecided dateEnacted issueDate",
    "medium": "artworkMedium audioFileType audioRecordingFormat format interviewMedium "
    "videoRecordingFormat",
    "number": "archiveID billNumber docketNumber documentNumber episodeNumber identifier "
    "patentNumber publicLawNumber reportNumber",
    "originalDate": "priorityDate",
    "pages": "codePages firstPage",
    "place": "repositoryLocation",
    "publicationTitle": "blogTitle bookTitle dictionaryTitle encyclopediaTitle forumTitle "
    "proceedingsTitle programTitle sessionTitle websiteTitle",
    "publisher": "company distributor institution label network repository studio university",
    "status": "legalStatus",
    "title": "caseName nameOfAct subject",
    "type": "genre letterType manuscriptType mapType postType presentationType reportType "
    "thesisType websiteType",
    "volume": "codeVolume reporterVolume",
}
"""What Zotero calls fields in some types of items, by the field that they stand for there."""
_NO_FIELDS = frozenset(
    "key itemType dateAdded dateModified note parentItem linkMode contentType charset filename "
    "path md5".split()
)
_CHILDREN = {"attachment": "itemAttachments", "annotation": "itemAnnotations"}


def api_searches(
    library: ZoteroLibraryRef,
    searches: Iterable[Json],
    items: Sequence[Json],
    collections: Iterable[Json],
) -> tuple[ZoteroSavedSearch, ...]:
    """The saved searches of a library with what each finds among its entries, or why it cannot be
    run.
    """
    with closing(sqlite3.connect(":memory:")) as db:
        for table, columns in _TABLES.items():
            db.execute(f"create table {table} ({', '.join(columns.split())})")
        for table, values in _rows(searches, items, collections):
            places = ", ".join("?" * len(values))
            db.execute(f"insert into {table} values ({places})", values)  # noqa: S608 - of _TABLES
        return saved_searches(db, _LIBRARY, library)


def _rows(
    searches: Iterable[Json], items: Sequence[Json], collections: Iterable[Json]
) -> Iterator[Row]:
    for name in {name for entry in items for name in _fields(entry)} | _BASE_FIELDS.keys():
        yield "fieldsCombined", (name, name)
        for special in _BASE_FIELDS.get(name, "").split():
            yield "baseFieldMappingsCombined", (name, special)
    for kind in {entry["data"]["itemType"] for entry in items}:
        yield "itemTypesCombined", (kind, kind)
    creators = (creator for entry in items for creator in entry["data"].get("creators", ()))
    for role in {creator["creatorType"] for creator in creators}:
        yield "creatorTypes", (role, role)
    for entry in items:
        yield from _of_item(entry)
    for entry in collections:
        key, data = entry["key"], entry["data"]
        yield "collections", (key, key, data.get("parentCollection") or None, _LIBRARY)
        if data.get("deleted"):
            yield "deletedCollections", (key,)
    for entry in searches:
        key, data = entry["key"], entry["data"]
        yield "savedSearches", (key, key, data["name"], _LIBRARY)
        for place, each in enumerate(data["conditions"]):
            condition = (each["condition"], each.get("operator"), each.get("value"))
            yield "savedSearchConditions", (key, place, *condition, each.get("required"))
        if data.get("deleted"):
            yield "deletedSearches", (key,)


def _of_item(entry: Json) -> Iterator[Row]:
    key, data = entry["key"], entry["data"]
    kind, parent = data["itemType"], data.get("parentItem") or None
    days = (_moment(data.get(name)) for name in ("dateAdded", "dateModified"))
    yield "items", (key, key, kind, *days, _LIBRARY)
    if data.get("deleted"):
        yield "deletedItems", (key,)
    for name, value in _fields(entry).items():
        if value:
            yield "itemData", (key, name, f"{key} {name}")
            yield "itemDataValues", (f"{key} {name}", value)
    for place, creator in enumerate(data.get("creators", ())):
        role, last = creator["creatorType"], creator.get("name") or creator.get("lastName", "")
        yield "itemCreators", (key, f"{key} {place}", role)
        yield "creators", (f"{key} {place}", creator.get("firstName", ""), last)
    for tag in data.get("tags", ()):
        yield "itemTags", (key, f"{key} {tag['tag']}")
        yield "tags", (f"{key} {tag['tag']}", tag["tag"])
    for collection in data.get("collections", ()):
        yield "collectionItems", (collection, key)
    if kind in _CHILDREN:
        yield _CHILDREN[kind], (key, parent)
    if note := data.get("note"):
        whole = note if note.startswith(NOTE_BEGINS) else f"{NOTE_BEGINS}{note}{NOTE_ENDS}"
        yield "itemNotes", (key, parent if kind == "note" else None, whole)


def _fields(entry: Json) -> dict[str, str]:
    """The fields of an entry as a database has them: a date as the day that Zotero reads in it,
    and what is written.
    """
    data = entry["data"]
    fields = {
        name: value
        for name, value in data.items()
        if isinstance(value, str) and name not in _NO_FIELDS and not name.startswith("annotation")
    }
    for name in ("date", *_BASE_FIELDS["date"].split()):
        if written := fields.get(name):
            day = entry.get("meta", {}).get("parsedDate") or "0000"
            fields[name] = f"{day + '-00' * (2 - day.count('-'))} {written}"
    if accessed := fields.get("accessDate"):
        fields["accessDate"] = _moment(accessed) or accessed
    return fields


def _moment(text: str | None) -> str | None:
    known = moment(text)
    return f"{known:%Y-%m-%d %H:%M:%S}" if known else None
