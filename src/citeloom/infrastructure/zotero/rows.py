"""Queries over zotero.sqlite, with fields and types by name."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import TypeVar

from citeloom.domain.zotero.items import (
    DATES,
    Creator,
    ZoteroCollection,
    ZoteroLibraryRef,
    ZoteroTag,
)

_SORTABLE_DATE = re.compile(r"(?P<year>-?\d{4})-\d\d-\d\d (?!\d\d:\d\d)")
_RELATED = re.compile(r"/items/([A-Z0-9]{8})$")

T = TypeVar("T")


def keep_living(db: sqlite3.Connection, library: int) -> None:
    """Select the items of one library that are not in the trash, for all later queries.

    The queries start from these, so that a small group does not cost a scan of all items.
    """
    db.execute("drop table if exists temp.living")
    db.execute("create temp table living (itemID integer primary key)")
    db.execute(
        "insert into living select itemID from items where libraryID = ?"
        " and itemID not in (select itemID from deletedItems)",
        (library,),
    )


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


def collections(
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


def fields(db: sqlite3.Connection) -> Mapping[int, dict[str, str]]:
    """Each item's fields by name, dates as typed."""
    names = dict(db.execute("select fieldID, fieldName from fieldsCombined"))
    dates = {field for field, name in names.items() if "date" in name.lower()}
    rows = db.execute(
        "select itemID, fieldID, value from living cross join itemData using (itemID)"
        " cross join itemDataValues using (valueID) order by itemID, fieldID"
    )
    by_item: dict[int, dict[str, str]] = defaultdict(dict)
    for item, field, value in rows:
        by_item[item][names[field]] = _as_typed(str(value)) if field in dates else str(value)
    return by_item


def parsed_years(db: sqlite3.Connection) -> Mapping[int, int]:
    """The year that Zotero itself reads in the date of each item, where it reads one."""
    rows = db.execute(
        "select itemID, value from living cross join itemData using (itemID)"
        " cross join itemDataValues using (valueID) where fieldID in (select fieldID"
        " from fieldsCombined where fieldName in (select value from json_each(?)))",
        (json.dumps(DATES),),
    )
    matches = {item: _SORTABLE_DATE.match(str(value)) for item, value in rows}
    years = {item: int(stored["year"]) for item, stored in matches.items() if stored}
    return {item: year for item, year in years.items() if year > 0}


UNDATED = "undated"
"""Stands for the date of a retraction of which Zotero knows none."""


def retractions(db: sqlite3.Connection) -> Mapping[int, str]:
    """When each retracted item was retracted, `undated` where that is not known; without those
    whose warning the user has hidden.
    """
    rows = db.execute(
        "select itemID, data from living join retractedItems using (itemID) where flag = 0"
    )
    return {item: _date_of(data) for item, data in rows}


def _date_of(data: str | None) -> str:
    try:
        read = json.loads(data or "")
    except ValueError:
        return UNDATED
    date = read.get("date") if isinstance(read, dict) else None
    return str(date).split(" ")[0] if date else UNDATED


def creators(db: sqlite3.Connection) -> Mapping[int, tuple[Creator, ...]]:
    """Each item's creators in their order."""
    return _by_item(
        db,
        "select itemID, creatorType, lastName, firstName, fieldMode"
        " from living cross join itemCreators using (itemID) join creators using (creatorID)"
        " join creatorTypes using (creatorTypeID) order by itemID, orderIndex",
        cache(_creator),
    )


def tags(db: sqlite3.Connection) -> Mapping[int, tuple[ZoteroTag, ...]]:
    """Each item's tags by name."""
    return _by_item(
        db,
        "select itemID, name, itemTags.type from living cross join itemTags using (itemID)"
        " join tags using (tagID) order by itemID, name",
        cache(lambda name, kind: ZoteroTag(name=str(name), automatic=kind == 1)),
    )


def memberships(
    db: sqlite3.Connection, known: Mapping[int, ZoteroCollection]
) -> Mapping[int, tuple[str, ...]]:
    """The keys of the collections each item is in."""
    return _by_item(
        db,
        "select itemID, collectionID from living cross join collectionItems using (itemID)"
        " join collections using (collectionID) order by itemID, key",
        lambda collection: known[collection].key if collection in known else None,
    )


def relations(db: sqlite3.Connection) -> Mapping[int, tuple[str, ...]]:
    """The keys of the items each item is related to."""
    return _by_item(
        db,
        "select itemID, object from living cross join itemRelations using (itemID)"
        " join relationPredicates using (predicateID) where predicate = 'dc:relation'"
        " order by itemID, object",
        lambda uri: match[1] if (match := _RELATED.search(uri)) else None,
    )


def _by_item(
    db: sqlite3.Connection, query: str, make: Callable[..., T | None]
) -> dict[int, tuple[T, ...]]:
    """The results of `make` for the rows of each selected item, in row order."""
    grouped: dict[int, list[T]] = defaultdict(list)
    for item, *values in db.execute(query):
        if (made := make(*values)) is not None:
            grouped[item].append(made)
    return {item: tuple(values) for item, values in grouped.items()}


def _creator(role: str, family: str | None, given: str | None, mode: int) -> Creator:
    single = mode == 1
    return Creator(
        role=role, family=family or "", given="" if single else given or "", single=single
    )


def moment(stamp: str | None) -> datetime | None:
    """A time as Zotero stores it, in UTC; None if it is not one."""
    try:
        return datetime.fromisoformat(f"{stamp}+00:00")
    except ValueError:
        return None


def _as_typed(value: str) -> str:
    """The typed part of a date, which is stored as `2018-08-30 30 August 2018`."""
    sortable = _SORTABLE_DATE.match(value)
    return value[sortable.end() :] if sortable else value
