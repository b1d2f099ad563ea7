"""The Zotero selection of a project."""

from __future__ import annotations

from pydantic import Field

from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.settings.values import Table, Texts


class ZoteroSelectionTable(Table):
    """Selects items in any of the collections, with all tags and no excluded tag."""

    library: Texts = Field(
        default=(),
        examples=[["library"]],
        description="`library` (your own, the default), a group's name, `groups/ID`, or `all`.",
    )
    collections: Texts = Field(
        default=(),
        examples=[["Papers/Tides"]],
        description="Paths or keys of collections, a slash within a name as `\\\\/`. "
        "Unset, the whole library.",
    )
    subcollections: bool = Field(default=False, description="Whether subcollections are included.")
    tags: Texts = Field(default=(), examples=[["coast"]], description="Tags an item must have.")
    exclude_tags: Texts = Field(
        default=(), examples=[["draft"]], description="Tags an item must not have."
    )

    annotations: bool = Field(
        default=False, description="Whether annotations become passages of their own."
    )
    notes: bool = Field(default=False, description="Whether notes become passages of their own.")

    def selection(self) -> ZoteroSelection:
        """The domain's selection."""
        return self.made_into(ZoteroSelection, libraries=self.library)
