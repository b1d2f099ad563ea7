"""The clocks of a document and of its pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.infrastructure.docling.deadlines import Deadlines


class HandTurnedClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> HandTurnedClock:
    return HandTurnedClock()


@pytest.fixture
def deadlines(clock: HandTurnedClock) -> Deadlines:
    return Deadlines(Path("a/paper.pdf"), document_seconds=30, page_seconds=10, clock=clock)


def test_before_the_first_page_only_the_document_is_timed(
    deadlines: Deadlines, clock: HandTurnedClock
) -> None:
    clock.now += 29
    assert deadlines.exceeded() is None
    assert deadlines.remaining() == pytest.approx(1)


def test_a_page_that_overruns_is_named(deadlines: Deadlines, clock: HandTurnedClock) -> None:
    deadlines.begin_page(3)
    assert deadlines.remaining() == pytest.approx(10)
    clock.now += 10
    error = deadlines.exceeded()
    assert error is not None
    assert error.message == "page 3 of paper.pdf took longer than 10 s"
    assert "page_timeout_seconds" in error.hint
    assert deadlines.remaining() == 0


def test_a_page_gets_its_own_time_however_long_those_before_it_took(
    deadlines: Deadlines, clock: HandTurnedClock
) -> None:
    for page in (1, 2):
        deadlines.begin_page(page)
        clock.now += 9
    assert deadlines.exceeded() is None
    deadlines.begin_page(3)
    assert deadlines.remaining() == pytest.approx(10)


def test_a_document_that_overruns_says_where_it_was(
    deadlines: Deadlines, clock: HandTurnedClock
) -> None:
    for page in range(1, 5):
        deadlines.begin_page(page)
        clock.now += 8
    error = deadlines.exceeded()
    assert error is not None
    assert error.message == "paper.pdf took longer than 30 s; it was at page 4"
    assert "document_timeout_seconds" in error.hint


def test_work_that_is_no_pages_has_no_page_clock(
    deadlines: Deadlines, clock: HandTurnedClock
) -> None:
    deadlines.begin_page(4)
    clock.now += 5
    deadlines.begin_page(0)
    clock.now += 24
    assert deadlines.exceeded() is None
    clock.now += 1
    error = deadlines.exceeded()
    assert error is not None
    assert error.message == "paper.pdf took longer than 30 s"
