"""Which pages are read without layout analysis after a failure."""

from __future__ import annotations

from citeloom.application.ports.document_converter import PlainPages


def test_a_page_that_failed_is_plain_and_no_other() -> None:
    plain = PlainPages().after_failure(3, rest=False)
    assert plain is not None
    assert [page in plain for page in (2, 3, 4)] == [False, True, False]


def test_a_plain_page_that_fails_stands_for_the_next_one() -> None:
    plain = PlainPages(frozenset({3})).after_failure(3, rest=False)
    assert plain == PlainPages(frozenset({3, 4}))


def test_after_the_third_failure_all_further_pages_are_plain() -> None:
    plain = PlainPages(frozenset({3, 9})).after_failure(12, rest=False)
    assert plain is not None
    assert [page in plain for page in (3, 4, 9, 11, 12, 500)] == [1, 0, 1, 0, 1, 1]


def test_without_time_all_further_pages_are_plain() -> None:
    plain = PlainPages().after_failure(7, rest=True)
    assert plain is not None
    assert [page in plain for page in (6, 7, 8)] == [False, True, True]


def test_nothing_helps_a_document_whose_further_pages_are_plain() -> None:
    assert PlainPages(first=7).after_failure(8, rest=True) is None
