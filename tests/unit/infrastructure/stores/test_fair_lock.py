from __future__ import annotations

import time
from threading import Thread

import pytest

from citeloom.infrastructure.stores.qdrant.edge.open_shards import FairLock


def test_threads_get_the_lock_in_the_order_in_which_they_asked() -> None:
    lock = FairLock()
    order: list[int] = []

    def ask(number: int) -> None:
        with lock:
            order.append(number)

    with lock:
        threads = [Thread(target=ask, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
            time.sleep(0.01)  # so that they ask in this order
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def test_an_error_releases_the_lock() -> None:
    lock = FairLock()
    for _ in range(2):
        with pytest.raises(ValueError, match="none"), lock:
            int("none")


def test_a_lock_in_use_is_not_acquired_at_once() -> None:
    lock = FairLock()
    with lock:
        assert not lock.acquire_at_once()
    assert lock.acquire_at_once()
    assert not lock.acquire_at_once()
    lock.release()
    with lock:
        pass
