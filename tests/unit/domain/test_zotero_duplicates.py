"""Which items of a library are the same work."""

from __future__ import annotations

from typing import Any

import pytest

from citeloom.domain.zotero.duplicates import duplicates_in
from citeloom.domain.zotero.items import Creator, ZoteroItem
from tests.fakes.zotero_contents import OWN

HOLM = Creator(role="author", family="Holm", given="Ada")


def item(key: str, kind: str = "book", **more: Any) -> ZoteroItem:
    fields: dict[str, str] = {
        name: more.pop(name) for name in ("title", "DOI", "ISBN") if name in more
    }
    made: dict[str, Any] = {"creators": (HOLM,), "parsed_year": 1999} | more
    return ZoteroItem(library=OWN, key=key, item_type=kind, fields=fields, **made)


def keys(*items: ZoteroItem) -> list[str]:
    return [" ".join(each.key for each in found) for found in duplicates_in(items)]


@pytest.mark.parametrize(
    "other",
    [
        item("B", title="neap   TIDES!"),
        item("B", title="Néap-tides", parsed_year=2000),
        item("B", title="Neap tides", parsed_year=None),
        item("B", title="Neap tides", DOI="10.1/b"),
        item("B", title="Neap tides", kind="thesis", ISBN="9783161484100"),
        item(
            "B", title="Neap tides", creators=(Creator(role="editor", family="Holm", given="A."),)
        ),
        item("B", title="Else", ISBN="see 0-306-40615-2 (paperback)"),
        item("B", title="Else", ISBN="0306406152", creators=()),
    ],
)
def test_the_same_work_is_found(other: ZoteroItem) -> None:
    assert keys(item("A", title="Neap tides", ISBN="0306406152"), other) == ["A B"]


@pytest.mark.parametrize(
    "other",
    [
        item("B", title="Neap tide"),
        item("B", title="Neap tides", parsed_year=2001),
        item("B", title="Neap tides", DOI="10.1/b"),
        item("B", title="Neap tides", creators=()),
        item(
            "B", title="Neap tides", creators=(Creator(role="author", family="Holm", single=True),)
        ),
        item("B", title="Neap tides", creators=(Creator(role="author", family="Holm", given="B"),)),
        item("B", title="Neap tides", ISBN="9783161484100"),
        item("B", title="Else", ISBN="0306406153"),
    ],
)
def test_another_work_is_none(other: ZoteroItem) -> None:
    first = item("A", title="Neap tides", DOI="10.1/a", ISBN="0306406152")
    assert keys(first, other) == []


def test_a_doi_says_it_for_every_kind_and_in_any_case() -> None:
    first = item("A", "journalArticle", title="One", DOI="10.1/abc ")
    assert keys(first, item("B", "report", title="Two", DOI="10.1/ABC", parsed_year=1950)) == [
        "A B"
    ]
    plain = item("A", title="One", DOI="doi:10.1/abc")
    assert keys(plain, item("B", title="Two", DOI="doi:10.1/abc")) == []


def test_works_without_title_are_none_and_those_without_creators_may_be() -> None:
    assert keys(item("A"), item("B")) == []
    assert keys(item("A", title="!?"), item("B", title="?!")) == []
    bare = [item(key, title="Neap", creators=()) for key in "AB"]
    assert keys(*bare) == ["A B"]


def test_what_one_work_has_in_common_with_two_joins_them() -> None:
    found = keys(
        item("A", title="Neap", DOI="10.1/a"),
        item("B", title="Else"),
        item("C", title="Neap"),
        item("D", title="Neap", DOI="10.1/d"),
        item("E", title="Else"),
    )
    assert found == ["A C D", "B E"]


def test_many_items_of_one_title_take_no_quadratic_time() -> None:
    works = [item(f"K{n}", title="Editorial", DOI=f"10.1/{n}") for n in range(20_000)]
    assert keys(*works) == []
