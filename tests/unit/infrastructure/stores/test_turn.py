from __future__ import annotations

import time
from threading import Thread

import pytest

from citeloom.infrastructure.stores.qdrant.turn import Turn


def test_a_turn_is_had_in_the_order_it_was_asked_for() -> None:
    turn = Turn()
    had: list[int] = []

    def ask(number: int) -> None:
        with turn:
            had.append(number)

    with turn:
        threads = [Thread(target=ask, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
            time.sleep(0.01)  # so that they ask in this order
    for thread in threads:
        thread.join()
    assert had == list(range(20))


def test_an_error_lets_the_next_one_in() -> None:
    turn = Turn()
    for _ in range(2):
        with pytest.raises(ValueError, match="none"), turn:
            int("none")
