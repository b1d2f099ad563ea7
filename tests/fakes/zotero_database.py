"""A Zotero data directory, written as Zotero lays it out, for what a test wants to find in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from citeloom.domain.zotero.items import (
    Creator,
    ZoteroAnnotation,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroNote,
    ZoteroTag,
)

TABLES = """
create table version (schema text primary key, version int not null);
create table libraries (libraryID integer primary key, type text not null, editable int not null,
    filesEditable int not null, version int not null default 0);
create table groups (groupID integer primary key, libraryID int not null unique,
    name text not null, description text not null default '', version int not null default 0);
create table feeds (libraryID integer primary key, name text not null, url text not null);
create table itemTypes (itemTypeID integer primary key, typeName text);
create table itemTypesCombined (itemTypeID integer primary key, typeName text, custom int);
create table fields (fieldID integer primary key, fieldName text);
create table fieldsCombined (fieldID integer primary key, fieldName text, custom int);
create table creatorTypes (creatorTypeID integer primary key, creatorType text);
create table items (itemID integer primary key, itemTypeID int not null,
    dateAdded timestamp not null, dateModified timestamp not null,
    clientDateModified timestamp not null, libraryID int not null, key text not null,
    version int not null default 0, synced int not null default 0, unique (libraryID, key));
create table itemDataValues (valueID integer primary key, value unique);
create table itemData (itemID int, fieldID int, valueID int, primary key (itemID, fieldID));
create table creators (creatorID integer primary key, firstName text, lastName text,
    fieldMode int, unique (lastName, firstName, fieldMode));
create table itemCreators (itemID int not null, creatorID int not null,
    creatorTypeID int not null, orderIndex int not null);
create table tags (tagID integer primary key, name text not null unique);
create table itemTags (itemID int not null, tagID int not null, type int not null);
create table collections (collectionID integer primary key, collectionName text not null,
    parentCollectionID int, clientDateModified timestamp, libraryID int not null,
    key text not null, version int not null default 0, synced int not null default 0);
create table collectionItems (collectionID int not null, itemID int not null,
    orderIndex int not null default 0);
create table retractedItems (itemID integer primary key, data text, flag int default 0);
create table deletedItems (itemID integer primary key, dateDeleted default current_timestamp);
create table deletedCollections (collectionID integer primary key,
    dateDeleted default current_timestamp);
create table relationPredicates (predicateID integer primary key, predicate text unique);
create table itemRelations (itemID int not null, predicateID int not null, object text not null);
create table itemAttachments (itemID integer primary key, parentItemID int, linkMode int,
    contentType text, charsetID int, path text, syncState int default 0);
create table itemAnnotations (itemID integer primary key, parentItemID int not null,
    type integer not null, authorName text, text text, comment text, color text, pageLabel text,
    sortIndex text not null, position text not null, isExternal int not null);
create table itemNotes (itemID integer primary key, parentItemID int, note text, title text);
create table savedSearches (savedSearchID integer primary key, savedSearchName text not null,
    clientDateModified timestamp, libraryID int not null, key text not null,
    version int not null default 0, synced int not null default 0);
create table savedSearchConditions (savedSearchID int not null, searchConditionID int not null,
    condition text not null, operator text, value text, required none,
    primary key (savedSearchID, searchConditionID));
create table deletedSearches (savedSearchID integer primary key,
    dateDeleted default current_timestamp);
create table baseFieldMappingsCombined (itemTypeID int, baseFieldID int, fieldID int);
create index itemAttachments_parent on itemAttachments(parentItemID);
"""
RELATED = "dc:relation"
LONG_AGO = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)


def as_it_is(folder: Path) -> Mapping[str, tuple[bytes, int]]:
    """Every byte and time of change of a folder, its files and the folders in it."""
    return {
        str(path): (path.read_bytes() if path.is_file() else b"", path.stat().st_mtime_ns)
        for path in (folder, *sorted(folder.rglob("*")))
    }


class ZoteroDatabase:
    """A data directory at `folder`; `close` leaves it as Zotero does when it quits.

    Ids of fields and types run differently from Zotero's: a reader has to go by their names.
    """

    def __init__(self, folder: Path, *, userdata: int = 125) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "zotero.sqlite"
        self._db = sqlite3.connect(self.path, isolation_level=None)
        self._db.executescript(TABLES)
        self._db.execute("begin")
        self._db.execute("insert into version values ('userdata', ?)", (userdata,))
        self._db.execute("insert into relationPredicates values (1, ?)", (RELATED,))
        self._ids = count(1)
        self._items: dict[tuple[int, str], int] = {}
        self._libraries: dict[int, int] = {}

    @property
    def connection(self) -> sqlite3.Connection:
        """The database itself, for what only one test needs."""
        return self._db

    def close(self) -> None:
        """Commit, and let go of the file."""
        if self._db.in_transaction:
            self._db.execute("commit")
        self._db.close()

    def write(self, *contents: ZoteroContent) -> None:
        """Everything in some libraries; what is in them already stays."""
        for content in contents:
            library = self._library(content)
            collections = self._collections(content.collections, library)
            for item in content.items:
                self._item(item, library, collections)
            for attachment in content.attachments:
                self._attachment(attachment, library, collections)
            for note in content.notes:
                self._note(note, library, collections)
            for annotation in content.annotations:
                self._annotation(annotation, library)

    def as_while_running(self) -> None:
        """Commit, and go on under an exclusive lock, with what follows in a write-ahead log."""
        self._db.execute("commit")
        for pragma in ("locking_mode=exclusive", "journal_mode=wal", "wal_autocheckpoint=0"):
            self._db.execute(f"pragma {pragma}")

    def bin(self, library: int, key: str) -> None:
        """Put something into the bin; `library` is the group's id, 0 for the user's own."""
        item = self._items[self._libraries[library], key]
        self._db.execute("insert into deletedItems(itemID) values (?)", (item,))

    def save_search(
        self, library: int, key: str, name: str, *conditions: tuple[str, str, str]
    ) -> None:
        """A saved search of conditions, each with its operator and value."""
        row = self._db.execute(
            "insert into savedSearches(savedSearchName, libraryID, key) values (?, ?, ?)",
            (name, self._libraries[library], key),
        )
        for place, condition in enumerate(conditions):
            self._db.execute(
                "insert into savedSearchConditions values (?, ?, ?, ?, ?, null)",
                (row.lastrowid, place, *condition),
            )

    def special(self, base: str, field: str) -> None:
        """Make a field what a base field is called for some type of items."""
        self._db.execute(
            "insert into baseFieldMappingsCombined values (1, ?, ?)",
            (self._named("fields", base), self._named("fields", field)),
        )

    def item_id(self, library: int, key: str) -> int:
        """The number the database gave an item."""
        return self._items[self._libraries[library], key]

    def _library(self, content: ZoteroContent) -> int:
        group = content.library.group_id
        if group in self._libraries:
            return self._libraries[group]
        number = len(self._libraries) + 1
        kind = "group" if group else "user"
        self._db.execute(
            "insert into libraries(libraryID, type, editable, filesEditable) values (?, ?, 1, 1)",
            (number, kind),
        )
        if group:
            self._db.execute(
                "insert into groups(groupID, libraryID, name) values (?, ?, ?)",
                (group, number, content.library.name),
            )
        self._libraries[group] = number
        return number

    def _collections(
        self, collections: Iterable[ZoteroCollection], library: int
    ) -> Mapping[str, int]:
        """Each collection's number by key; a parent comes before what is in it."""
        numbers: dict[str, int] = {}
        for collection in sorted(collections, key=lambda one: len(one.path)):
            row = self._db.execute(
                "insert into collections(collectionName, parentCollectionID, libraryID, key)"
                " values (?, ?, ?, ?)",
                (collection.name, numbers.get(collection.parent or ""), library, collection.key),
            )
            numbers[collection.key] = int(row.lastrowid or 0)
        return numbers

    def _item(self, item: ZoteroItem, library: int, collections: Mapping[str, int]) -> None:
        number = self._row(item.item_type, library, item.key, item.added, item.modified)
        for name, value in item.fields.items():
            parsed = f"{item.parsed_year:04d}-00-00 " if name == "date" and item.parsed_year else ""
            self._field(number, name, f"{parsed}{value}")
        for order, creator in enumerate(item.creators):
            self._creator(number, creator, order)
        self._file(number, item.tags, item.collections, collections)
        for related in item.relations:
            self._db.execute(
                "insert into itemRelations values (?, 1, ?)",
                (number, f"http://zotero.org/users/local/x/items/{related}"),
            )

    def _attachment(
        self, attachment: ZoteroAttachment, library: int, collections: Mapping[str, int]
    ) -> None:
        number = self._row(
            "attachment", library, attachment.key, attachment.added, attachment.modified
        )
        self._field(number, "title", attachment.title)
        self._field(number, "url", attachment.url)
        self._file(number, attachment.tags, attachment.collections, collections)
        self._db.execute(
            "insert into itemAttachments(itemID, parentItemID, linkMode, contentType, path)"
            " values (?, ?, ?, ?, ?)",
            (
                number,
                self._items.get((library, attachment.parent or "")),
                attachment.link_mode.value,
                attachment.content_type,
                attachment.stored_path or None,
            ),
        )

    def _note(self, note: ZoteroNote, library: int, collections: Mapping[str, int]) -> None:
        if note.key == note.parent:
            of_attachment = (self._items[library, note.key], None, note.html, note.title)
            self._db.execute("insert into itemNotes values (?, ?, ?, ?)", of_attachment)
            return
        number = self._row("note", library, note.key, note.added, note.modified)
        self._file(number, note.tags, note.collections, collections)
        parent = self._items.get((library, note.parent or ""))
        self._db.execute(
            "insert into itemNotes values (?, ?, ?, ?)", (number, parent, note.html, note.title)
        )

    def _annotation(self, annotation: ZoteroAnnotation, library: int) -> None:
        number = self._row(
            "annotation", library, annotation.key, annotation.added, annotation.modified
        )
        self._file(number, annotation.tags, (), {})
        position = {"pageIndex": annotation.page_index, "rects": [*map(list, annotation.rects)]}
        self._db.execute(
            "insert into itemAnnotations values (?, ?, ?, '', ?, ?, ?, ?, ?, ?, 0)",
            (
                number,
                self._items[library, annotation.attachment],
                annotation.type.value,
                annotation.text,
                annotation.comment,
                annotation.color,
                annotation.page_label,
                annotation.sort_index,
                json.dumps(position),
            ),
        )

    def _row(
        self,
        item_type: str,
        library: int,
        key: str,
        added: datetime | None,
        modified: datetime | None,
    ) -> int:
        number = next(self._ids)
        self._items[library, key] = number
        stamps = [f"{stamp or LONG_AGO:%Y-%m-%d %H:%M:%S}" for stamp in (added, modified, modified)]
        self._db.execute(
            "insert into items(itemID, itemTypeID, dateAdded, dateModified, clientDateModified,"
            " libraryID, key) values (?, ?, ?, ?, ?, ?, ?)",
            (number, self._named("itemTypes", item_type), *stamps, library, key),
        )
        return number

    def _file(
        self,
        number: int,
        tags: Iterable[ZoteroTag],
        keys: Iterable[str],
        collections: Mapping[str, int],
    ) -> None:
        for tag in tags:
            self._db.execute("insert or ignore into tags(name) values (?)", (tag.name,))
            self._db.execute(
                "insert into itemTags select ?, tagID, ? from tags where name = ?",
                (number, int(tag.automatic), tag.name),
            )
        for key in keys:
            self._db.execute(
                "insert into collectionItems(collectionID, itemID) values (?, ?)",
                (collections[key], number),
            )

    def _field(self, number: int, name: str, value: str) -> None:
        if not value:
            return
        self._db.execute("insert or ignore into itemDataValues(value) values (?)", (value,))
        self._db.execute(
            "insert into itemData select ?, ?, valueID from itemDataValues where value = ?",
            (number, self._named("fields", name), value),
        )

    def _creator(self, number: int, creator: Creator, order: int) -> None:
        person = (creator.given, creator.family, int(creator.single))
        self._db.execute(
            "insert or ignore into creators(firstName, lastName, fieldMode) values (?, ?, ?)",
            person,
        )
        self._db.execute(
            "insert into itemCreators select ?, creatorID, ?, ? from creators"
            " where firstName = ? and lastName = ? and fieldMode = ?",
            (number, self._named("creatorTypes", creator.role), order, *person),
        )

    def _named(self, table: str, name: str) -> int:
        """The number of a type or field of that name, given when it is first asked for."""
        column = {"itemTypes": "typeName", "fields": "fieldName", "creatorTypes": "creatorType"}
        found = self._db.execute(
            f"select rowid from {table} where {column[table]} = ?", (name,)
        ).fetchone()
        if found:
            return int(found[0])
        row = self._db.execute(f"insert into {table}({column[table]}) values (?)", (name,))
        number = int(row.lastrowid or 0)
        if table != "creatorTypes":
            self._db.execute(f"insert into {table}Combined values (?, ?, 0)", (number, name))
        return number
