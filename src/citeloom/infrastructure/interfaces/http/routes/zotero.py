"""What is in Zotero; nothing is ever written there."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from citeloom.application.requests.zotero import SelectionRequest
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.answers.zotero import (
    CollectionEntry,
    CollectionList,
    ItemEntry,
    ItemList,
    TagEntry,
    TagList,
)
from citeloom.infrastructure.interfaces.http.routes import PREFIX, Page, Served, in_thread
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.interfaces.request_models import Name, RequestModel

router = APIRouter(prefix=f"{PREFIX}/zotero", tags=["zotero"])


class ZoteroFilter(Page, RequestModel[SelectionRequest]):
    """Which entries of Zotero are listed."""

    search: Name | None = None

    @property
    def selection(self) -> ZoteroSelection:
        return self.asked().selection or ZoteroSelection()


Filter = Annotated[ZoteroFilter, Query()]


def _seconds(service: ServedLibrary, _: object) -> float:
    return service.limits.hybrid_seconds


@router.get("/collections", operation_id="list_zotero_collections")
@in_thread(seconds=_seconds, scrubbed=True)
def collections(chosen: Filter, service: Served) -> CollectionList:
    """List collections by library and path."""
    listed = service.library.zotero().collections(chosen.selection)
    return chosen.of(CollectionList, listed, CollectionEntry.of)


@router.get("/items", operation_id="list_zotero_items")
@in_thread(seconds=_seconds, scrubbed=True)
def items(chosen: Filter, service: Served) -> ItemList:
    """List items by citekey."""
    listed = service.library.zotero().items(chosen.selection, search=chosen.search)
    return chosen.of(ItemList, listed, ItemEntry.of)


@router.get("/tags", operation_id="list_zotero_tags")
@in_thread(seconds=_seconds, scrubbed=True)
def tags(chosen: Filter, service: Served) -> TagList:
    """List tags, the most frequent first."""
    listed = service.library.zotero().tags(chosen.selection, search=chosen.search)
    return chosen.of(TagList, listed, TagEntry.of)
