"""What Zotero's API says of the domain's values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from citeloom.domain.zotero.items import (
    Creator,
    LinkMode,
    ZoteroAnnotation,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroNote,
    ZoteroTag,
)
from tests.fakes.zotero_database import LONG_AGO

Entry = dict[str, Any]


def item_jsons(content: ZoteroContent) -> Iterator[Entry]:
    """An entry for each item, attachment, note and annotation, later ones first as Zotero does."""
    yield from map(_annotation, content.annotations)
    own = {note.key: note.html for note in content.notes if note.key == note.parent}
    yield from (_note(note) for note in content.notes if note.key not in own)
    for attachment in content.attachments:
        entry = _attachment(attachment)
        entry["data"]["note"] = own.get(attachment.key, "")
        yield entry
    yield from map(_item, content.items)


def collection_json(collection: ZoteroCollection) -> Entry:
    """The entry of a collection."""
    data = {"name": collection.name, "parentCollection": collection.parent or False}
    return {"key": collection.key, "version": 0, "data": {"key": collection.key, **data}}


def _item(item: ZoteroItem) -> Entry:
    fields, parsed = dict(item.fields), item.parsed_year
    if "accessDate" in fields:
        fields["accessDate"] = fields["accessDate"].replace(" ", "T") + "Z"
    return _entry(
        item.key,
        item.item_type,
        _dates(item.added, item.modified),
        {
            "abstractNote": "",
            **fields,
            "creators": [_creator(creator) for creator in item.creators],
            "tags": _tags(item.tags),
            "collections": list(item.collections),
            "relations": {
                "dc:relation": [f"http://zotero.org/users/1/items/{key}" for key in item.relations]
            }
            if item.relations
            else {},
        },
        {"parsedDate": f"{parsed:04d}"} if parsed else {},
    )


def _attachment(attachment: ZoteroAttachment) -> Entry:
    linked = attachment.link_mode is LinkMode.LINKED_FILE
    stored = attachment.stored_path
    named = {"path": stored} if linked else {"filename": stored.removeprefix("storage:")}
    entry = _entry(
        attachment.key,
        "attachment",
        _dates(attachment.added, attachment.modified),
        {
            "parentItem": attachment.parent or False,
            "linkMode": attachment.link_mode.name.lower(),
            "title": attachment.title,
            "contentType": attachment.content_type,
            "url": attachment.url,
            "tags": _tags(attachment.tags),
            "collections": list(attachment.collections),
            "relations": {},
            **(named if stored else {}),
        },
    )
    if attachment.path is not None and not linked:
        entry["links"] = {"enclosure": {"href": attachment.path.as_uri()}}
    return entry


def _annotation(annotation: ZoteroAnnotation) -> Entry:
    position = {"pageIndex": annotation.page_index, "rects": [*map(list, annotation.rects)]}
    return _entry(
        annotation.key,
        "annotation",
        _dates(annotation.added, annotation.modified),
        {
            "parentItem": annotation.attachment,
            "annotationType": annotation.type.name.lower(),
            "annotationText": annotation.text,
            "annotationComment": annotation.comment,
            "annotationColor": annotation.color,
            "annotationPageLabel": annotation.page_label,
            "annotationSortIndex": annotation.sort_index,
            "annotationPosition": json.dumps(position),
            "tags": _tags(annotation.tags),
            "relations": {},
        },
    )


def _note(note: ZoteroNote) -> Entry:
    return _entry(
        note.key,
        "note",
        _dates(note.added, note.modified),
        {
            "parentItem": note.parent or False,
            "note": note.html,
            "tags": _tags(note.tags),
            "collections": list(note.collections),
            "relations": {},
        },
    )


def _entry(key: str, kind: str, dates: Entry, data: Entry, meta: Entry | None = None) -> Entry:
    whole = {"key": key, "version": 0, "itemType": kind, **dates, **data}
    return {"key": key, "version": 0, "links": {}, "meta": meta or {}, "data": whole}


def _dates(added: datetime | None, modified: datetime | None) -> Entry:
    stamps = [f"{stamp or LONG_AGO:%Y-%m-%dT%H:%M:%SZ}" for stamp in (added, modified)]
    return {"dateAdded": stamps[0], "dateModified": stamps[1]}


def _creator(creator: Creator) -> Entry:
    if creator.single:
        return {"creatorType": creator.role, "name": creator.family}
    return {
        "creatorType": creator.role,
        "firstName": creator.given,
        "lastName": creator.family,
    }


def _tags(tags: Iterable[ZoteroTag]) -> list[Entry]:
    return [{"tag": tag.name, **({"type": 1} if tag.automatic else {})} for tag in tags]
