"""Ending work from another thread."""

from __future__ import annotations

from citeloom.application.ports.runtime import Cancellation


def test_what_is_under_way_is_ended_once_and_what_has_ended_is_left_alone() -> None:
    ended: list[str] = []
    cancellation = Cancellation()
    with cancellation.ending(lambda: ended.append("over")):
        pass
    assert ended == []
    with cancellation.ending(lambda: ended.append("now")):
        cancellation.request()
        cancellation.request()
    assert cancellation.requested
    assert ended == ["now"]


def test_what_begins_too_late_is_ended_at_once() -> None:
    ended: list[str] = []
    cancellation = Cancellation()
    cancellation.request()
    with cancellation.ending(lambda: ended.append("late")):
        assert ended == ["late"]
    assert ended == ["late"]


def test_a_function_that_says_so_requests_it_for_good() -> None:
    answers = iter([False, True])
    ended: list[str] = []
    cancellation = Cancellation(lambda: next(answers))
    requested = [cancellation.requested]
    with cancellation.ending(lambda: ended.append("asked")):
        assert ended == ["asked"]
    requested += [cancellation.requested, cancellation.wait(60)]
    assert requested == [False, True, True]


def test_a_request_may_come_while_an_end_is_named() -> None:
    ended: list[str] = []

    def signal() -> bool:
        cancellation.request()
        return True

    cancellation = Cancellation(signal)
    with cancellation.ending(lambda: ended.append("over")):
        pass
    assert ended == ["over"]
