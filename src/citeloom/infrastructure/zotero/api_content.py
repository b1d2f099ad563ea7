"""Libraries from the entries of Zotero's API, laid out as in its database and read as that is."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path

from citeloom.domain.zotero.items import (
    AnnotationType,
    CitekeySource,
    LinkMode,
    ZoteroAttachment,
    ZoteroContent,
    ZoteroLibraryRef,
)
from citeloom.infrastructure.zotero.api_client import Json
from citeloom.infrastructure.zotero.database import NEEDED, read_library
from citeloom.infrastructure.zotero.places import FileLocations, moment
from citeloom.infrastructure.zotero.saved_searches import NOTE_BEGINS, NOTE_ENDS, saved_searches

LocateEntry = Callable[[ZoteroAttachment, Json], Path | None]
"""Locates an attachment's file from the attachment and its API entry."""
Row = tuple[str, Sequence[object]]
"""A table, and the values of a row of it."""

_LIBRARY = 1
_UNKNOWN = 0
"""The id of what is named, but not among the entries."""
CHILDREN = ("attachment", "note", "annotation")
"""The types of entries that are no works."""
_NOWHERE = FileLocations(data_dir=Path())
_LINK_MODES: Mapping[str, object] = {mode.name.lower(): mode.value for mode in LinkMode}
_ANNOTATION_TYPES: Mapping[str, object] = {kind.name.lower(): kind.value for kind in AnnotationType}
_RELATION = "dc:relation"
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


def content_of(
    library: ZoteroLibraryRef,
    items: Sequence[Json],
    collections: Sequence[Json],
    *,
    where: LocateEntry,
    citekeys: Mapping[str, str],
    searches: Sequence[Json] | None = None,
) -> ZoteroContent:
    """A library from the API's entries; what is in the trash, or belongs to it, is left out.

    `citekeys` are Better BibTeX's, by item key. Saved `searches` are run on the entries.
    """
    by_key = {entry["key"]: entry for entry in items}
    with closing(sqlite3.connect(":memory:")) as db:
        db.text_factory = lambda text: text.decode("utf-8", "surrogatepass")
        for table, columns in NEEDED.items():
            typed = (f"{name} integer" if name.endswith("ID") else name for name in columns.split())
            db.execute(f"create table {table} ({', '.join(typed)})")
        rows: dict[str, list[Sequence[object]]] = defaultdict(list)
        for table, values in _rows(by_key, collections, searches or ()):
            rows[table].append(values)
        for table, several in rows.items():
            _insert(db, table, several)
        content = read_library(
            db,
            _LIBRARY,
            library,
            places=_NOWHERE,
            citekeys={(_LIBRARY, key): citekey for key, citekey in citekeys.items()},
            where=lambda attachment: where(attachment, by_key[attachment.key]),
        )
        found = None
        if searches is not None:
            db.execute(_WRAPPED, (NOTE_BEGINS, NOTE_ENDS, len(NOTE_BEGINS), NOTE_BEGINS))
            found = saved_searches(db, _LIBRARY, library)
    items_of_api = tuple(
        replace(item, citekey_source=CitekeySource.BETTER_BIBTEX_RPC)
        if item.citekey_source is CitekeySource.BETTER_BIBTEX
        else item
        for item in content.items
    )
    return replace(content, items=items_of_api, searches=found)


def _insert(db: sqlite3.Connection, table: str, rows: Sequence[Sequence[object]]) -> None:
    """Fill a table, by whose first column its rows are found."""
    first, *others = NEEDED[table].split()
    places = ", ".join(["?"] * (1 + len(others)))
    try:
        db.executemany(f"insert into {table} values ({places})", rows)  # noqa: S608 - of NEEDED
    except UnicodeEncodeError:  # half a character, which the API can send
        db.execute(f"delete from {table}")  # noqa: S608 - of NEEDED
        for row in rows:
            whole = [v.encode("utf-8", "surrogatepass") if isinstance(v, str) else v for v in row]
            typed = ", ".join("cast(? as text)" if isinstance(v, bytes) else "?" for v in whole)
            db.execute(f"insert into {table} values ({typed})", whole)  # noqa: S608 - of NEEDED
    db.execute(f"create index {table}_{first} on {table} ({first})")


_WRAPPED = "update itemNotes set note = ? || note || ? where substr(note, 1, ?) <> ?"
"""Notes as saved searches expect them, and as a database has them."""


# The entries as rows of the tables in `NEEDED`; names are their own ids.


def _rows(
    items: Mapping[str, Json], collections: Sequence[Json], searches: Iterable[Json]
) -> Iterator[Row]:
    folders = {entry["key"]: number for number, entry in enumerate(collections, start=1)}
    numbers = {key: number for number, key in enumerate(items, start=1)}
    fields = {key: _fields(entry) for key, entry in items.items()}
    for name in {name for named in fields.values() for name in named} | _BASE_FIELDS.keys():
        yield "fieldsCombined", (name, name)
        for special in _BASE_FIELDS.get(name, "").split():
            yield "baseFieldMappingsCombined", (name, special)
    yield "relationPredicates", (_RELATION, _RELATION)
    for kind in {entry["data"]["itemType"] for entry in items.values()}:
        yield "itemTypesCombined", (kind, kind)
    creators = (one for entry in items.values() for one in entry["data"].get("creators", ()))
    for role in {creator["creatorType"] for creator in creators}:
        yield "creatorTypes", (role, role)
    values = dict.fromkeys(value for named in fields.values() for value in named.values())
    ids = {value: number for number, value in enumerate(values, start=1)}
    yield from (("itemDataValues", (number, value)) for value, number in ids.items())
    for key, entry in items.items():
        for name, value in fields[key].items():
            yield "itemData", (numbers[key], name, ids[value])
        yield from _of_item(entry, numbers, folders)
    for entry in collections:
        data, number = entry["data"], folders[entry["key"]]
        above = _id_of(data.get("parentCollection"), folders)
        yield "collections", (number, data["name"], above, _LIBRARY, entry["key"])
        if data.get("deleted"):
            yield "deletedCollections", (number,)
    for number, entry in enumerate(searches):
        data = entry["data"]
        yield "savedSearches", (number, data["name"], _LIBRARY, entry["key"])
        for place, each in enumerate(data["conditions"]):
            condition = (each["condition"], each.get("operator"), each.get("value"))
            yield "savedSearchConditions", (number, place, *condition, each.get("required"))
        if data.get("deleted"):
            yield "deletedSearches", (number,)


def _id_of(key: str | None, ids: Mapping[str, int]) -> int | None:
    return ids.get(key, _UNKNOWN) if key else None


def _of_item(entry: Json, numbers: Mapping[str, int], folders: Mapping[str, int]) -> Iterator[Row]:
    data, number = entry["data"], numbers[entry["key"]]
    days = (_moment(data.get(name)) for name in ("dateAdded", "dateModified"))
    yield "items", (number, data["itemType"], *days, _LIBRARY, entry["key"], entry["version"])
    if data.get("deleted"):
        yield "deletedItems", (number,)
    for place, creator in enumerate(data.get("creators", ())):
        creator_id, is_single = f"{number} {place}", "name" in creator
        family = creator["name"] if is_single else creator.get("lastName", "")
        yield "itemCreators", (number, creator_id, creator["creatorType"], place)
        yield "creators", (creator_id, creator.get("firstName", ""), family, int(is_single))
    for place, tag in enumerate(data.get("tags", ())):
        yield "itemTags", (number, f"{number} {place}", tag.get("type"))
        yield "tags", (f"{number} {place}", tag["tag"])
    for key in data.get("collections", ()):
        if key in folders:
            yield "collectionItems", (folders[key], number)
    related = data.get("relations", {}).get(_RELATION, ())
    for uri in [related] if isinstance(related, str) else related:
        yield "itemRelations", (number, _RELATION, uri)
    yield from _of_child(data, number, _id_of(data.get("parentItem"), numbers))


def _of_child(data: Json, number: int, parent: int | None) -> Iterator[Row]:
    """The rows of an attachment, an annotation or a note, and of the note of an attachment."""
    kind, note = data["itemType"], data.get("note", "")
    if kind == "attachment":
        mode, stored = _LINK_MODES.get(data["linkMode"], data["linkMode"]), data.get("path")
        if mode != LinkMode.LINKED_FILE.value:
            stored = data.get("filename") and f"storage:{data['filename']}"
        yield "itemAttachments", (number, parent, mode, data.get("contentType"), stored)
    if kind == "annotation":
        type_name = data["annotationType"]
        texts = "Text Comment Color PageLabel SortIndex Position".split()
        written = (data.get(f"annotation{name}", "") for name in texts)
        yield (
            "itemAnnotations",
            (number, parent, _ANNOTATION_TYPES.get(type_name, type_name), *written),
        )
    if kind == "note" or (kind == "attachment" and note):
        yield "itemNotes", (number, parent if kind == "note" else None, note, _first_line(note))


_PARSED_DATE = re.compile(r"(\d{4})(?:(-\d\d)(-\d\d)?)?(?!\d)")
"""`2018-08-30`, `2018-08` or `2018`"""


def _fields(entry: Json) -> dict[str, str]:
    """The fields of an entry as a database has them: a date as the day that Zotero reads in it,
    and what is written.
    """
    fields = {
        name: value
        for name, value in entry["data"].items()
        if isinstance(value, str)
        and value
        and name not in _NO_FIELDS
        and not name.startswith("annotation")
    }
    parsed = _PARSED_DATE.match(entry.get("meta", {}).get("parsedDate") or "0000")
    year, month, day = parsed.groups("-00") if parsed else ("0000", "-00", "-00")
    for name in ("date", *_BASE_FIELDS["date"].split()):
        if name in fields:
            fields[name] = f"{year}{month}{day} {fields[name]}"
    if (accessed := fields.get("accessDate", "")).endswith("Z"):
        fields["accessDate"] = _moment(accessed) or accessed
    return fields


def _moment(text: str | None) -> str | None:
    known = moment(text)
    return f"{known:%Y-%m-%d %H:%M:%S}" if known else None


_TAG = re.compile(r"<[^>]*>")
_BLOCK_END = re.compile(r"<br ?/?>|</(?:p|div|h[1-6]|li|blockquote|pre)>", re.IGNORECASE)
_LONGEST_TITLE = 120


def _first_line(html: str) -> str:
    """A note's title: its first line, as in Zotero."""
    lines = _TAG.sub("", _BLOCK_END.sub("\n", html)).splitlines()
    line = next(filter(None, map(str.strip, lines)), "")
    return unescape(line)[:_LONGEST_TITLE]
