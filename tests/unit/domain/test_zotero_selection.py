from __future__ import annotations

import pytest

from citeloom.domain.errors import NotFound
from citeloom.domain.zotero import (
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroTag,
)
from citeloom.domain.zotero_selection import (
    ZoteroSelection,
    chosen_libraries,
    selected_items,
    unknown_collections,
)

OWN = ZoteroLibraryRef(name="My Library")
GROUP = ZoteroLibraryRef(group_id=77, name="Tide readers")


def _collection(key: str, *path: str) -> ZoteroCollection:
    return ZoteroCollection(library=OWN, key=key, path=path)


def _item(key: str, *collections: str, tags: tuple[str, ...] = ()) -> ZoteroItem:
    return ZoteroItem(
        library=OWN,
        key=key,
        item_type="journalArticle",
        collections=collections,
        tags=tuple(ZoteroTag(name=tag) for tag in tags),
    )


CONTENT = ZoteroContent(
    library=OWN,
    collections=(
        _collection("AAAAAAA2", "Papers"),
        _collection("AAAAAAA3", "Papers", "Tides"),
        _collection("AAAAAAA4", "Papers on tides"),
    ),
    items=(
        _item("ITEMAAA2", "AAAAAAA2", tags=("tide",)),
        _item("ITEMAAA3", "AAAAAAA3", tags=("Tide", "to read")),
        _item("ITEMAAA4", "AAAAAAA4"),
        _item("ITEMAAA5"),
    ),
)


@pytest.mark.parametrize(
    ("selection", "keys"),
    [
        (ZoteroSelection(), "2345"),
        (ZoteroSelection(collections=("Papers",)), "2"),
        (ZoteroSelection(collections=("AAAAAAA2",)), "2"),
        (ZoteroSelection(collections=("papers/tides",)), "3"),
        (ZoteroSelection(collections=("Papers",), subcollections=True), "23"),
        (ZoteroSelection(collections=("Papers", "AAAAAAA4")), "24"),
        (ZoteroSelection(tags=("tide",)), "23"),
        (ZoteroSelection(tags=("tide", "To Read")), "3"),
        (ZoteroSelection(exclude_tags=("to read",)), "245"),
    ],
)
def test_items_are_chosen_by_collection_and_tag(selection: ZoteroSelection, keys: str) -> None:
    assert "".join(item.key[-1] for item in selected_items(CONTENT, selection)) == keys


def test_a_collection_no_library_has_is_named() -> None:
    selection = ZoteroSelection(collections=("Papers", "Paper", "Tides"))
    assert unknown_collections(selection, [CONTENT]) == ("Paper", "Tides")


@pytest.mark.parametrize(
    ("names", "libraries"),
    [
        ((), (OWN,)),
        (("library",), (OWN,)),
        (("groups/77",), (GROUP,)),
        (("tide readers", "library"), (GROUP, OWN)),
        (("all",), (OWN, GROUP)),
    ],
)
def test_libraries_are_known_by_name_and_path(
    names: tuple[str, ...], libraries: tuple[ZoteroLibraryRef, ...]
) -> None:
    assert chosen_libraries(ZoteroSelection(libraries=names), (OWN, GROUP)) == libraries


def test_a_library_there_is_not_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(NotFound) as error:
        chosen_libraries(ZoteroSelection(libraries=("Tides",)), (OWN, GROUP))
    assert "Tide readers" in error.value.hint
