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
