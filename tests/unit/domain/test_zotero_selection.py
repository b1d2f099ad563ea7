from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.errors import NotFound
from citeloom.domain.zotero.items import (
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroSavedSearch,
    ZoteroTag,
)
from citeloom.domain.zotero.selection import (
    ZoteroSelection,
    chosen_collections,
    chosen_libraries,
    kept_by_key,
    only_below,
    renamed_collections,
    renamed_searches,
    selected_items,
    unknown_collections,
    unknown_searches,
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
    searches=(
        ZoteroSavedSearch(
            library=OWN, key="SEARCHA2", name="Recent", found=frozenset({"ITEMAAA2", "ITEMAAA5"})
        ),
        ZoteroSavedSearch(
            library=OWN, key="SEARCHA3", name="Unread", found=frozenset({"ITEMAAA3", "NOTEAAA2"})
        ),
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
        (ZoteroSelection(saved_searches=("recent ",)), "25"),
        (ZoteroSelection(saved_searches=("Recent", "SEARCHA3")), "235"),
        (ZoteroSelection(saved_searches=("Recent",), collections=("Papers",)), "2"),
        (ZoteroSelection(saved_searches=("Recent",), exclude_tags=("tide",)), "5"),
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


SLASHED = ZoteroContent(
    library=OWN,
    collections=(
        _collection("SLASHED2", "AI/ML"),
        _collection("SLASHED3", "Papers", "In/Out"),
        _collection("DEEPAAA2", "AI"),
    ),
    items=(_item("ITEMAAA2", "SLASHED2"), _item("ITEMAAA3", "SLASHED3"), _item("ITEMAAA4")),
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("AI/ML", "ITEMAAA2"),
        ("ai\\/ml", "ITEMAAA2"),
        ("Papers/In\\/Out", "ITEMAAA3"),
        ("Papers/In/Out", "ITEMAAA3"),
    ],
)
def test_a_collection_with_a_slash_in_its_name_can_be_named(name: str, key: str) -> None:
    selection = ZoteroSelection(collections=(name,))
    assert unknown_collections(selection, (SLASHED,)) == ()
    assert [item.key for item in selected_items(SLASHED, selection)] == [key]


def test_a_path_goes_before_a_name_that_looks_like_it() -> None:
    below = _collection("DEEPAAA3", "AI", "ML")
    content = replace(
        SLASHED,
        collections=(*SLASHED.collections, below),
        items=(*SLASHED.items, _item("ITEMAAA5", "DEEPAAA3")),
    )
    for name, key in (("AI/ML", "ITEMAAA5"), ("AI\\/ML", "ITEMAAA2")):
        selection = ZoteroSelection(collections=(name,))
        assert [item.key for item in selected_items(content, selection)] == [key]


@given(path=st.lists(st.text("abAB/", min_size=1, max_size=5), min_size=1, max_size=3))
def test_every_collection_is_named_by_its_path(path: list[str]) -> None:
    one = _collection("AAAAAAA2", *path)
    others = (_collection("AAAAAAA3", "/".join(path), "x"), _collection("AAAAAAA4", *path, "a"))
    content = replace(CONTENT, collections=(one, *others))
    selection = ZoteroSelection(collections=(one.full_name,))
    assert chosen_collections(selection, content) == frozenset({"AAAAAAA2"})


def test_a_selection_kept_by_key_outlives_changes_of_name() -> None:
    kept = kept_by_key(ZoteroSelection(collections=("papers",)), (CONTENT,))
    assert kept.collections == ("AAAAAAA2",)
    once, twice = (_with_papers_called(name) for name in ("Reading", "Read"))
    for content in (once, twice):
        assert [item.key for item in selected_items(content, kept)] == ["ITEMAAA2"]
    assert kept_by_key(kept, (once,)).called[-1].path == "Reading"


def test_a_name_that_was_written_down_is_found_again_after_two_changes() -> None:
    written = ZoteroSelection(collections=("Papers",))
    kept = kept_by_key(written, (CONTENT,))
    for name in ("Reading", "Read"):
        content, again = _with_papers_called(name), written.recalling(kept)
        assert chosen_collections(again, content) == frozenset({"AAAAAAA2"})
        assert renamed_collections(again, (content,)) == (("Papers", name),)
        kept = kept_by_key(again, (content,))


def test_a_collection_that_is_gone_is_told_by_its_last_name() -> None:
    kept = kept_by_key(ZoteroSelection(collections=("Papers",)), (CONTENT,))
    kept = kept_by_key(kept, (_with_papers_called("Reading"),))
    content = replace(CONTENT, collections=CONTENT.collections[2:])
    assert unknown_collections(kept, (content,)) == ("Reading",)


def _with_papers_called(name: str) -> ZoteroContent:
    return replace(CONTENT, collections=(_collection("AAAAAAA2", name), *CONTENT.collections[1:]))


def test_a_saved_search_kept_by_key_outlives_changes_of_name() -> None:
    written = ZoteroSelection(saved_searches=("Recent",), collections=("Papers",))
    kept = kept_by_key(written, (CONTENT,))
    assert (kept.collections, kept.saved_searches) == (("AAAAAAA2",), ("SEARCHA2",))
    for name in ("Newest", "Fresh"):
        content, again = _with_recent_called(name), written.recalling(kept)
        assert [item.key for item in selected_items(content, kept)] == ["ITEMAAA2"]
        assert [item.key for item in selected_items(content, again)] == ["ITEMAAA2"]
        assert renamed_searches(again, (content,)) == (("Recent", name),)
        assert renamed_searches(kept, (content,)) == ()
        kept = kept_by_key(again, (content,))
    assert unknown_searches(kept, (_with_recent_called(None),)) == ("Fresh",)


def test_a_saved_search_that_there_is_not_is_told() -> None:
    selection = ZoteroSelection(saved_searches=("Recent", "Newest"))
    assert unknown_searches(selection, (CONTENT,)) == ("Newest",)
    assert unknown_searches(selection, (replace(CONTENT, searches=None),)) == ("Recent", "Newest")


def _with_recent_called(name: str | None) -> ZoteroContent:
    recent, *others = CONTENT.searches or ()
    renamed = [replace(recent, name=name)] if name else []
    return replace(CONTENT, searches=(*renamed, *others))


def test_a_collection_whose_items_are_all_in_its_subcollections_is_named() -> None:
    below = replace(CONTENT, items=CONTENT.items[1:])
    papers = ZoteroSelection(collections=("papers", "Papers on tides"))
    assert only_below(papers, [below]) == ("papers",)
    assert only_below(papers, [CONTENT]) == ()
    assert only_below(replace(papers, subcollections=True), [below]) == ()
    assert only_below(ZoteroSelection(), [below]) == ()
