"""Zotero, read only."""

from __future__ import annotations

from citeloom.application.zotero.browse import Browse
from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.interfaces.mcp.answers import Json
from citeloom.infrastructure.interfaces.mcp.arguments import ZoteroArguments
from citeloom.infrastructure.interfaces.mcp.tool_call import ToolCall
from citeloom.infrastructure.serialisation.json import UNTRUSTED
from citeloom.infrastructure.serialisation.zotero import collection_json, item_json, tag_json

_SHOWN = ("key", "citekey", "title", "year", "creators", "doi", "tags", "collections")


def zotero_search(call: ToolCall[ZoteroArguments]) -> Json:
    """Items, collections or tags within the project's selection, or of the user's library."""
    project = call.library.project(call.arguments.project).project
    look = _KINDS[call.arguments.what]
    found = look(call.library.zotero(), project.zotero or ZoteroSelection(), call.arguments)
    return {"project": project.id, "items": [{**UNTRUSTED, **one} for one in found]}


def _items(browse: Browse, selection: ZoteroSelection, asked: ZoteroArguments) -> list[Json]:
    found = browse.items(selection, search=asked.text or None, limit=asked.limit)
    return [_short(item_json(one)) for one in found]


def _tags(browse: Browse, selection: ZoteroSelection, asked: ZoteroArguments) -> list[Json]:
    found = browse.tags(selection, search=asked.text or None, limit=asked.limit)
    return [tag_json(one) for one in found]


def _collections(browse: Browse, selection: ZoteroSelection, asked: ZoteroArguments) -> list[Json]:
    every = map(collection_json, browse.collections(selection, selected_only=True))
    wanted = asked.text.casefold()
    return [one for one in every if wanted in str(one["path"]).casefold()][: asked.limit]


_KINDS = {"items": _items, "tags": _tags, "collections": _collections}


def _short(item: Json) -> Json:
    files = item["attachments"]
    assert isinstance(files, list)
    kept = {key: item[key] for key in _SHOWN}
    return {**kept, "has_file": any(one["exists"] for one in files)}
