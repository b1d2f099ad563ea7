from __future__ import annotations

import pytest

from citeloom.application.zotero.browse import Browse
from citeloom.domain.errors import NotFound
from citeloom.domain.zotero_selection import ZoteroSelection
from tests.fakes.zotero_contents import many_items
from tests.fakes.zotero_library import MemoryZotero


def test_collections_are_listed_by_path_with_their_items() -> None:
    listed = Browse(MemoryZotero(many_items(41))).collections(ZoteroSelection())
    assert [one.collection.name for one in listed] == [f"Shelf {n:02d}" for n in range(20)]
    assert [one.items for one in listed] == [3] + [2] * 19


def test_a_collection_there_is_not_is_an_error() -> None:
    browse = Browse(MemoryZotero(many_items(3)))
    with pytest.raises(NotFound, match="Tides"):
        browse.contents(ZoteroSelection(collections=("Shelf 01", "Tides")))
