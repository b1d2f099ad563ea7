"""What is in Zotero; nothing is ever written there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query
from starlette.responses import Response

from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.interfaces.http.answers import JsonAnswer, listed
from citeloom.infrastructure.interfaces.http.requests import ZoteroFilter
from citeloom.infrastructure.interfaces.http.routes import PREFIX, Served
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.serialisation.json import UNTRUSTED
from citeloom.infrastructure.serialisation.schemas.zotero import CollectionList, ItemList, TagList
from citeloom.infrastructure.serialisation.zotero import collection_json, item_json, tag_json

router = APIRouter(prefix=f"{PREFIX}/zotero", tags=["zotero"])
Filter = Annotated[ZoteroFilter, Query()]
T = TypeVar("T")


@router.get("/collections", response_model=CollectionList, operation_id="list_zotero_collections")
async def collections(chosen: Filter, service: Served) -> Response:
    """List collections by library and path."""
    listed = await service.run(
        lambda: service.library.zotero().collections(_selection(chosen)), _seconds(service)
    )
    return _page(service, chosen, listed, collection_json)


@router.get("/items", response_model=ItemList, operation_id="list_zotero_items")
async def items(chosen: Filter, service: Served) -> Response:
    """List items by citekey."""
    listed = await service.run(
        lambda: service.library.zotero().items(_selection(chosen), search=chosen.search),
        _seconds(service),
    )
    return _page(service, chosen, listed, item_json)


@router.get("/tags", response_model=TagList, operation_id="list_zotero_tags")
async def tags(chosen: Filter, service: Served) -> Response:
    """List tags, the most frequent first."""
    listed = await service.run(
        lambda: service.library.zotero().tags(_selection(chosen), search=chosen.search),
        _seconds(service),
    )
    return _page(service, chosen, listed, tag_json)


def _page(
    service: ServedLibrary,
    chosen: ZoteroFilter,
    entries: Sequence[T],
    as_json: Callable[[T], Mapping[str, object]],
) -> Response:
    page = listed(entries, as_json, offset=chosen.offset, limit=chosen.limit)
    return JsonAnswer(service.paths.value({**UNTRUSTED, **page}))


def _selection(chosen: ZoteroFilter) -> ZoteroSelection:
    return ZoteroSelection(
        libraries=tuple(chosen.library),
        collections=tuple(chosen.collection),
        subcollections=chosen.subcollections,
        tags=tuple(chosen.tag),
        exclude_tags=tuple(chosen.exclude_tag),
    )


def _seconds(service: ServedLibrary) -> float:
    return service.limits.hybrid_seconds
