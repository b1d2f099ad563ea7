"""Reading one library from a Zotero database."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.domain.zotero.items import (
    AnnotationType,
    LinkMode,
    ZoteroAnnotation,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroNote,
    ZoteroTag,
)
from citeloom.infrastructure.zotero import rows
from citeloom.infrastructure.zotero.citekeys import Keys, citekey_of
from citeloom.infrastructure.zotero.places import FileLocations, has_file, is_there, position_of
from citeloom.infrastructure.zotero.rows import moment

_LINK_MODES = {mode.value: mode for mode in LinkMode}
_ANNOTATION_TYPES = {kind.value: kind for kind in AnnotationType}


def read_library(
    db: sqlite3.Connection,
    number: int,
    ref: ZoteroLibraryRef,
    *,
    places: FileLocations,
    citekeys: Keys,
) -> ZoteroContent:
    """The library with this id in the database, without its trash."""
    rows.keep_living(db, number)
    collections = rows.collections(db, number, ref)
    shared = _Shared(
        db=db,
        number=number,
        ref=ref,
        fields=rows.fields(db),
        tags=rows.tags(db),
        memberships=rows.memberships(db, collections),
    )
    attachments, flaws = _attachments(shared, places)
    annotations, unknown = _annotations(shared)
    return ZoteroContent(
        library=ref,
        collections=_by_key(collections),
        items=_items(shared, citekeys),
        attachments=attachments,
        annotations=annotations,
        notes=_notes(shared),
        flaws=(*flaws, *unknown),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """The library, and the data common to items of every kind, by item id."""

    db: sqlite3.Connection
    number: int
    ref: ZoteroLibraryRef
    fields: Mapping[int, Mapping[str, str]]
    tags: Mapping[int, tuple[ZoteroTag, ...]]
    memberships: Mapping[int, tuple[str, ...]]


def _by_key(collections: Mapping[int, ZoteroCollection]) -> tuple[ZoteroCollection, ...]:
    return tuple(sorted(collections.values(), key=lambda collection: collection.key))


def _items(shared: _Shared, citekeys: Keys) -> tuple[ZoteroItem, ...]:
    creators = rows.creators(shared.db)
    relations = rows.relations(shared.db)
    years = rows.parsed_years(shared.db)
    retracted = rows.retractions(shared.db)
    item_rows = shared.db.execute(
        "select itemID, key, typeName, dateAdded, dateModified, version from living"
        " cross join items using (itemID) join itemTypesCombined using (itemTypeID)"
        " where typeName not in ('attachment', 'note', 'annotation') order by key"
    )
    items = []
    for item, key, kind, added, modified, version in item_rows:
        fields = shared.fields.get(item, {})
        citekey, source = citekey_of(fields, citekeys.get((shared.number, key)))
        work = ZoteroItem(
            library=shared.ref,
            key=key,
            item_type=kind,
            fields=fields,
            creators=creators.get(item, ()),
            tags=shared.tags.get(item, ()),
            collections=shared.memberships.get(item, ()),
            relations=relations.get(item, ()),
            citekey=citekey,
            citekey_source=source,
            parsed_year=years.get(item),
            retracted=retracted.get(item, ""),
            added=moment(added),
            modified=moment(modified),
            version=version,
        )
        items.append(work)
    return tuple(items)


def _attachments(
    shared: _Shared, places: FileLocations
) -> tuple[tuple[ZoteroAttachment, ...], tuple[str, ...]]:
    """The attachments, and a flaw for each whose file cannot be located."""
    attachment_rows = shared.db.execute(
        "select a.itemID, i.key, p.key, a.linkMode, a.contentType, a.path, i.dateAdded,"
        " i.dateModified, i.version from living cross join itemAttachments a using (itemID)"
        " join items i using (itemID) left join items p on p.itemID = a.parentItemID"
        " where a.parentItemID is null or a.parentItemID in (select itemID from living)"
        " order by i.key"
    )
    attachments, flaws = [], []
    for row in attachment_rows:
        key, mode, stored = row[1], row[3], row[5] or ""
        link_mode = _LINK_MODES.get(mode)
        if link_mode is None:
            flaws.append(f"Attachment {key} has an unknown link mode: {mode}.")
            continue
        path = places.path_of(key, link_mode, stored)
        if path is None and has_file(link_mode):
            flaws.append(f"Attachment {key} {places.flaw_of(stored)}.")
        attachments.append(_attachment(shared, row, link_mode, path))
    return tuple(attachments), tuple(flaws)


def _attachment(
    shared: _Shared, row: Sequence[Any], link_mode: LinkMode, path: Path | None
) -> ZoteroAttachment:
    """The attachment of a row, whose file is at the path."""
    item, key, parent, _, content_type, stored, added, modified, version = row
    fields = shared.fields.get(item, {})
    return ZoteroAttachment(
        library=shared.ref,
        key=key,
        parent=parent,
        link_mode=link_mode,
        title=fields.get("title", ""),
        content_type=content_type or "",
        stored_path=stored or "",
        path=path,
        exists=is_there(path),
        url=fields.get("url", ""),
        tags=shared.tags.get(item, ()),
        collections=shared.memberships.get(item, ()),
        added=moment(added),
        modified=moment(modified),
        version=version,
    )


def _annotations(shared: _Shared) -> tuple[tuple[ZoteroAnnotation, ...], tuple[str, ...]]:
    """The annotations, and a flaw for each of an unknown type."""
    annotation_rows = shared.db.execute(
        "select n.itemID, i.key, p.key, n.type, n.text, n.comment, n.color, n.pageLabel,"
        " n.sortIndex, n.position, i.dateModified, i.version"
        " from living cross join itemAnnotations n using (itemID) join items i using (itemID)"
        " join items p on p.itemID = n.parentItemID"
        " join itemAttachments a on a.itemID = n.parentItemID"
        " where n.parentItemID in (select itemID from living) and (a.parentItemID is null"
        " or a.parentItemID in (select itemID from living)) order by i.key"
    )
    annotations, flaws = [], []
    for row in annotation_rows:
        key, kind = row[1], row[3]
        if kind in _ANNOTATION_TYPES:
            annotations.append(_annotation(shared, row))
        else:
            flaws.append(f"Annotation {key} has an unknown type: {kind}.")
    return tuple(annotations), tuple(flaws)


def _annotation(shared: _Shared, row: Sequence[Any]) -> ZoteroAnnotation:
    item, key, parent, kind, text, comment, color, label, order, place, modified, version = row
    page_index, rects = position_of(place)
    return ZoteroAnnotation(
        library=shared.ref,
        key=key,
        attachment=parent,
        type=_ANNOTATION_TYPES[kind],
        text=text or "",
        comment=comment or "",
        color=color or "",
        page_index=page_index,
        page_label=label or "",
        rects=rects,
        tags=shared.tags.get(item, ()),
        sort_index=order,
        modified=moment(modified),
        version=version,
    )


def _notes(shared: _Shared) -> tuple[ZoteroNote, ...]:
    note_rows = shared.db.execute(
        "select a.itemID, i.key, coalesce(p.key, iif(f.itemID, i.key, null)), a.title, a.note,"
        " i.dateModified, i.version"
        " from living cross join itemNotes a using (itemID) join items i using (itemID)"
        " left join items p on p.itemID = a.parentItemID"
        " left join itemAttachments f on f.itemID = a.itemID"
        " where (a.parentItemID is null or a.parentItemID in (select itemID from living))"
        " and (f.parentItemID is null or f.parentItemID in (select itemID from living))"
        " and (f.itemID is null or a.note <> '') order by i.key"
    )
    return tuple(
        ZoteroNote(
            library=shared.ref,
            key=key,
            parent=parent,
            title=title or "",
            html=html or "",
            tags=shared.tags.get(item, ()),
            collections=shared.memberships.get(item, ()),
            modified=moment(modified),
            version=version,
        )
        for item, key, parent, title, html, modified, version in note_rows
    )
