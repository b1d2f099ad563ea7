"""Requests for what is in Zotero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from annotated_types import doc

from citeloom.application.requests.fields import (
    Brief,
    Called,
    Request,
    RequestField,
    Served,
    fields_of,
    flag,
)
from citeloom.domain.retrieval.filters import LEAVE_OUT, check_text
from citeloom.domain.zotero.selection import ZoteroSelection

# Which items are meant; a command of collections or tags takes fewer options than one of items.


@dataclass(frozen=True, kw_only=True)
class LibrariesRequest(Request):
    """Which libraries of Zotero are meant."""

    libraries: Annotated[
        Sequence[str] | str,
        Called("library"),
        flag("--library", metavar="NAME"),
        Served(key="library"),
        doc("`library` (your own, the default), a group's name, `groups/ID`, or `all`."),
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, field in self._fields.items():
            for value in getattr(self, name) if field.many else ():
                check_text(field.noun, value, LEAVE_OUT)

    @property
    def _fields(self) -> Mapping[str, RequestField]:
        kind: Any = type(self)
        return fields_of(kind)

    @property
    def selection(self) -> ZoteroSelection | None:
        """The selection; None where nothing is said."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self._fields}
        selection = ZoteroSelection(**values)
        return None if selection == ZoteroSelection() else selection


@dataclass(frozen=True, kw_only=True)
class CollectionsRequest(LibrariesRequest):
    """Which collections of Zotero are meant."""

    collections: Annotated[
        Sequence[str] | str,
        flag("--collection", metavar="PATH|KEY"),
        Served(key="collection"),
        doc("Only items in this collection, e.g. `Papers/Julia`; of several, any may match."),
    ] = ()
    subcollections: Annotated[bool, doc("Include subcollections.")] = False


@dataclass(frozen=True, kw_only=True)
class SelectionRequest(CollectionsRequest):
    """Which items of Zotero are meant."""

    tags: Annotated[
        Sequence[str] | str,
        flag("--tag", metavar="TAG"),
        Served(key="tag"),
        doc("Only items with this tag; of several, all must match."),
    ] = ()
    exclude_tags: Annotated[
        Sequence[str] | str,
        Called("tag to exclude"),
        flag("--exclude-tag", metavar="TAG"),
        Served(key="exclude_tag"),
        doc("No items with this tag."),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class MarksRequest(Request):
    """Whether what readers wrote in Zotero is ingested."""

    annotations: Annotated[
        bool | None,
        doc(
            "Ingest annotations as passages of their own; by default as in the project's selection."
        ),
    ] = None
    notes: Annotated[
        bool | None,
        doc("Ingest notes as passages of their own; by default as in the project's selection."),
    ] = None


class ZoteroKind(StrEnum):
    """What can be looked for in Zotero."""

    ITEMS = "items"
    COLLECTIONS = "collections"
    TAGS = "tags"
    ANNOTATIONS = "annotations"


@dataclass(frozen=True, kw_only=True)
class ZoteroSearchRequest(Request):
    """What to look for among the items of a project's selection."""

    what: Annotated[ZoteroKind | str, doc("What to look for.")] = ZoteroKind.ITEMS
    text: Annotated[str, doc("Only what has this text.")] = ""
    collection: Annotated[
        str | None,
        Brief("Its path or key."),
        doc("Only what is in this collection, by its path or key."),
    ] = None
    item: Annotated[
        str | None, Brief("The key of one."), doc("Only the item with this key, or what is in it.")
    ] = None
