"""The Zotero selection of a project."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.settings.values import Table, Text, one_or_many

_Texts = Annotated[tuple[Text, ...], BeforeValidator(one_or_many)]


class ZoteroSelectionTable(Table):
    """Selects items in any of the collections, with all tags and no excluded tag."""

    library: _Texts = Field(
        default=(),
        examples=[["library"]],
        description="`library` (your own, the default), a group's name, `groups/ID`, or `all`.",
    )
    collections: _Texts = Field(
        default=(),
        examples=[["Papers/Tides"]],
        description="Paths or keys of collections, a slash within a name as `\\\\/`. "
        "Unset, the whole library.",
    )
    subcollections: bool = Field(default=False, description="Whether subcollections are included.")
    tags: _Texts = Field(default=(), examples=[["coast"]], description="Tags an item must have.")
    exclude_tags: _Texts = Field(
        default=(), examples=[["draft"]], description="Tags an item must not have."
    )

    annotations: bool = Field(
        default=False, description="Whether annotations become passages of their own."
    )
    notes: bool = Field(default=False, description="Whether notes become passages of their own.")

    def selection(self) -> ZoteroSelection:
        """The domain's selection."""
        return ZoteroSelection(
            libraries=self.library,
            collections=self.collections,
            subcollections=self.subcollections,
            tags=self.tags,
            exclude_tags=self.exclude_tags,
            annotations=self.annotations,
            notes=self.notes,
        )
