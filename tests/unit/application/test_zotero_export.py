"""Zotero's items as references for other programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.zotero.export import export_references
from citeloom.domain.errors import NotFound
from citeloom.domain.zotero.csl_item import GENERATED, csl_item
from citeloom.domain.zotero.items import Creator, ZoteroContent, ZoteroItem, citation_of
from citeloom.domain.zotero.selection import ZoteroSelection
from tests.fakes.zotero_contents import OWN
from tests.fakes.zotero_library import MemoryZotero

EVERY = ZoteroSelection(libraries=("all",))
NEAP = ZoteroItem(
    library=OWN,
    key="ITEMNEAP",
    item_type="bookSection",
    fields={"title": "Neap", "bookTitle": "Tides", "date": "3 May 1999", "extra": "tex.ids: neap"},
    creators=(
        Creator(role="author", family="Holm", given="Ada"),
        Creator(role="author", family="Tide Survey", single=True),
        Creator(role="editor", family="Okafor", given="Chi"),
    ),
    citekey="holmNeap1999",
)
SPRING = ZoteroItem(library=OWN, key="ITEMSPRI", item_type="none", fields={"title": "Spring"})


def zotero(*items: ZoteroItem) -> MemoryZotero:
    return MemoryZotero(ZoteroContent(library=OWN, items=items))


def test_an_item_has_its_people_by_role_and_its_date() -> None:
    made = csl_item(NEAP, citation_of(NEAP, {})[0])
    assert made["author"] == [{"family": "Holm", "given": "Ada"}, {"literal": "Tide Survey"}]
    assert made["editor"] == [{"family": "Okafor", "given": "Chi"}]
    assert (made["type"], made["container-title"]) == ("chapter", "Tides")
    assert "keyword" not in made


@pytest.mark.parametrize(
    ("date", "parts"),
    [
        ("3 May 1999", [1999, 5, 3]),
        ("May 1999", [1999, 5]),
        ("1999-05-03", [1999, 5, 3]),
        ("1999-05", [1999, 5]),
        ("1999-13-03", [1999]),
        ("1999", [1999]),
    ],
)
def test_a_date_has_what_is_written_of_it(date: str, parts: list[int]) -> None:
    item = replace(NEAP, fields={"title": "Neap", "date": date})
    assert csl_item(item, citation_of(item, {})[0])["issued"] == {"date-parts": [parts]}


def test_a_generated_citekey_is_marked_and_an_unknown_type_is_a_document() -> None:
    export = export_references(zotero(SPRING, NEAP), EVERY)
    spring = next(item for item in export.items if item["title"] == "Spring")
    assert (spring["type"], spring["keyword"]) == ("document", GENERATED)
    assert "issued" not in spring
    assert export.generated == (spring["id"],)


def test_a_citekey_of_two_items_is_exported_once() -> None:
    again = replace(NEAP, key="ITEMNEA2")
    export = export_references(zotero(NEAP, again), EVERY)
    assert [item["id"] for item in export.items] == ["holmNeap1999"]
    assert export.repeated == ("holmNeap1999",)


def test_references_are_chosen_by_citekey_or_alias() -> None:
    export = export_references(zotero(NEAP, SPRING), EVERY, ["@neap", "holmNeap1999", "neap"])
    assert [item["id"] for item in export.items] == ["neap", "holmNeap1999"]
    with pytest.raises(NotFound, match="holmNaep1999") as refused:
        export_references(zotero(NEAP), EVERY, ["holmNaep1999"])
    assert "holmNeap1999" in (refused.value.hint or "")
