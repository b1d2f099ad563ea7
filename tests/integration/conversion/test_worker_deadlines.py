"""The clocks of a document and of its pages."""

from __future__ import annotations

import os
import sys
import time

import pytest

from citeloom.infrastructure.conversion.processor_time import processor_clock, processor_seconds
from citeloom.infrastructure.conversion.workers.deadlines import (
    Deadlines,
)


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
def wall() -> HandTurnedClock:
    return HandTurnedClock()


@pytest.fixture
def deadlines(clock: HandTurnedClock, wall: HandTurnedClock) -> Deadlines:
    return Deadlines(
        "paper.pdf",
        document_seconds=30,
        page_seconds=10,
        image_seconds=50,
        worked=clock,
        passed=wall,
    )


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


def test_a_document_has_its_limit_for_each_hundred_pages_it_comes_to(
    deadlines: Deadlines, clock: HandTurnedClock
) -> None:
    deadlines.begin_page(100)
    assert deadlines.remaining() == pytest.approx(10)
    deadlines.begin_page(101)
    clock.now += 9
    deadlines.begin_page(0)
    assert deadlines.remaining() == pytest.approx(51)
    deadlines.begin_page(301)
    deadlines.begin_page(0)
    clock.now += 111
    error = deadlines.exceeded()
    assert error is not None
    assert error.message == "paper.pdf took longer than 120 s"


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


def test_waiting_alone_overruns_only_after_six_times_the_limit(
    deadlines: Deadlines, wall: HandTurnedClock
) -> None:
    deadlines.begin_page(2)
    wall.now += 59
    assert deadlines.exceeded() is None
    assert deadlines.remaining() == pytest.approx(1)
    wall.now += 1
    error = deadlines.exceeded()
    assert error is not None
    assert error.message == "page 2 of paper.pdf took longer than 60 s"


def test_a_document_that_never_works_ends_too(deadlines: Deadlines, wall: HandTurnedClock) -> None:
    wall.now += 180
    error = deadlines.exceeded()
    assert error is not None
    assert error.message == "paper.pdf took longer than 180 s"


@pytest.mark.skipif(sys.platform != "linux", reason="processor time is read from /proc")
def test_the_processor_time_of_a_process_is_told() -> None:
    before = processor_seconds(os.getpid())
    assert before is not None
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    after = processor_seconds(os.getpid())
    assert after is not None
    assert after - before >= 0.05


def test_a_process_the_system_does_not_know_is_timed_by_the_clock() -> None:
    assert processor_seconds(-1) is None
    assert processor_clock(-1) is time.monotonic


def test_reading_an_image_has_a_limit_of_its_own_and_the_document_waits(
    deadlines: Deadlines, clock: HandTurnedClock
) -> None:
    clock.now += 8
    for page in (1, 2, 3):
        deadlines.begin_page(page)
        clock.now += 1
        deadlines.begin_image(page)
        assert deadlines.remaining() == pytest.approx(50)
        clock.now += 49
        assert deadlines.exceeded() is None
    deadlines.begin_page(0)
    assert deadlines.remaining() == pytest.approx(30 - 8 - 3)


def test_an_image_that_takes_too_long_is_named(
    deadlines: Deadlines, clock: HandTurnedClock
) -> None:
    deadlines.begin_image(7)
    clock.now += 50
    error = deadlines.exceeded()
    assert error is not None
    assert error.message == "reading the image of page 7 of paper.pdf took longer than 50 s"
    assert "ocr_timeout_seconds" in error.hint
    assert deadlines.remaining() == 0
