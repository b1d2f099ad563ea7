"""Zotero, read only."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.application.zotero.browse import Browse, ListedAnnotation, ListedItem
from citeloom.domain.passage import trim
from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.interfaces.mcp.answers import Json
from citeloom.infrastructure.interfaces.mcp.arguments import ZoteroArguments
from citeloom.infrastructure.interfaces.mcp.tool_call import ToolCall
from citeloom.infrastructure.serialisation.json import UNTRUSTED
from citeloom.infrastructure.serialisation.zotero import collection_json, item_json, tag_json

_FIELDS = ("key", "citekey", "title", "year", "creators", "doi", "tags", "collections")
_ABSTRACT, _TEXT = 500, 2000


def zotero_search(call: ToolCall[ZoteroArguments]) -> Json:
    """Items, collections, tags or annotations within the project's selection, or of the user's
    library.
    """
    asked, project = call.arguments, call.project.project
    found = _KINDS[asked.what](call.library.zotero(), project.zotero or ZoteroSelection(), asked)
    some = found[asked.offset : asked.offset + asked.limit]
    return {
        "project": project.id,
        "total": len(found),
        "offset": asked.offset,
        "items": [{**UNTRUSTED, **one} for one in some],
    }


def _items(browse: Browse, selection: ZoteroSelection, asked: ZoteroArguments) -> Sequence[Json]:
    longest = _TEXT if asked.item else _ABSTRACT
    return [_item(one, longest) for one in _found(browse, selection, asked)]


def _annotations(
    browse: Browse, selection: ZoteroSelection, asked: ZoteroArguments
) -> Sequence[Json]:
    found = browse.annotations(
        selection, search=asked.text or None, collection=asked.collection, item=asked.item
    )
    return [_annotation(one) for one in found]


def _tags(browse: Browse, selection: ZoteroSelection, asked: ZoteroArguments) -> Sequence[Json]:
    return [tag_json(one) for one in browse.tags(selection, search=asked.text or None)]


def _collections(
    browse: Browse, selection: ZoteroSelection, asked: ZoteroArguments
) -> Sequence[Json]:
    every = map(collection_json, browse.collections(selection, selected_only=True))
    wanted = asked.text.casefold()
    return [one for one in every if wanted in str(one["path"]).casefold()]


_KINDS = {
    "items": _items,
    "tags": _tags,
    "collections": _collections,
    "annotations": _annotations,
}


def _found(
    browse: Browse, selection: ZoteroSelection, asked: ZoteroArguments
) -> Sequence[ListedItem]:
    return browse.items(
        selection, search=asked.text or None, collection=asked.collection, item=asked.item
    )


def _item(one: ListedItem, longest: int) -> Json:
    full = item_json(one)
    return {
        **{key: full[key] for key in _FIELDS},
        "abstract": trim(one.item.fields.get("abstractNote", ""), longest)[0],
        "has_file": any(attachment.exists for attachment in one.attachments),
        "annotations": one.annotations,
    }


def _annotation(one: ListedAnnotation) -> Json:
    mark = one.annotation
    return {
        "key": mark.key,
        "item": one.item.key,
        "citekey": one.item.citekey or None,
        "title": one.item.title,
        "page": mark.page_label,
        "text": trim(mark.text, _TEXT)[0],
        "comment": trim(mark.comment, _TEXT)[0],
        "color": mark.color,
        "tags": [tag.name for tag in mark.tags],
    }
