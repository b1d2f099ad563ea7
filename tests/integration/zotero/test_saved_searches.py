"""Saved searches in a Zotero database: what each condition finds, and which are refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from citeloom.domain.zotero.items import (
    WORKS,
    Creator,
    LinkMode,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroNote,
    ZoteroSavedSearch,
    ZoteroTag,
)
from citeloom.infrastructure.remote.retries import Timing
from citeloom.infrastructure.zotero.local import LocalZotero
from citeloom.infrastructure.zotero.local_api import LocalApiZotero
from citeloom.infrastructure.zotero.web_api import WebZotero
from tests.fakes.zotero_database import ZoteroDatabase
from tests.fakes.zotero_server import KEY, ZoteroServer, serving

OWN = ZoteroLibraryRef(name="My Library")
NOW = datetime.now(tz=UTC)
SHELF = ZoteroCollection(library=OWN, key="SHELF222", path=("Shelf",))
BOARD = ZoteroCollection(library=OWN, key="BOARD222", path=("Shelf", "Board"), parent="SHELF222")
DUNES = ZoteroItem(
    library=OWN,
    key="DUNES222",
    item_type="journalArticle",
    fields={
        "title": "Dünen und Deiche",
        "date": "2020-05-00 May 2020",
        "publicationTitle": "Coast_Letters",
        "DOI": "10.1000/d",
        "pages": "12",
        "language": "de",
    },
    creators=(Creator(role="author", family="Fenn", given="Cleo"),),
    tags=(ZoteroTag(name="Coast"),),
    collections=("SHELF222",),
    added=datetime(2024, 3, 2, 12, tzinfo=UTC),
    modified=NOW - timedelta(days=3),
)
MARSH = ZoteroItem(
    library=OWN,
    key="MARSH222",
    item_type="bookSection",
    fields={
        "title": "Marsh",
        "date": "1999-00-00 1999",
        "bookTitle": "Coast Works",
        "pages": "120-131",
    },
    creators=(Creator(role="editor", family="Coastal Office", single=True),),
    tags=(ZoteroTag(name="to read"),),
    collections=("BOARD222",),
    added=datetime(2025, 7, 9, 12, tzinfo=UTC),
    modified=NOW - timedelta(days=90),
)
BINNED = replace(DUNES, key="BINNED22")
FILE = ZoteroAttachment(
    library=OWN, key="FILE2222", parent="DUNES222", link_mode=LinkMode.IMPORTED_FILE, title="PDF"
)
NOTE = ZoteroNote(
    library=OWN,
    key="NOTE2222",
    parent="MARSH222",
    html='<div class="zotero-note znv1"><p>Tidal reach</p></div>',
)
CONTENT = ZoteroContent(
    library=OWN,
    collections=(SHELF, BOARD),
    items=(DUNES, MARSH, BINNED),
    attachments=(FILE,),
    notes=(NOTE,),
)
TOP = ("noChildren", "true", "")
TITLE = ("title", "contains", "a")
ANY = ("joinMode", "any", "")
Conditions = tuple[tuple[str, str, str], ...]
FOUND: list[tuple[Conditions, str]] = [
    ((), "DUNES MARSH FILE NOTE"),
    ((TOP,), "DUNES MARSH"),
    ((("title", "contains", "dÜNEN"),), "DUNES"),
    ((("title", "is", "dünen und deiche"),), ""),
    ((("title", "isNot", "Marsh"), TOP), "DUNES"),
    ((("title", "doesNotContain", "marsh"),), "DUNES FILE NOTE"),
    ((("title", "beginsWith", "mar"),), "MARSH"),
    ((("publicationTitle", "contains", "coast"),), "DUNES MARSH"),
    ((("publicationTitle", "contains", "coast_w"),), "MARSH"),
    ((("bookTitle", "contains", "coast"),), "MARSH"),
    ((("DOI", "is", "10.1000/d"),), "DUNES"),
    ((("language", "is", "de"),), "DUNES"),
    ((("creator", "contains", "cleo fe"),), "DUNES"),
    ((("creator", "is", "Coastal Office"),), "MARSH"),
    ((("author", "contains", "o"),), "DUNES"),
    ((("editor", "contains", "o"),), "MARSH"),
    ((("lastName", "is", "Fenn"),), "DUNES"),
    ((("tag", "is", "Coast"),), "DUNES"),
    ((("tag", "is", "coast"),), ""),
    ((("tag", "contains", "read"),), "MARSH"),
    ((("tag", "isNot", "Coast"), TOP), "MARSH"),
    ((("itemType", "is", "bookSection"),), "MARSH"),
    ((("itemType", "isNot", "bookSection"), TOP), "DUNES"),
    ((("year", "is", "2020"),), "DUNES"),
    ((("year", "contains", "19"),), "MARSH"),
    ((("date", "is", "2020"),), "DUNES"),
    ((("date", "is", "2020-05"),), "DUNES"),
    ((("date", "is", "2020-06"),), ""),
    ((("date", "isBefore", "2020"),), "MARSH"),
    ((("date", "isBefore", "2020-06"),), "DUNES MARSH"),
    ((("date", "isAfter", "1999"),), "DUNES"),
    ((("date", "isAfter", "2020"),), ""),
    ((("dateAdded", "is", "2024-03-02"),), "DUNES"),
    ((("dateAdded", "isAfter", "2024-12-31"), TOP), "MARSH"),
    ((("dateAdded", "isBefore", "2025-07-09 11:00:00"), TOP), "DUNES"),
    ((("dateAdded", "isBefore", "today"), TOP), "DUNES MARSH"),
    ((("dateModified", "isInTheLast", "30 days"),), "DUNES"),
    ((("dateModified", "isInTheLast", "6 months"), TOP), "DUNES MARSH"),
    ((("dateModified", "isInTheLast", "1 days"), TOP), ""),
    ((("pages", "isLessThan", "100"),), "DUNES"),
    ((("pages", "isGreaterThan", "100"),), ""),
    ((("note", "contains", "TIDAL"),), "NOTE"),
    ((("note", "contains", "zotero-note"),), ""),
    ((("childNote", "contains", "tidal"),), "MARSH"),
    ((("note", "contains", "tidal"), ("includeParents", "true", "")), "MARSH NOTE"),
    ((("title", "is", "Marsh"), ("includeChildren", "true", "")), "MARSH NOTE"),
    (
        (("title", "is", "PDF"), ("includeParentsAndChildren", "true", "")),
        "DUNES FILE",
    ),
    ((("title", "is", "PDF"), ("includeParentsAndChildren", "false", "")), "FILE"),
    ((("collection", "is", "SHELF222"),), "DUNES"),
    ((("collection", "is", "SHELF222"), ("recursive", "true", "")), "DUNES MARSH"),
    ((("collection", "isNot", "SHELF222"), TOP), "MARSH"),
    ((("collection", "is", "GONE2222"),), ""),
    ((("anyField", "contains", "office"),), "MARSH"),
    ((("anyField", "contains", "coast"), ("tag", "contains", "read")), "MARSH"),
    ((ANY, ("anyField", "contains", "tidal"), ("tag", "is", "Coast")), "DUNES NOTE"),
    ((("title", "is", "Marsh"), ("tag", "is", "Coast")), ""),
    ((ANY, ("title", "is", "Marsh"), ("tag", "is", "Coast")), "DUNES MARSH"),
    ((("deleted", "false", ""), ("title", "is", "Marsh")), "MARSH"),
]
"""What a search of these conditions finds, all keys without their last digits."""


@pytest.fixture
def database(tmp_path: Path) -> ZoteroDatabase:
    made = ZoteroDatabase(tmp_path)
    made.write(CONTENT)
    made.special("publicationTitle", "bookTitle")
    made.bin(0, "BINNED22")
    return made


def searches(database: ZoteroDatabase) -> tuple[ZoteroSavedSearch, ...]:
    database.close()
    read = LocalZotero(database.path.parent).read(OWN, replace(WORKS, searches=True))
    assert read.searches is not None
    return read.searches


def run(database: ZoteroDatabase, *conditions: tuple[str, str, str]) -> ZoteroSavedSearch:
    database.save_search(0, "SEARCH22", "Mine", *conditions)
    return next(each for each in searches(database) if each.key == "SEARCH22")


@pytest.mark.parametrize(("conditions", "found"), FOUND)
def test_a_search_finds_what_meets_its_conditions(
    database: ZoteroDatabase, conditions: Conditions, found: str
) -> None:
    search = run(database, *conditions)
    assert search.refusal == ""
    assert search.found == {name.ljust(8, "2") for name in found.split()}


def served(server: ZoteroServer, *conditions: tuple[str, str, str]) -> None:
    """Serve the content, its dates as the API has them, and a search."""
    library = server.put(CONTENT)
    library.items["BINNED22"]["data"]["deleted"] = 1
    for entry in library.items.values():
        if date := entry["data"].get("date"):
            day, _, entry["data"]["date"] = date.partition(" ")
            entry["meta"]["parsedDate"] = day.replace("-00", "")
    names = ("condition", "operator", "value")
    written = [dict(zip(names, condition)) for condition in conditions]
    data = {"key": "SEARCH22", "name": "Mine", "conditions": written}
    library.searches["SEARCH22"] = {"key": "SEARCH22", "version": 1, "data": data}


def over_api(*conditions: tuple[str, str, str]) -> ZoteroSavedSearch:
    with serving(ZoteroServer(local=True)) as server:
        served(server, *conditions)
        read = LocalApiZotero(server.url).read(OWN, replace(WORKS, searches=True))
    [search] = read.searches or ()
    return search


@pytest.mark.parametrize(("conditions", "found"), FOUND)
def test_over_an_api_a_search_finds_the_same(conditions: Conditions, found: str) -> None:
    search = over_api(*conditions)
    assert search.refusal == ""
    assert search.found == {name.ljust(8, "2") for name in found.split()}


def test_the_web_is_asked_for_searches_where_they_are_needed(tmp_path: Path) -> None:
    with serving(ZoteroServer()) as server:
        served(server, ("date", "isAfter", "2020-04"), TOP)
        zotero = WebZotero(KEY, tmp_path, url=server.url, timing=Timing(sleep=lambda *_: None))
        assert zotero.read(OWN, WORKS).searches is None
        assert not [request for request in server.requests if "searches" in request]
        [search] = zotero.read(OWN, replace(WORKS, searches=True)).searches or ()
        assert search.name == "Mine"
        assert search.found == {"DUNES222"}
        server.libraries[0].searches["SEARCH22"]["data"]["deleted"] = 1
        assert zotero.read(OWN, replace(WORKS, searches=True)).searches == ()


@pytest.mark.parametrize(
    ("condition", "named"),
    [
        (("fulltextContent", "contains", "tide"), "fulltextContent contains 'tide'"),
        (("fileTypeID", "is", "2"), "fileTypeID is '2'"),
        (("unfiled", "true", ""), "unfiled true"),
        (("title", "isLessThan", "2"), "title isLessThan '2'"),
        (("collection", "contains", "Shelf"), "collection contains 'Shelf'"),
        (("savedSearch", "contains", "Mine"), "savedSearch contains 'Mine'"),
        (("date", "isBefore", "next spring"), "date isBefore 'next spring'"),
        (("dateAdded", "isInTheLast", "fortnight"), "dateAdded isInTheLast 'fortnight'"),
    ],
)
def test_any_other_condition_is_refused_by_name(
    database: ZoteroDatabase, condition: tuple[str, str, str], named: str
) -> None:
    for search in (run(database, TITLE, condition), over_api(TITLE, condition)):
        assert not search.found
        assert f"condition {named}" in search.refusal


def test_a_required_condition_is_met_beside_any_of_the_others(database: ZoteroDatabase) -> None:
    database.save_search(
        0, "SEARCH22", "Mine", ANY, ("tag", "is", "Coast"), ("tag", "is", "to read"), TOP
    )
    database.connection.execute(
        "insert into savedSearchConditions values (1, 9, 'year', 'is', '1999', 1)"
    )
    (search,) = searches(database)
    assert search.found == {"MARSH222"}


def test_a_search_may_be_made_of_another(database: ZoteroDatabase) -> None:
    database.save_search(0, "OTHER222", "Other", ("tag", "is", "Coast"))
    within = ("savedSearch", "is", "OTHER222")
    database.save_search(0, "SAME2222", "Same", within)
    database.save_search(0, "NOTSAME2", "Not", ("savedSearch", "isNot", "OTHER222"), TOP)
    database.save_search(0, "GONE2222", "Gone", ("savedSearch", "isNot", "NONE2222"))
    database.save_search(0, "ITSELF22", "Self", ("savedSearch", "is", "ITSELF22"), TOP)
    database.save_search(0, "ROUND222", "Round", ("savedSearch", "is", "ROUND333"))
    database.save_search(0, "ROUND333", "Back", ("savedSearch", "is", "ROUND222"))
    read = {each.key: each for each in searches(database)}
    assert read["SAME2222"].found == {"DUNES222"}
    assert read["NOTSAME2"].found == {"MARSH222"}
    assert read["GONE2222"].found == set()
    assert read["ITSELF22"].found == {"DUNES222", "MARSH222"}
    for key in ("ROUND222", "ROUND333"):
        assert "that search is made of this one" in read[key].refusal


def test_what_searches_find_is_not_kept_and_trashed_ones_are_not_read(
    database: ZoteroDatabase,
) -> None:
    database.save_search(0, "SEARCH22", "Mine")
    database.save_search(0, "BINNED33", "Binned")
    database.connection.execute("insert into deletedSearches(savedSearchID) values (2)")
    database.close()
    zotero = LocalZotero(database.path.parent)
    scope = replace(WORKS, searches=True)
    first, again = zotero.read(OWN, scope), zotero.read(OWN, scope)
    assert [search.key for search in first.searches or ()] == ["SEARCH22"]
    assert first is not again
    assert zotero.read(OWN, WORKS).searches is None
