"""How far a run is, and how well that tells how long it will go on."""

from __future__ import annotations

import random

import pytest

from citeloom.application.ingest.execute import mixed
from citeloom.infrastructure.interfaces.cli.progress_display import LineProgress, ProgressEstimator

STORING = 2.0


class HandTurnedClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_work_on_documents_in_hand_counts_by_what_the_others_had() -> None:
    tally = ProgressEstimator(4, HandTurnedClock())
    tally.count("a", pages=3)
    tally.count("a", chunks=7)
    tally.prepare("a")
    assert tally.share == 0.25
    tally.count("b", pages=5)
    assert tally.share == pytest.approx(0.375)
    tally.count("b", pages=500)
    assert tally.share < 0.5
    tally.store("b")
    tally.store("a")
    assert (tally.share, tally.stored, tally.pages, tally.chunks) == (0.5, 2, 508, 7)


def test_the_bar_of_a_book_moves_with_each_of_its_pages() -> None:
    alone, behind = ProgressEstimator(1, HandTurnedClock()), ProgressEstimator(2, HandTurnedClock())
    behind.count("article", pages=10)
    behind.store("article")
    for tally in (alone, behind):
        shares = []
        for _ in range(900):
            tally.count("book", pages=1)
            shares.append(tally.share)
        assert shares == sorted(set(shares))
        assert shares[-1] < 1


def test_nothing_to_do_is_done() -> None:
    assert ProgressEstimator(0, HandTurnedClock()).share == 1.0


def test_more_documents_than_announced_are_no_more_than_all() -> None:
    clock = HandTurnedClock()
    tally = ProgressEstimator(1, clock)
    clock.now += 10
    for name in "abc":
        tally.store(name)
    assert tally.share == 1.0
    left = tally.seconds_left()
    assert left is not None
    assert left < 3


def test_there_is_no_estimate_before_there_is_ground_for_one() -> None:
    clock = HandTurnedClock()
    tally = ProgressEstimator(40, clock)
    clock.now += 5
    assert tally.seconds_left() is None
    for number in range(3):
        tally.store(f"{number}")
    assert tally.seconds_left() is None
    tally.store("3")
    assert tally.seconds_left() == pytest.approx(45 + STORING)


@pytest.mark.parametrize("seed", range(5))
def test_after_a_tenth_the_estimate_is_right_within_a_third(seed: int) -> None:
    """In folders whose documents are short in one and long in the next."""
    lengths = random.Random(seed)
    papers = [
        (f"{folder}/{n}", lengths.randint(low, 3 * low))
        for folder, low in enumerate((30, 8, 15, 3))
        for n in range(40)
    ]
    clock = HandTurnedClock()
    tally, passed, total = (
        ProgressEstimator(len(papers), clock),
        0.0,
        sum(length for _, length in papers),
    )
    for name, length in mixed(papers):
        for _ in range(length):
            tally.count(name, pages=1)
            passed += 1
            clock.now += 1
            left = tally.seconds_left()
            if total * 0.1 < passed < total * 0.85:
                assert left is not None
                assert left == pytest.approx(total - passed, rel=1 / 3)
        tally.prepare(name)


def test_off_a_terminal_a_line_comes_every_few_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = HandTurnedClock()
    progress = LineProgress(clock)
    progress.start(2)
    for _ in range(11):
        clock.now += 1
        progress.count("a", pages=1)
    progress.stage("a", "store")
    clock.now += 5
    progress.count("b", chunks=11)
    progress.advance("a", "indexed: 3 chunks")
    assert capsys.readouterr().err.splitlines() == [
        "5 pages converted, 0 chunks embedded, 0 of 2 documents done",
        "10 pages converted, 0 chunks embedded, 0 of 2 documents done",
        "11 pages converted, 11 chunks embedded, 0 of 2 documents done, a few seconds left",
        "[1/2] a  indexed: 3 chunks",
    ]


def test_the_time_that_models_take_to_load_tells_nothing_of_the_rest() -> None:
    clock = HandTurnedClock()
    tally = ProgressEstimator(4, clock)
    clock.now += 30
    tally.count("a", pages=1, chunks=1)
    clock.now += 20
    tally.prepare("a")
    assert tally.seconds_left() == pytest.approx(60 + STORING)


def test_what_is_told_before_there_is_anything_to_count_has_no_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    LineProgress(HandTurnedClock()).advance("nowhere", "failed: SOURCE_UNAVAILABLE")
    assert capsys.readouterr().err.splitlines() == ["nowhere  failed: SOURCE_UNAVAILABLE"]
