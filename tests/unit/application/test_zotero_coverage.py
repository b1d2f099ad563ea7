"""How much of Zotero a project has indexed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.zotero.coverage import CoveredPlace, cover_zotero
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import NotFound
from citeloom.domain.zotero.items import ZoteroSavedSearch
from citeloom.domain.zotero.selection import ZoteroSelection
from tests.fakes.zotero_contents import OWN
from tests.fakes.zotero_library import MemoryZotero
from tests.unit.application.test_zotero_browse import GROUP, NESTED, SHARED

SEARCHES = (
    ZoteroSavedSearch(
        library=OWN, key="SRCHTIDE", name="Tidal", found=frozenset({"ITEMNEAP", "ITEMSPRI", "GONE"})
    ),
    ZoteroSavedSearch(library=OWN, key="SRCHODD", name="Odd", refusal="it asks for a colour"),
)
ZOTERO = MemoryZotero(replace(NESTED, searches=SEARCHES), SHARED)


def entry(item: str | None, library: str | None = "library", **fields: str) -> ManifestEntry:
    status = Status(fields.get("status", "indexed"))
    return ManifestEntry(
        project_id="lab/one",
        path=f"{library}/{item}.pdf",
        status=status,
        zotero_library=library,
        attachment_key=None,
        item_key=item,
    )


NEAP = entry("ITEMNEAP")


def test_items_count_once_in_each_collection_above_them() -> None:
    covered = cover_zotero(ZOTERO, [NEAP, NEAP], None).libraries[0]
    assert (covered.items, covered.indexed, covered.is_selected) == (2, 1, False)
    assert covered.collections == (
        CoveredPlace(key="COLLBARE", path=("Bare",), items=0, indexed=0, is_selected=False),
        CoveredPlace(key="COLLPAPE", path=("Papers",), items=2, indexed=1, is_selected=False),
        CoveredPlace(
            key="COLLTIDE", path=("Papers", "Tides"), items=2, indexed=1, is_selected=False
        ),
    )


def test_what_failed_or_is_of_elsewhere_is_not_indexed() -> None:
    others = [
        entry("ITEMSPRI", status="failed"),
        entry("ITEMSPRI", "groups/71"),
        entry(None),
        entry("ITEMSPRI", None),
    ]
    assert cover_zotero(ZOTERO, others, None).libraries[0].indexed == 0


def test_saved_searches_are_counted_or_say_why_not() -> None:
    odd, tidal = cover_zotero(ZOTERO, [NEAP], None).libraries[0].searches
    assert (odd.path, odd.items, odd.refusal) == (("Odd",), 0, "it asks for a colour")
    assert (tidal.items, tidal.indexed, tidal.is_selected) == (2, 1, False)


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (ZoteroSelection(), {"library"}),
        (ZoteroSelection(collections=("Papers",)), {"COLLPAPE"}),
        (
            ZoteroSelection(collections=("Papers",), subcollections=True),
            {"COLLPAPE", "COLLTIDE"},
        ),
        (ZoteroSelection(saved_searches=("Tidal",)), {"SRCHTIDE"}),
        (ZoteroSelection(libraries=("groups/71",)), {"groups/71"}),
        (None, set()),
    ],
)
def test_what_the_project_selects_is_marked(
    selection: ZoteroSelection | None, expected: set[str]
) -> None:
    covered = cover_zotero(ZOTERO, [], selection, ("all",)).libraries
    places = [place for each in covered for place in (*each.collections, *each.searches)]
    marked = {place.key for place in places if place.is_selected}
    assert marked | {each.library.path for each in covered if each.is_selected} == expected


def test_libraries_are_those_of_the_selection_or_those_named() -> None:
    own = cover_zotero(ZOTERO, [], None)
    assert ([each.library for each in own.libraries], own.others) == ([OWN], (GROUP,))
    selected = cover_zotero(ZOTERO, [], ZoteroSelection(libraries=("Coast group",)))
    assert ([each.library for each in selected.libraries], selected.others) == ([GROUP], (OWN,))
    assert cover_zotero(ZOTERO, [], None, ("groups/71",)).libraries[0].items == 1
    with pytest.raises(NotFound):
        cover_zotero(ZOTERO, [], None, ("groups/72",))


def test_a_library_that_is_refused_is_named_beside_the_others() -> None:
    zotero = MemoryZotero(NESTED, SHARED)
    zotero.refused = frozenset({GROUP})
    own, group = cover_zotero(zotero, [], None, ("all",)).libraries
    assert (own.refused, own.items) == (False, 2)
    assert (group.refused, group.items) == (True, 0)
