"""How far a run is, and how well that tells how long it will go on."""

from __future__ import annotations

import random

import pytest

from citeloom.application.ingest.order import mixed
from citeloom.infrastructure.interfaces.cli.progress import LineProgress
from citeloom.infrastructure.interfaces.cli.tally import Tally


class HandTurnedClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_work_on_documents_in_hand_counts_by_what_the_others_had() -> None:
    tally = Tally(4)
    tally.count("a", pages=3)
    assert tally.share == 0.0
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


def test_nothing_to_do_is_done() -> None:
    assert Tally(0).share == 1.0


def test_more_documents_than_announced_are_no_more_than_all() -> None:
    tally = Tally(1)
    for name in "abc":
        tally.store(name)
    assert tally.share == 1.0
    assert tally.seconds_left(10) == 0.0


def test_there_is_no_estimate_before_there_is_ground_for_one() -> None:
    tally = Tally(40)
    assert tally.seconds_left(5) is None
    for number in range(3):
        tally.store(f"{number}")
    assert tally.seconds_left(5) is None
    tally.store("3")
    assert tally.seconds_left(5) == pytest.approx(45)


@pytest.mark.parametrize("seed", range(5))
def test_after_a_tenth_the_estimate_is_right_within_a_third(seed: int) -> None:
    """In folders whose documents are short in one and long in the next."""
    lengths = random.Random(seed)
    papers = [
        (f"{folder}/{n}", lengths.randint(low, 3 * low))
        for folder, low in enumerate((30, 8, 15, 3))
        for n in range(40)
    ]
    tally, passed, total = Tally(len(papers)), 0.0, sum(length for _, length in papers)
    for name, length in mixed(papers):
        for _ in range(length):
            tally.count(name, pages=1)
            passed += 1
            left = tally.seconds_left(passed)
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
        "11 pages converted, 11 chunks embedded, 0 of 2 documents done, about 0 s left",
        "[1/2] a  indexed: 3 chunks",
    ]
