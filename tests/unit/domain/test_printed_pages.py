"""What is printed on each page: certain labels are taken, doubtful ones left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.documents.printed_pages import (
    PageRange,
    page_range,
    printed_labels,
    span_labels,
)
from tests.fakes.document_converter import conversion_of


def labels(
    pages: int,
    reference: str | None = None,
    *,
    declared: Mapping[int, str] | None = None,
    shown: Mapping[int, tuple[int, ...]] | None = None,
) -> Mapping[int, str]:
    """The labels of a document of so many pages, under a reference's page range."""
    text = "\f".join(f"Page of wheat {n}" for n in range(pages))
    result = conversion_of(text, page_labels=declared)
    return printed_labels(replace(result, edge_numbers=shown or {}), reference)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1123-1134", PageRange(first=1123, last=1134)),
        ("1123\u20131134", PageRange(first=1123, last=1134)),
        ("pp. 1123 \u2014 1134", PageRange(first=1123, last=1134)),
        ("1123--34", PageRange(first=1123, last=1134)),
        ("1123-4", PageRange(first=1123, last=1124)),
        ("998-1003", PageRange(first=998, last=1003)),
        ("12-12", PageRange(first=12, last=12)),
        ("S12\u2013S20", PageRange(first=12, last=20, prefix="S")),
        ("S12\u201320", PageRange(first=12, last=20, prefix="S")),
        ("102:1-102:23", PageRange(first=1, last=23, prefix="102:")),
    ],
)
def test_a_range_is_read_as_it_is_written(written: str, meant: PageRange) -> None:
    assert page_range(written) == meant


@pytest.mark.parametrize(
    "written",
    [
        *("102", "#3", "e1234", "e0123456", "", "1134-1123", "2020-12", "S12-T20", "xi-xx", "1-"),
        *("12, 15-19", "12-15, 20-22", "10.1000/123-456"),
    ],
)
def test_an_article_number_or_anything_else_is_no_range(written: str) -> None:
    assert page_range(written) is None


def test_a_range_that_fits_labels_every_page() -> None:
    assert labels(3, "1123\u20131125") == {1: "1123", 2: "1124", 3: "1125"}
    assert labels(2, "S9-S10") == {1: "S9", 2: "S10"}


@pytest.mark.parametrize("reference", ["1123\u20131126", "1123\u20131124", "1123", "3", None])
def test_what_does_not_fit_labels_nothing(reference: str | None) -> None:
    assert labels(3, reference) == {}


def test_labels_of_the_file_come_first_unless_they_only_count() -> None:
    declared = {1: "i", 2: "1", 3: "2"}
    assert labels(3, "1123\u20131125", declared=declared) == declared
    counted = {1: "1", 2: "2", 3: "3"}
    assert labels(3, "1123\u20131125", declared=counted) == {1: "1123", 2: "1124", 3: "1125"}
    assert labels(3, "1123\u20131126", declared=counted) == counted


def test_a_cover_is_left_out_where_the_pages_show_their_numbers() -> None:
    shown = {3: (2019, 1124), 4: (1125,), 5: (1126, 7)}
    assert labels(5, "1123\u20131126") == {}
    assert labels(5, "1123\u20131126", shown=shown) == {2: "1123", 3: "1124", 4: "1125", 5: "1126"}


def test_numbers_on_the_pages_are_enough_between_the_first_and_the_last_one_shown() -> None:
    shown = {2: (46,), 3: (47,), 5: (49,)}
    assert labels(6, shown=shown) == {}
    assert labels(5, shown=shown) == {2: "46", 3: "47", 4: "48", 5: "49"}


@pytest.mark.parametrize(
    "shown",
    [
        {1: (46,), 2: (47,)},
        {1: (2019,), 2: (2019,), 3: (2019,), 4: (2019,)},
        {1: (46,), 2: (47,), 3: (80,), 4: (12,)},
        {page: (page + 45, page + 300) for page in range(1, 5)},
    ],
    ids=["too few", "a year", "no sequence", "two sequences"],
)
def test_numbers_that_may_mean_something_else_are_left_aside(
    shown: Mapping[int, tuple[int, ...]],
) -> None:
    assert labels(4, shown=shown) == {}


def test_of_two_sequences_the_reference_tells_which_is_meant() -> None:
    shown = {page: (page + 45, page + 300) for page in range(1, 5)}
    assert labels(4, "301-304", shown=shown) == {1: "301", 2: "302", 3: "303", 4: "304"}


def test_a_range_that_the_pages_contradict_is_of_another_printing() -> None:
    own = {page: (page,) for page in range(1, 5)}
    assert labels(4, "1123-1126", shown=own) == {}
    other = {page: (page + 45,) for page in range(1, 5)}
    assert labels(4, "1123-1126", shown=other) == {1: "46", 2: "47", 3: "48", 4: "49"}


def test_a_span_has_labels_only_where_all_its_pages_have() -> None:
    known = {2: "46", 3: "47"}
    assert span_labels(known, (2, 3)) == ("46", "47")
    assert span_labels(known, (1, 2)) == span_labels(known, None) == ()


@given(first=st.integers(1, 20_000), count=st.integers(1, 30), short=st.booleans())
def test_every_written_range_that_fits_labels_its_pages_in_order(
    first: int, count: int, short: bool
) -> None:
    last = str(first + count - 1)
    kept = [n for n, (a, b) in enumerate(zip(str(first), last)) if a != b]
    if short and len(str(first)) == len(last) and kept:
        last = last[kept[0] :]
    found = labels(count, f"{first}\u2013{last}")
    assert list(found.items()) == [(n, str(first + n - 1)) for n in range(1, count + 1)]


ROMAN = {1: "i", 2: "ii", 3: "iii", 4: "iv"}


def test_a_declared_label_loses_against_the_number_its_page_shows() -> None:
    declared = ROMAN | {page: str(page - 4) for page in range(5, 13)}
    shown = {page: (page - 3,) for page in range(4, 13)}  # the body begins a page earlier
    found = labels(12, declared=declared, shown=shown)
    assert found == {1: "i", 2: "ii", 3: "iii"} | {page: str(page - 3) for page in range(4, 13)}


def test_one_label_off_is_corrected_alone() -> None:
    declared = ROMAN | {page: str(page - 3) for page in range(5, 13)}
    shown = {page: (page - 3, 1969) for page in range(4, 13) if page != 8}
    found = labels(12, declared=declared, shown=shown)
    assert found == {1: "i", 2: "ii", 3: "iii"} | {page: str(page - 3) for page in range(4, 13)}


def test_declared_labels_stay_where_too_few_pages_or_two_series_show_others() -> None:
    declared = {page: str(page + 1122) for page in range(1, 9)}
    few = {page: (page,) for page in range(1, 4)}
    assert labels(8, declared=declared, shown=few) == declared
    both = {page: (page, page + 1122) for page in range(1, 9)}
    assert labels(8, declared=declared, shown=both) == declared
