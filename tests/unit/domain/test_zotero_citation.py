from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from citeloom.domain.zotero.csl_item import csl_item
from citeloom.domain.zotero.items import (
    Creator,
    ZoteroCollection,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroTag,
    citation_of,
    item_year,
)

OWN = ZoteroLibraryRef()


ITEM = ZoteroItem(
    library=OWN,
    key="TIDEAAA2",
    item_type="bookSection",
    fields={
        "title": "Mixing in <i>shallow</i> estuaries",
        "bookTitle": "Tides &amp; coasts",
        "date": "3 May 2019",
        "DOI": "https://doi.org/10.5555/TIDE.7",
        "language": "English",
        "pages": "12-31",
    },
    creators=(
        Creator(role="editor", family="Quint", given="Ben"),
        Creator(role="author", family="van der Moor", given="Ada"),
        Creator(role="author", family="Tide Survey", single=True),
    ),
    tags=(ZoteroTag(name="coast"), ZoteroTag(name="auto", automatic=True)),
    collections=("AAAAAAA3", "GONEAAA2"),
    citekey="moorMixing2019",
)
COLLECTIONS = {"AAAAAAA3": ZoteroCollection(library=OWN, key="AAAAAAA3", path=("Papers", "Tides"))}


def test_an_item_is_cited_with_what_its_fields_say() -> None:
    citation, flaws = citation_of(ITEM, COLLECTIONS)
    assert flaws == []
    assert (citation.citekey, citation.item_key) == ("moorMixing2019", "TIDEAAA2")
    assert citation.title == "Mixing in shallow estuaries"
    assert citation.authors == ("van der Moor, Ada", "Tide Survey")
    assert (citation.year, citation.doi, citation.language) == (2019, "10.5555/tide.7", "en")
    assert (citation.container, citation.pages) == ("Tides & coasts", "12-31")
    assert citation.tags == ("coast", "auto")
    assert citation.collections == ("Papers/Tides",)


def test_an_edited_book_is_cited_by_its_editors() -> None:
    item = replace(ITEM, creators=(Creator(role="editor", family="Quint", given="Ben"),))
    assert citation_of(item, {})[0].authors == ("Quint, Ben",)


def test_a_work_without_a_leading_creator_has_no_authors() -> None:
    item = replace(ITEM, creators=(Creator(role="translator", family="Quint"),))
    assert citation_of(item, {})[0].authors == ()


def test_an_item_without_a_citekey_gets_a_lasting_one_and_that_is_said() -> None:
    citation, flaws = citation_of(replace(ITEM, citekey=""), COLLECTIONS)
    assert citation.citekey == "vandermoor2019-TIDEAAA2"
    assert any("TIDEAAA2 has no citekey" in flaw for flaw in flaws)


def test_fields_in_extra_fill_what_is_missing() -> None:
    item = replace(ITEM, fields={"title": "Tides", "extra": "DOI: 10.5555/x.1\nissued: 2003"})
    citation, _ = citation_of(item, {})
    assert (citation.doi, citation.year) == ("10.5555/x.1", 2003)


@pytest.mark.parametrize(
    ("typed", "parsed"),
    [("12/05/99", 1999), ("Jan. '98", 1998), ("5.3.21", 2021), ("1200 (repr. 1987)", 1987)],
)
def test_the_year_that_zotero_parsed_is_taken(typed: str, parsed: int) -> None:
    item = replace(ITEM, fields={"title": "Tides", "date": typed}, parsed_year=parsed)
    citation, flaws = citation_of(item, {})
    assert citation.year == item_year(item) == parsed
    assert not any("usable year" in flaw for flaw in flaws)


@pytest.mark.parametrize("typed", ["12/05/99", "Jan. '98", "5.3.21", "1200 (repr. 1987)"])
def test_a_date_that_says_no_certain_year_has_none_where_zotero_parsed_none(typed: str) -> None:
    item = replace(ITEM, fields={"title": "Tides", "date": typed})
    assert citation_of(item, {})[0].year is None


@pytest.mark.parametrize(
    ("item_type", "role"),
    [
        ("artwork", "artist"),
        ("audioRecording", "performer"),
        ("bill", "sponsor"),
        ("case", "author"),
        ("computerProgram", "programmer"),
        ("film", "director"),
        ("hearing", "contributor"),
        ("interview", "interviewee"),
        ("journalArticle", "author"),
        ("map", "cartographer"),
        ("patent", "inventor"),
        ("podcast", "podcaster"),
        ("presentation", "presenter"),
        ("radioBroadcast", "creator"),
        ("radioBroadcast", "director"),
        ("tvBroadcast", "director"),
        ("videoRecording", "creator"),
        ("videoRecording", "director"),
    ],
)
def test_a_work_is_cited_by_the_primary_creators_of_its_type(item_type: str, role: str) -> None:
    others = ("author", "artist", "editor", "performer", "scriptwriter", "composer", "guest")
    creators = (
        *(Creator(role=other, family=other) for other in others if other != role),
        Creator(role=role, family="Quint"),
    )
    item = replace(ITEM, item_type=item_type, creators=creators)
    assert citation_of(item, {})[0].authors == ("Quint",)


def test_a_work_without_primary_creators_is_cited_by_who_edited_or_contributed() -> None:
    contributor = Creator(role="contributor", family="Fenn")
    item = replace(ITEM, item_type="film", creators=(contributor,))
    assert citation_of(item, {})[0].authors == ("Fenn",)


@pytest.mark.parametrize(
    ("item_type", "others", "expected"),
    [
        ("film", {"scriptwriter": "script-writer", "producer": "producer"}, "director"),
        ("tvBroadcast", {"castMember": "performer", "guest": "guest"}, "director"),
        ("hearing", {}, "contributor"),
        ("patent", {"attorneyAgent": ""}, "inventor"),
        ("bill", {"cosponsor": ""}, "sponsor"),
        ("podcast", {"guest": "guest"}, "podcaster"),
        ("audioRecording", {"composer": "composer"}, "performer"),
    ],
)
def test_only_those_who_lead_are_authors_of_the_exported_reference(
    item_type: str, others: dict[str, str], expected: str
) -> None:
    leading = Creator(role=expected, family="Fenn", given="Cleo")
    rest = tuple(Creator(role=role, family=role.title(), single=True) for role in others)
    item = replace(ITEM, item_type=item_type, creators=(*rest, leading))
    written = csl_item(item, citation_of(item, {})[0])
    assert written["author"] == [{"family": "Fenn", "given": "Cleo"}]
    for role, variable in others.items():
        if variable:
            assert written[variable] == [{"literal": role.title()}]
    assert role_names(written) == {"author", *filter(None, others.values())}


def role_names(written: dict[str, Any]) -> set[str]:
    """The variables that hold people."""
    return {
        name
        for name, value in written.items()
        if isinstance(value, list) and value and {"family", "literal"} & set(value[0])
    }
