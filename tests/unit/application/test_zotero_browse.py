from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.application.zotero.browse import Browse, ItemOrder, read_selected
from citeloom.domain.errors import InvalidFilter, LibraryRefused, NotFound, SourceUnavailable
from citeloom.domain.zotero.items import (
    AnnotationType,
    Creator,
    LinkMode,
    ZoteroAnnotation,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroSavedSearch,
    ZoteroTag,
)
from citeloom.domain.zotero.selection import ZoteroSelection
from tests.fakes.zotero_contents import OWN, many_items
from tests.fakes.zotero_library import MemoryZotero

GROUP = ZoteroLibraryRef(group_id=71, name="Coast group")
EVERY = ZoteroSelection(libraries=("all",))
NESTED = ZoteroContent(
    library=OWN,
    collections=(
        ZoteroCollection(library=OWN, key="COLLTIDE", path=("Papers", "Tides"), parent="COLLPAPE"),
        ZoteroCollection(library=OWN, key="COLLPAPE", path=("Papers",)),
        ZoteroCollection(library=OWN, key="COLLBARE", path=("Bare",)),
    ),
    items=(
        ZoteroItem(
            library=OWN,
            key="ITEMNEAP",
            item_type="book",
            fields={"title": "Neap", "date": "3 May 1999"},
            creators=(
                Creator(role="translator", family="Holm", given="Ada"),
                Creator(role="editor", family="Okafor", given="Chi"),
            ),
            tags=(ZoteroTag(name="tides", automatic=True), ZoteroTag(name="moon")),
            collections=("COLLTIDE", "COLLPAPE", "COLLGONE"),
            added=datetime(2024, 3, 1, tzinfo=UTC),
        ),
        ZoteroItem(
            library=OWN,
            key="ITEMSPRI",
            item_type="book",
            fields={"title": "Spring"},
            tags=(ZoteroTag(name="tides"),),
            collections=("COLLTIDE",),
            citekey="zander2001",
            modified=datetime(2025, 3, 1, tzinfo=UTC),
        ),
    ),
    attachments=tuple(
        ZoteroAttachment(library=OWN, key=key, parent=parent, link_mode=mode)
        for key, parent, mode in (
            ("FILENEAP", "ITEMNEAP", LinkMode.IMPORTED_FILE),
            ("LINKNEAP", "ITEMNEAP", LinkMode.LINKED_URL),
            ("PICTNEAP", "ITEMNEAP", LinkMode.EMBEDDED_IMAGE),
            ("FILELONE", None, LinkMode.IMPORTED_FILE),
        )
    ),
)
SHARED = ZoteroContent(
    library=GROUP,
    items=(
        ZoteroItem(
            library=GROUP,
            key="ITEMNEAP",
            item_type="report",
            fields={"title": "Marsh"},
            tags=(ZoteroTag(name="tides"),),
            citekey="Abel2010",
        ),
    ),
)


def keys(browse: Browse, selection: ZoteroSelection = EVERY, **options: object) -> list[str]:
    search, order = options.get("search"), options.get("order", ItemOrder.CITEKEY)
    assert search is None or isinstance(search, str)
    assert isinstance(order, ItemOrder)
    return [one.item.title for one in browse.items(selection, search=search, order=order)]


@pytest.fixture
def browse() -> Browse:
    return Browse(lambda: MemoryZotero(NESTED, SHARED))


def test_collections_are_listed_by_path_with_their_items() -> None:
    listed = Browse(lambda: MemoryZotero(many_items(41))).collections(ZoteroSelection())
    assert [one.collection.name for one in listed] == [f"Shelf {n:02d}" for n in range(20)]
    assert [one.items for one in listed] == [3] + [2] * 19


def test_an_item_counts_once_among_those_below_a_collection(browse: Browse) -> None:
    listed = browse.collections(EVERY)
    assert [(one.collection.key, one.items, one.items_below) for one in listed] == [
        ("COLLBARE", 0, 0),
        ("COLLPAPE", 1, 2),
        ("COLLTIDE", 2, 2),
    ]


def test_a_collection_there_is_not_is_an_error() -> None:
    browse = Browse(lambda: MemoryZotero(many_items(3)))
    with pytest.raises(NotFound, match="Tides"):
        browse.contents(ZoteroSelection(collections=("Shelf 01", "Tides")))


def test_items_are_selected_by_a_saved_search() -> None:
    browse = _with_searches(
        ZoteroSavedSearch(library=OWN, key="SEARCH22", name="Mine", found=frozenset({"ITEMNEAP"}))
    )
    assert keys(browse, ZoteroSelection(saved_searches=("mine",))) == ["Neap"]
    with pytest.raises(NotFound, match="no saved search 'Yours'") as caught:
        keys(browse, ZoteroSelection(saved_searches=("Yours",)))
    assert caught.value.hint == "There are: Mine."
    with pytest.raises(NotFound) as caught:
        keys(_with_searches(), ZoteroSelection(saved_searches=("Mine",)))
    assert caught.value.hint == "There are none in the selected libraries."


def test_a_saved_search_that_cannot_be_run_is_refused_only_where_it_is_selected() -> None:
    why = "its condition unfiled true cannot be run"
    browse = _with_searches(
        ZoteroSavedSearch(library=OWN, key="SEARCH22", name="Mine", refusal=why),
        ZoteroSavedSearch(library=OWN, key="SEARCH33", name="Yours"),
    )
    assert keys(browse, ZoteroSelection(saved_searches=("Yours",))) == []
    with pytest.raises(InvalidFilter, match=why):
        keys(browse, ZoteroSelection(saved_searches=("Mine",)))


def _with_searches(*searches: ZoteroSavedSearch) -> Browse:
    return Browse(lambda: MemoryZotero(replace(NESTED, searches=searches)))


def test_items_come_by_citekey_those_without_one_last(browse: Browse) -> None:
    assert keys(browse) == ["Marsh", "Spring", "Neap"]


def test_an_item_is_listed_with_its_year_people_files_and_collections(browse: Browse) -> None:
    (neap,) = browse.items(ZoteroSelection(), search="neap")
    assert neap.year == 1999
    assert [creator.family for creator in neap.creators] == ["Okafor"]
    assert [attachment.key for attachment in neap.attachments] == ["FILENEAP", "LINKNEAP"]
    assert neap.collections == ("Papers/Tides", "Papers")


@pytest.mark.parametrize(
    ("search", "titles"),
    [("SPRING", ["Spring"]), ("holm, a", ["Neap"]), ("abel", ["Marsh"]), ("kelp", [])],
)
def test_a_search_looks_at_title_people_and_citekey(
    browse: Browse, search: str, titles: list[str]
) -> None:
    assert keys(browse, search=search) == titles


def test_the_newest_come_first_and_those_without_a_time_last(browse: Browse) -> None:
    assert keys(browse, order=ItemOrder.ADDED)[0] == "Neap"
    assert keys(browse, order=ItemOrder.MODIFIED)[0] == "Spring"
    (last,) = browse.items(EVERY, order=ItemOrder.ADDED)[:1]
    assert last.item.title == "Neap"


def test_items_are_selected_by_collection_and_tag(browse: Browse) -> None:
    assert keys(browse, ZoteroSelection(collections=("Papers",))) == ["Neap"]
    below = ZoteroSelection(collections=("Papers",), subcollections=True, exclude_tags=("moon",))
    assert keys(browse, below) == ["Spring"]


def test_tags_come_by_frequency_a_library_at_a_time_and_say_where_they_are_from(
    browse: Browse,
) -> None:
    listed = [(tag.library.path, tag.name, tag.items, tag.automatic) for tag in browse.tags(EVERY)]
    assert listed == [
        ("library", "tides", 2, 1),
        ("library", "moon", 1, 0),
        ("groups/71", "tides", 1, 0),
    ]
    assert [tag.name for tag in browse.tags(EVERY, search="MOO")] == ["moon"]
    assert len(browse.tags(EVERY, limit=2)) == 2


@pytest.mark.parametrize("search", ["", " "])
def test_an_empty_search_is_an_error_before_zotero_is_asked(search: str) -> None:
    def unreachable() -> ZoteroLibrary:
        raise SourceUnavailable("Zotero is not on this machine")

    browse = Browse(unreachable)
    with pytest.raises(InvalidFilter, match="the search text is empty"):
        browse.items(EVERY, search=search)
    with pytest.raises(InvalidFilter, match="the search text is empty"):
        browse.tags(EVERY, search=search)


@pytest.mark.parametrize(
    ("selection", "paths"),
    [
        (ZoteroSelection(), [("Bare",), ("Papers",), ("Papers", "Tides")]),
        (ZoteroSelection(collections=("Papers",)), [("Papers",)]),
        (
            ZoteroSelection(collections=("Papers",), subcollections=True),
            [("Papers",), ("Papers", "Tides")],
        ),
    ],
)
def test_collections_can_be_listed_within_the_selection_alone(
    selection: ZoteroSelection, paths: list[tuple[str, ...]]
) -> None:
    listed = Browse(lambda: MemoryZotero(NESTED)).collections(selection, selected_only=True)
    assert [one.collection.path for one in listed] == paths


@pytest.mark.parametrize(
    ("collection", "titles"),
    [
        ("Papers", ["Spring", "Neap"]),
        ("papers / tides", ["Spring", "Neap"]),
        ("COLLTIDE", ["Spring", "Neap"]),
        ("Bare", []),
    ],
)
def test_items_of_a_collection_and_those_below_it(
    browse: Browse, collection: str, titles: list[str]
) -> None:
    found = browse.items(ZoteroSelection(), collection=collection)
    assert [one.item.title for one in found] == titles


def test_an_unknown_collection_is_not_found(browse: Browse) -> None:
    with pytest.raises(NotFound, match="no collection 'Tides'"):
        browse.items(ZoteroSelection(), collection="Tides")


def test_annotations_stand_in_order_under_their_items() -> None:
    def mark(
        key: str, attachment: str, sort_index: str, text: str, comment: str = ""
    ) -> ZoteroAnnotation:
        return ZoteroAnnotation(
            library=OWN,
            key=key,
            attachment=attachment,
            type=AnnotationType.HIGHLIGHT,
            sort_index=sort_index,
            text=text,
            comment=comment,
        )

    marks = (
        mark("LATE", "FILENEAP", "00002", "An ebb"),
        mark("SOON", "FILENEAP", "00001", "A flood", "Which EBB?"),
        mark("LOST", "FILELONE", "00001", "Nobody's ebb"),
    )
    browse = Browse(lambda: MemoryZotero(replace(NESTED, annotations=marks)))

    def keys_of(**narrowed: Any) -> list[str]:
        found = browse.annotations(ZoteroSelection(), **narrowed)
        assert {one.item.title for one in found} <= {"Neap"}
        return [one.annotation.key for one in found]

    assert keys_of() == ["SOON", "LATE"]
    assert keys_of(search="ebb") == ["SOON", "LATE"]
    assert keys_of(search="flood", item="ITEMNEAP") == ["SOON"]
    assert keys_of(item="ITEMSPRI") == keys_of(collection="Bare") == []
    neap = browse.items(ZoteroSelection(), item="ITEMNEAP")
    assert [len(one.annotations) for one in neap] == [2]


def test_a_collection_may_be_in_a_library_that_is_refused() -> None:
    zotero = MemoryZotero(ZoteroContent(library=OWN), ZoteroContent(library=GROUP))
    zotero.refused = frozenset({GROUP})
    assert [content.refused for content in read_selected(zotero, EVERY)] == [False, True]
    for selection in (
        replace(EVERY, collections=("Papers",)),
        ZoteroSelection(libraries=("Coast group",)),
    ):
        with pytest.raises(LibraryRefused):
            read_selected(zotero, selection)
