"""Locators as people write them, and the pages of works."""

from __future__ import annotations

import pytest

from citeloom.domain.manuscript.cited_place import page_locator
from citeloom.domain.manuscript.work_text import WorkPages

PRINTED = WorkPages(count=4, labels={1: "101", 2: "102", 3: "103", 4: "104"})
BY_REFERENCE = WorkPages(count=4, labels={}, reference="101-104")
PLAIN = WorkPages(count=9, labels={})
BOOK = WorkPages(count=4, labels={1: "iii", 2: "iv", 3: "1", 4: "2"})


@pytest.mark.parametrize(
    ("suffix", "written"),
    [
        (", p. 45", "45"),
        ("pp. 45-47", "45-47"),
        (", 45", "45"),
        ("p.\xa045", "45"),
        (", S. 12", "12"),
        (", page 4 ", "4"),
        ("p45", "45"),
        (", pp. 45, 50 and 52", "45, 50 and 52"),
        (", p. iv", "iv"),
        ("45ff., my translation", "45ff."),
        (", p. 3; see also", "3"),
        (", p. 3, emphasis added", "3"),
    ],
)
def test_pages_are_read_as_they_are_written(suffix: str, written: str) -> None:
    locator = page_locator(suffix)
    assert locator is not None
    assert str(locator) == written


@pytest.mark.parametrize(
    "suffix", ["", ", chap. 3", ", sec. 2.3, para. 4", ", fig. 2", "my translation", ", § 5", "vi"]
)
def test_other_places_are_no_pages(suffix: str) -> None:
    assert page_locator(suffix) is None


@pytest.mark.parametrize(
    ("pages", "suffix", "physical"),
    [
        (PRINTED, "p. 103", {3}),
        (PRINTED, "p. 3", {3}),
        (PRINTED, "pp. 101-103", {1, 2, 3}),
        (PRINTED, "p. 101f.", {1, 2}),
        (PRINTED, "pp. 103ff.", {3, 4}),
        (PRINTED, "p. 99", set()),
        (BY_REFERENCE, "p. 102", {2}),
        (BY_REFERENCE, "pp. 102-4", {2, 3, 4}),
        (PLAIN, "p. 9", {9}),
        (PLAIN, "p. 10", set()),
        (BOOK, "p. iv", {2}),
        (BOOK, "p. 2", {4}),
    ],
)
def test_a_locator_means_printed_pages_before_physical_ones(
    pages: WorkPages, suffix: str, physical: set[int]
) -> None:
    locator = page_locator(suffix)
    assert locator is not None
    assert pages.physical(locator) == physical
