"""Which pages are read without layout analysis after a failure."""

from __future__ import annotations

from citeloom.application.ports.conversion import PlainPages


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


def test_without_time_once_more_half_of_the_pages_before_are_plain_and_none_is_lost() -> None:
    plain: PlainPages | None = PlainPages()
    firsts = []
    for _ in range(5):
        assert plain is not None
        plain = plain.after_failure(7, rest=True)
        assert plain is not None
        assert not plain.is_lost(500) or plain.first == 1
        firsts.append(plain.first)
    assert firsts == [7, 4, 2, 1, 1]
    assert plain == PlainPages(first=1, lost_from=7)


def test_a_page_that_fails_where_all_are_plain_is_lost_and_no_other() -> None:
    plain = PlainPages(first=7).after_failure(8, rest=False)
    assert plain is not None
    assert [plain.is_lost(page) for page in (7, 8, 9)] == [False, True, False]
    assert 9 in plain


def test_a_plain_page_whose_next_ones_are_plain_is_lost_itself() -> None:
    plain = PlainPages(frozenset({3, 4}), 5).after_failure(3, rest=False)
    assert plain == PlainPages(frozenset({3, 4}), 5, frozenset({3}))


def test_after_the_third_lost_page_or_without_time_all_further_ones_are() -> None:
    before = PlainPages(first=1, lost=frozenset({2, 4}))
    for plain in (before.after_failure(6, rest=False), before.after_failure(6, rest=True)):
        assert plain is not None
        assert [plain.is_lost(page) for page in (2, 3, 5, 6, 500)] == [1, 0, 0, 1, 1]


def test_nothing_helps_where_a_lost_page_fails() -> None:
    assert PlainPages(first=7, lost=frozenset({8})).after_failure(8, rest=False) is None
