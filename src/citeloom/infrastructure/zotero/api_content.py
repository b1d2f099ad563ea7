"""Mapping of Zotero's API entries to the domain."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from pathlib import Path

from citeloom.domain.zotero.items import (
    FILELESS,
    AnnotationType,
    CitekeySource,
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
from citeloom.infrastructure.zotero.api_client import Json
from citeloom.infrastructure.zotero.api_searches import api_searches
from citeloom.infrastructure.zotero.places import (
    EntryFields,
    FileLocations,
    is_there,
    moment,
    position_of,
    related_keys,
)

Where = Callable[[ZoteroAttachment, Json], Path | None]
"""Locates an attachment's file from the attachment and its API entry."""

_NO_FIELDS = frozenset({"key", "version", "itemType", "dateAdded", "dateModified", "parentItem"})
CHILDREN = ("attachment", "note", "annotation")
"""The types of entries that are no works."""
_TAG = re.compile(r"<[^>]*>")
_PARSED_DATE = re.compile(r"(\d{4})(?:-|$)")
_BLOCK_END = re.compile(r"<br ?/?>|</(?:p|div|h[1-6]|li|blockquote|pre)>", re.IGNORECASE)
_LONGEST_TITLE = 120
_NOWHERE = FileLocations(data_dir=Path())
_LINK_MODES = {mode.name.lower(): mode for mode in LinkMode}
_ANNOTATION_TYPES = {kind.name.lower(): kind for kind in AnnotationType}


def content_of(
    library: ZoteroLibraryRef,
    items: Sequence[Json],
    collections: Sequence[Json],
    *,
    where: Where,
    citekeys: Mapping[str, str],
    searches: Sequence[Json] | None = None,
) -> ZoteroContent:
    """A library from the API's entries; what is in the trash, or belongs to it, is left out.

    `citekeys` are Better BibTeX's, by item key. Saved `searches` are run on the entries.
    """
    known = _collections(library, collections)
    entries = _Entries(library=library, living=_living(items), collections=known)
    return ZoteroContent(
        library=library,
        collections=tuple(known[key] for key in sorted(known)),
        items=tuple(
            _item(entries, entry, citekeys)
            for entry in entries.living.values()
            if entry["data"]["itemType"] not in CHILDREN
        ),
        attachments=tuple(_attachments(entries, where)),
        annotations=tuple(_annotations(entries)),
        notes=tuple(_notes(entries)),
        searches=None if searches is None else api_searches(library, searches, items, collections),
        flaws=tuple(entries.flaws),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entries:
    """A library's entries ordered by key, and their flaws."""

    library: ZoteroLibraryRef
    living: Mapping[str, Json]
    collections: Mapping[str, ZoteroCollection]
    flaws: list[str] = field(default_factory=list)

    def of(self, kind: str) -> Iterator[Json]:
        for entry in self.living.values():
            if entry["data"]["itemType"] == kind:
                yield entry

    def fields(self, entry: Json) -> EntryFields:
        """What every entry has."""
        data = entry["data"]
        tags = (
            ZoteroTag(name=tag["tag"], automatic=tag.get("type") == 1)
            for tag in data.get("tags", ())
        )
        filed = (key for key in data.get("collections", ()) if key in self.collections)
        return EntryFields(
            library=self.library,
            key=entry["key"],
            tags=tuple(sorted(tags, key=lambda tag: tag.name)),
            collections=tuple(sorted(filed)),
            added=moment(data.get("dateAdded")),
            modified=moment(data.get("dateModified")),
            version=entry["version"],
        )


def _living(items: Sequence[Json]) -> dict[str, Json]:
    """The entries that are not in the trash and do not belong to one that is."""
    by_key = {entry["key"]: entry for entry in items}

    def lives(entry: Json | None) -> bool:
        if entry is None or entry["data"].get("deleted"):
            return False
        parent = entry["data"].get("parentItem")
        return not parent or lives(by_key.get(parent))

    return {key: by_key[key] for key in sorted(by_key) if lives(by_key[key])}


def _collections(library: ZoteroLibraryRef, entries: Sequence[Json]) -> dict[str, ZoteroCollection]:
    """The collections by key, without those in the trash and their subcollections."""
    by_key = {entry["key"]: entry["data"] for entry in entries if not entry["data"].get("deleted")}

    def path_of(key: str) -> tuple[str, ...] | None:
        data = by_key.get(key)
        if data is None:
            return None
        parent = data.get("parentCollection")
        above = path_of(parent) if parent else ()
        return None if above is None else (*above, data["name"])

    return {
        key: ZoteroCollection(
            library=library, key=key, path=path, parent=data.get("parentCollection") or None
        )
        for key, data in by_key.items()
        if (path := path_of(key)) is not None
    }


def _item(entries: _Entries, entry: Json, citekeys: Mapping[str, str]) -> ZoteroItem:
    data = entry["data"]
    fields = {
        name: _as_stored(name, value)
        for name, value in data.items()
        if isinstance(value, str) and value and name not in _NO_FIELDS
    }
    citekey, source = citekey_of(fields, citekeys.get(entry["key"]))
    if source is CitekeySource.BETTER_BIBTEX:
        source = CitekeySource.BETTER_BIBTEX_RPC
    relations = data.get("relations", {}).get("dc:relation", ())
    # `2018-08-30`, `2018-08` or `2018`
    parsed = _PARSED_DATE.match(entry.get("meta", {}).get("parsedDate") or "")
    return ZoteroItem(
        **entries.fields(entry),
        item_type=data["itemType"],
        fields=fields,
        creators=tuple(map(_creator, data.get("creators", ()))),
        relations=related_keys(sorted([relations] if isinstance(relations, str) else relations)),
        citekey=citekey,
        citekey_source=source,
        parsed_year=int(parsed[1]) or None if parsed else None,
    )


def _attachments(entries: _Entries, where: Where) -> Iterator[ZoteroAttachment]:
    for entry in entries.of("attachment"):
        data, key = entry["data"], entry["key"]
        mode = _LINK_MODES.get(data["linkMode"])
        if mode is None:
            entries.flaws.append(f"Attachment {key} has an unknown link mode: {data['linkMode']}.")
            continue
        stored = data.get("path") if mode is LinkMode.LINKED_FILE else data.get("filename")
        if stored and mode is not LinkMode.LINKED_FILE:
            stored = f"storage:{stored}"
        attachment = ZoteroAttachment(
            **entries.fields(entry),
            parent=data.get("parentItem") or None,
            link_mode=mode,
            title=data.get("title", ""),
            content_type=data.get("contentType", ""),
            stored_path=stored or "",
            url=data.get("url", ""),
        )
        path = None if mode in FILELESS else where(attachment, entry)
        if path is None and mode not in FILELESS:
            entries.flaws.append(f"Attachment {key} {_NOWHERE.flaw_of(attachment.stored_path)}.")
        yield replace(attachment, path=path, exists=is_there(path))


def _annotations(entries: _Entries) -> Iterator[ZoteroAnnotation]:
    for entry in entries.of("annotation"):
        data = entry["data"]
        kind = _ANNOTATION_TYPES.get(data["annotationType"])
        if kind is None:
            entries.flaws.append(
                f"Annotation {entry['key']} has an unknown type: {data['annotationType']}."
            )
            continue
        page_index, rects = position_of(data.get("annotationPosition", ""))
        yield ZoteroAnnotation(
            **entries.fields(entry),
            attachment=data["parentItem"],
            type=kind,
            text=data.get("annotationText", ""),
            comment=data.get("annotationComment", ""),
            color=data.get("annotationColor", ""),
            page_index=page_index,
            page_label=data.get("annotationPageLabel", ""),
            rects=rects,
            sort_index=data.get("annotationSortIndex", ""),
        )


def _notes(entries: _Entries) -> Iterator[ZoteroNote]:
    """The notes, and those that attachments have themselves, by key."""
    for entry in entries.living.values():
        data = entry["data"]
        html, is_attachment = data.get("note", ""), data["itemType"] == "attachment"
        if data["itemType"] == "note" or (is_attachment and html):
            yield ZoteroNote(
                **entries.fields(entry),
                parent=entry["key"] if is_attachment else data.get("parentItem") or None,
                title=_first_line(html),
                html=html,
            )


def _creator(creator: Json) -> Creator:
    role = creator["creatorType"]
    if "name" in creator:
        return Creator(role=role, family=creator["name"], single=True)
    return Creator(
        role=role, family=creator.get("lastName", ""), given=creator.get("firstName", "")
    )


def _first_line(html: str) -> str:
    """A note's title: its first line, as in Zotero."""
    lines = _TAG.sub("", _BLOCK_END.sub("\n", html)).splitlines()
    line = next(filter(None, map(str.strip, lines)), "")
    return unescape(line)[:_LONGEST_TITLE]


def _as_stored(name: str, value: str) -> str:
    """The access date in the database's form: the API has 2024-05-01T10:00:00Z."""
    accessed = moment(value) if name == "accessDate" and value.endswith("Z") else None
    return f"{accessed:%Y-%m-%d %H:%M:%S}" if accessed else value
