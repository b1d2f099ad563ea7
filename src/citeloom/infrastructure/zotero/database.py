"""The libraries in a Zotero database, with fields and types by name."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeVar

from citeloom.domain.references.bibliography import names_in
from citeloom.domain.zotero.items import (
    EVERYTHING,
    FILELESS,
    UNDATED,
    AnnotationType,
    ContentScope,
    Creator,
    LinkMode,
    ZoteroAnnotation,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroNote,
    ZoteroTag,
    citekey_of,
)
from citeloom.infrastructure.zotero.places import (
    EntryFields,
    FileLocations,
    is_there,
    moment,
    position_of,
    related_keys,
)
from citeloom.infrastructure.zotero.saved_searches import saved_searches

Keys = Mapping[tuple[int, str], str]
"""Citekeys by library id in the database and item key."""
LocateFile = Callable[[ZoteroAttachment], Path | None]
"""Locates an attachment's file."""

_LINK_MODES = {mode.value: mode for mode in LinkMode}
_ANNOTATION_TYPES = {kind.value: kind for kind in AnnotationType}
_SORTABLE_DATE = re.compile(r"(?P<year>-?\d{4})-\d\d-\d\d (?!\d\d:\d\d)")
T = TypeVar("T")


NEEDED = {
    "libraries": "libraryID type",
    "groups": "groupID libraryID name",
    "items": "itemID itemTypeID dateAdded dateModified libraryID key version",
    "deletedItems": "itemID",
    "itemTypesCombined": "itemTypeID typeName",
    "fieldsCombined": "fieldID fieldName",
    "itemData": "itemID fieldID valueID",
    "itemDataValues": "valueID value",
    "itemAttachments": "itemID parentItemID linkMode contentType path",
    "itemAnnotations": "itemID parentItemID type text comment color pageLabel sortIndex position",
    "itemNotes": "itemID parentItemID note title",
    "itemCreators": "itemID creatorID creatorTypeID orderIndex",
    "creators": "creatorID firstName lastName fieldMode",
    "creatorTypes": "creatorTypeID creatorType",
    "itemTags": "itemID tagID type",
    "tags": "tagID name",
    "collections": "collectionID collectionName parentCollectionID libraryID key",
    "collectionItems": "collectionID itemID",
    "deletedCollections": "collectionID",
    "itemRelations": "itemID predicateID object",
    "relationPredicates": "predicateID predicate",
    "retractedItems": "itemID data flag",
    "savedSearches": "savedSearchID savedSearchName libraryID key",
    "savedSearchConditions": "savedSearchID searchConditionID condition operator value required",
    "deletedSearches": "savedSearchID",
    "baseFieldMappingsCombined": "baseFieldID fieldID",
}
"""What is read of a database, by table or view."""


def missing_columns(db: sqlite3.Connection) -> list[str]:
    """What of `NEEDED` a database does not have, or has with types of items that are unknown, as
    `table.column`.
    """
    missing: list[str] = []
    for table, columns in NEEDED.items():
        rows = db.execute("select name from pragma_table_info(?, 'zotero')", (table,))
        there = {name for (name,) in rows}
        missing += (f"{table}.{column}" for column in columns.split() if column not in there)
    return missing


def libraries(db: sqlite3.Connection) -> dict[int, ZoteroLibraryRef]:
    """The user's library and the groups by their id in the database, without feeds."""
    rows = db.execute(
        "select l.libraryID, l.type, g.groupID, g.name from libraries l"
        " left join groups g using (libraryID) where l.type in ('user', 'group')"
        " order by l.type = 'group', g.groupID"
    )
    return {
        number: ZoteroLibraryRef(group_id=group or 0, name=name or "My Library")
        for number, kind, group, name in rows
        if kind == "user" or group
    }


def read_library(
    db: sqlite3.Connection,
    number: int,
    ref: ZoteroLibraryRef,
    *,
    places: FileLocations,
    citekeys: Keys,
    scope: ContentScope = EVERYTHING,
    where: LocateFile | None = None,
) -> ZoteroContent:
    """Of the library with this id in the database, without its trash, what the scope says; files
    are where `places` or `where` has them.
    """
    _find_living(db, number, ref, scope)
    collections = _collections(db, number, ref)
    fields, years = _fields(db, scope.fields)
    shared = _Shared(
        db=db,
        number=number,
        ref=ref,
        fields=fields,
        tags=_tags(db) if scope.tags else {},
        memberships=_memberships(db, collections),
    )
    attachments, flaws = _attachments(shared, places, where) if scope.attachments else ((), [])
    if scope.attachments and scope.items is None:
        flaws += _unknown_annotations(db, number)
    return ZoteroContent(
        library=ref,
        collections=tuple(sorted(collections.values(), key=lambda collection: collection.key)),
        searches=saved_searches(db, number, ref) if scope.searches else None,
        items=_items(shared, citekeys, years, _creators(db) if scope.creators else {}),
        attachments=attachments,
        annotations=_annotations(shared) if scope.annotations else (),
        notes=_notes(shared) if scope.notes else (),
        flaws=tuple(flaws),
    )


_CHILDREN = {"attachments": "attachment", "annotations": "annotation", "notes": "note"}
_LIVING = (
    "insert into living select itemID, key, dateAdded, dateModified, version, itemTypeID from items"
    " where {} = ? and itemID not in (select itemID from deletedItems)"
)
_OF_LIVING = (
    " and itemID in (select itemID from {} where parentItemID in (select itemID from living))"
)


def _find_living(
    db: sqlite3.Connection, number: int, ref: ZoteroLibraryRef, scope: ContentScope
) -> None:
    """Make a table of the entries of the library that are needed and not in the trash: every query
    starts from these.
    """
    db.execute("drop table if exists temp.living")
    db.execute(
        "create temp table living"
        " (itemID integer primary key, key, dateAdded, dateModified, version, itemTypeID)"
    )
    needed = [name for name in _CHILDREN if getattr(scope, name)]
    # by its index a library costs more than a look at all items, unless it is small
    living = _LIVING.format("libraryID" if ref.group_id else "+libraryID")
    typed = " and itemTypeID not in (select itemTypeID from itemTypesCombined, json_each(?)"
    typed += " where typeName = value)"
    if scope.items is None:
        left_out = [kind for name, kind in _CHILDREN.items() if name not in needed]
        db.execute(living + typed, (number, json.dumps(left_out)))
        return
    keys = " and key in (select value from json_each(?))"
    works = (number, json.dumps([*_CHILDREN.values()]), json.dumps([*scope.items]))
    db.execute(_LIVING.format("libraryID") + typed + keys, works)
    for name in needed:
        below = _OF_LIVING.format(f"item{name.capitalize()}")
        db.execute(_LIVING.format("+libraryID") + below, (number,))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """The library, and the data common to items of every kind, by item id."""

    db: sqlite3.Connection
    number: int
    ref: ZoteroLibraryRef
    fields: Mapping[int, Mapping[str, str]]
    tags: Mapping[int, tuple[ZoteroTag, ...]]
    memberships: Mapping[int, tuple[str, ...]]

    def entry(
        self, item: int, key: str, added: str, modified: str, version: int, _: int
    ) -> EntryFields:
        """What every entry has, from its row in `living`."""
        return {
            "library": self.ref,
            "key": key,
            "tags": self.tags.get(item, ()),
            "collections": self.memberships.get(item, ()),
            "added": moment(added),
            "modified": moment(modified),
            "version": version,
        }


def _items(
    shared: _Shared,
    citekeys: Keys,
    years: Mapping[int, int],
    creators: Mapping[int, tuple[Creator, ...]],
) -> tuple[ZoteroItem, ...]:
    relations = _by_item(
        shared.db,
        "select itemID, object from living cross join itemRelations using (itemID)"
        " join relationPredicates using (predicateID) where predicate = 'dc:relation'"
        " order by itemID, object",
        lambda uri: next(iter(related_keys([uri])), None),
    )
    retracted = _retractions(shared.db)
    item_rows = shared.db.execute(
        "select typeName, living.* from living join itemTypesCombined using (itemTypeID)"
        " where typeName not in ('attachment', 'note', 'annotation') order by key"
    )
    items = []
    for kind, item, key, *more in item_rows:
        fields = shared.fields.get(item, {})
        citekey, source = citekey_of(fields, citekeys.get((shared.number, key)))
        items.append(
            ZoteroItem(
                **shared.entry(item, key, *more),
                item_type=kind,
                fields=fields,
                creators=creators.get(item, ()),
                relations=relations.get(item, ()),
                citekey=citekey,
                citekey_source=source,
                parsed_year=years.get(item),
                retracted=retracted.get(item, ""),
            )
        )
    return tuple(items)


def _attachments(
    shared: _Shared, places: FileLocations, where: LocateFile | None
) -> tuple[tuple[ZoteroAttachment, ...], list[str]]:
    """The attachments, and a flaw for each whose file cannot be located."""
    rows = shared.db.execute(
        "select p.key, a.linkMode, a.contentType, a.path, living.*"
        " from living cross join itemAttachments a using (itemID)"
        " left join items p on p.itemID = a.parentItemID"
        " where a.parentItemID is null or a.parentItemID in (select itemID from living)"
        " order by living.key"
    )
    attachments, flaws = [], list[str]()
    for parent, mode, content_type, stored, item, key, *more in rows:
        link_mode = _LINK_MODES.get(mode)
        if link_mode is None:
            flaws.append(f"Attachment {key} has an unknown link mode: {mode}.")
            continue
        fields = shared.fields.get(item, {})
        attachment = ZoteroAttachment(
            **shared.entry(item, key, *more),
            parent=parent,
            link_mode=link_mode,
            title=fields.get("title", ""),
            content_type=content_type or "",
            stored_path=stored or "",
            url=fields.get("url", ""),
        )
        if link_mode not in FILELESS:
            path = where(attachment) if where else places.path_of(key, link_mode, stored or "")
            if path is None:
                flaws.append(f"Attachment {key} {places.flaw_of(stored or '')}.")
            attachment = replace(attachment, path=path, exists=is_there(path))
        attachments.append(attachment)
    return tuple(attachments), flaws


_KNOWN_TYPES = json.dumps([*_ANNOTATION_TYPES])


def _unknown_annotations(db: sqlite3.Connection, number: int) -> Iterator[str]:
    """A flaw for each annotation of an unknown type in the attachments that are read."""
    rows = db.execute(
        "select i.key, n.type from itemAnnotations n cross join items i using (itemID)"
        " join itemAttachments a on a.itemID = n.parentItemID where i.libraryID = ?"
        " and n.type not in (select value from json_each(?))"
        " and n.parentItemID in (select itemID from living)"
        " and (a.parentItemID is null or a.parentItemID in (select itemID from living))"
        " and n.itemID not in (select itemID from deletedItems) order by i.key",
        (number, _KNOWN_TYPES),
    )
    return (f"Annotation {key} has an unknown type: {kind}." for key, kind in rows)


def _annotations(shared: _Shared) -> tuple[ZoteroAnnotation, ...]:
    """The annotations of known types."""
    rows = shared.db.execute(
        "select p.key, n.type, n.text, n.comment, n.color, n.pageLabel, n.sortIndex, n.position,"
        " living.* from living cross join itemAnnotations n using (itemID)"
        " join items p on p.itemID = n.parentItemID"
        " join itemAttachments a on a.itemID = n.parentItemID"
        " where n.parentItemID in (select itemID from living) and (a.parentItemID is null"
        " or a.parentItemID in (select itemID from living))"
        " and n.type in (select value from json_each(?)) order by living.key",
        (_KNOWN_TYPES,),
    )
    annotations = []
    for parent, kind, text, comment, color, label, order, place, item, key, *more in rows:
        page_index, rects = position_of(place)
        annotation = ZoteroAnnotation(
            **shared.entry(item, key, *more),
            attachment=parent,
            type=_ANNOTATION_TYPES[kind],
            text=text or "",
            comment=comment or "",
            color=color or "",
            page_index=page_index,
            page_label=label or "",
            rects=rects,
            sort_index=order,
        )
        annotations.append(annotation)
    return tuple(annotations)


def _notes(shared: _Shared) -> tuple[ZoteroNote, ...]:
    note_rows = shared.db.execute(
        "select coalesce(p.key, iif(f.itemID, living.key, null)), a.title, a.note, living.*"
        " from living cross join itemNotes a using (itemID)"
        " left join items p on p.itemID = a.parentItemID"
        " left join itemAttachments f on f.itemID = a.itemID"
        " where (a.parentItemID is null or a.parentItemID in (select itemID from living))"
        " and (f.parentItemID is null or f.parentItemID in (select itemID from living))"
        " and (f.itemID is null or a.note <> '') order by living.key"
    )
    return tuple(
        ZoteroNote(**shared.entry(*entry), parent=parent, title=title or "", html=html or "")
        for parent, title, html, *entry in note_rows
    )


# What items of every kind have, by their id in the database.


def _collections(
    db: sqlite3.Connection, library: int, ref: ZoteroLibraryRef
) -> dict[int, ZoteroCollection]:
    """The collections by id, parents first, without those in the trash and below them."""
    rows = db.execute(
        "select collectionID, parentCollectionID, key, collectionName from collections"
        " where libraryID = ?"
        " and collectionID not in (select collectionID from deletedCollections)",
        (library,),
    )
    children = defaultdict(list)
    for number, parent, key, name in rows:
        children[parent].append((number, key, str(name)))
    by_number: dict[int, ZoteroCollection] = {}
    level: list[tuple[int | None, ZoteroCollection | None]] = [(None, None)]
    while level:
        above, parent = level.pop()
        for number, key, name in children[above]:
            path = (*parent.path, name) if parent else (name,)
            collection = ZoteroCollection(
                library=ref, key=key, path=path, parent=parent.key if parent else None
            )
            by_number[number] = collection
            level.append((number, collection))
    return by_number


def _fields(
    db: sqlite3.Connection, needed: frozenset[str] | None
) -> tuple[Mapping[int, dict[str, str]], Mapping[int, int]]:
    """Each item's fields by name, dates as typed; and the year that Zotero itself reads in the date
    of each item, where it reads one.
    """
    names = dict(db.execute("select fieldID, fieldName from fieldsCombined"))
    dates = {field for field, name in names.items() if "date" in name.lower()}
    issued = {field for field, name in names.items() if name in names_in("zotero", "date")}
    rows = db.execute(
        "select itemID, fieldID, value from living cross join itemData using (itemID)"
        " cross join itemDataValues using (valueID)"
        " where fieldID in (select value from json_each(?)) order by itemID, fieldID",
        (json.dumps([f for f, name in names.items() if needed is None or name in needed]),),
    )
    by_item: dict[int, dict[str, str]] = defaultdict(dict)
    years: dict[int, int] = {}
    for item, field, value in rows:
        text = str(value)
        # a date is stored as `2018-08-30 30 August 2018`
        sortable = _SORTABLE_DATE.match(text) if field in dates else None
        by_item[item][names[field]] = text[sortable.end() :] if sortable else text
        if sortable and field in issued and int(sortable["year"]) > 0:
            years[item] = int(sortable["year"])
    return by_item, years


def _retractions(db: sqlite3.Connection) -> Mapping[int, str]:
    """When each retracted item was retracted, `undated` where that is not known; without those
    whose warning the user has hidden.
    """
    rows = db.execute(
        "select itemID, data from living join retractedItems using (itemID) where flag = 0"
    )
    dates = {}
    for item, data in rows:
        try:
            notice = json.loads(data or "")
        except ValueError:
            notice = None
        date = notice.get("date") if isinstance(notice, dict) else None
        dates[item] = str(date).split(" ")[0] if date else UNDATED
    return dates


def _creators(db: sqlite3.Connection) -> Mapping[int, tuple[Creator, ...]]:
    return _by_item(
        db,
        "select itemID, creatorType, lastName, firstName, fieldMode"
        " from living cross join itemCreators using (itemID) join creators using (creatorID)"
        " join creatorTypes using (creatorTypeID) order by itemID, orderIndex",
        cache(
            lambda role, family, given, mode: Creator(
                role=role,
                family=family or "",
                given=given or "" if mode != 1 else "",
                single=mode == 1,
            )
        ),
    )


def _tags(db: sqlite3.Connection) -> Mapping[int, tuple[ZoteroTag, ...]]:
    """Each item's tags by name."""
    return _by_item(
        db,
        "select itemID, name, itemTags.type from living cross join itemTags using (itemID)"
        " join tags using (tagID) order by itemID, name",
        cache(lambda name, kind: ZoteroTag(name=str(name), automatic=kind == 1)),
    )


def _memberships(
    db: sqlite3.Connection, known: Mapping[int, ZoteroCollection]
) -> Mapping[int, tuple[str, ...]]:
    return _by_item(
        db,
        "select itemID, collectionID from living cross join collectionItems using (itemID)"
        " join collections using (collectionID) order by itemID, collections.key",
        lambda collection: known[collection].key if collection in known else None,
    )


def _by_item(
    db: sqlite3.Connection, query: str, make: Callable[..., T | None]
) -> dict[int, tuple[T, ...]]:
    """The results of `make` for the rows of each selected item, in row order."""
    grouped: dict[int, list[T]] = defaultdict(list)
    for item, *values in db.execute(query):
        if (value := make(*values)) is not None:
            grouped[item].append(value)
    return {item: tuple(values) for item, values in grouped.items()}
