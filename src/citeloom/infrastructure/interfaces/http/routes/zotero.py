"""What is in Zotero; nothing is ever written there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.answers.model import UNTRUSTED
from citeloom.infrastructure.answers.zotero import (
    CollectionEntry,
    CollectionList,
    ItemEntry,
    ItemList,
    TagEntry,
    TagList,
)
from citeloom.infrastructure.interfaces.http.answers import JsonAnswer, listed
from citeloom.infrastructure.interfaces.http.routes import PREFIX, Served
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.interfaces.request_models import Arguments, Name

router = APIRouter(prefix=f"{PREFIX}/zotero", tags=["zotero"])
T = TypeVar("T")


class ZoteroFilter(Arguments):
    """Which entries of Zotero are listed."""

    library: list[Name] = Field(default=[], max_length=20)
    collection: list[Name] = Field(default=[], max_length=20)
    subcollections: bool = False
    tag: list[Name] = Field(default=[], max_length=20)
    exclude_tag: list[Name] = Field(default=[], max_length=20)
    search: Name | None = None
    limit: int = Field(default=50, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10_000_000)


Filter = Annotated[ZoteroFilter, Query()]


@router.get("/collections", response_model=CollectionList, operation_id="list_zotero_collections")
async def collections(chosen: Filter, service: Served) -> Response:
    """List collections by library and path."""
    listed = await service.run(
        lambda: service.library.zotero().collections(_selection(chosen)), _seconds(service)
    )
    return _page(service, chosen, listed, CollectionEntry.of)


@router.get("/items", response_model=ItemList, operation_id="list_zotero_items")
async def items(chosen: Filter, service: Served) -> Response:
    """List items by citekey."""
    listed = await service.run(
        lambda: service.library.zotero().items(_selection(chosen), search=chosen.search),
        _seconds(service),
    )
    return _page(service, chosen, listed, ItemEntry.of)


@router.get("/tags", response_model=TagList, operation_id="list_zotero_tags")
async def tags(chosen: Filter, service: Served) -> Response:
    """List tags, the most frequent first."""
    listed = await service.run(
        lambda: service.library.zotero().tags(_selection(chosen), search=chosen.search),
        _seconds(service),
    )
    return _page(service, chosen, listed, TagEntry.of)


def _page(
    service: ServedLibrary,
    chosen: ZoteroFilter,
    entries: Sequence[T],
    as_json: Callable[[T], object],
) -> Response:
    page = listed(entries, as_json, offset=chosen.offset, limit=chosen.limit)
    return JsonAnswer(service.paths.value({"content": UNTRUSTED, **page}), service.door)


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
