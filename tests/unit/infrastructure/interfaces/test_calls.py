"""Blocking calls from an event loop: with time limits that hold, and slots that come back."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from citeloom.application.limits import CallLimits
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import Busy, DeadlineExceeded
from citeloom.infrastructure.interfaces.calls import Calls, SharedCalls

PATIENCE = 10.0


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, PATIENCE))


def test_calls_run_side_by_side_off_the_loop() -> None:
    async def main() -> None:
        calls, met = Calls(CallLimits(calls=2)), threading.Barrier(2)
        threads = await asyncio.gather(*(calls.run(lambda: _meet(met), PATIENCE) for _ in "ab"))
        assert len({*threads, threading.get_ident()}) == 3
        assert calls.running == 0

    run(main())


def _meet(barrier: threading.Barrier) -> int:
    barrier.wait(PATIENCE)
    return threading.get_ident()


def test_what_a_call_raises_is_raised() -> None:
    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            await Calls(CallLimits()).run(lambda: 1 // 0, PATIENCE)

    run(main())


def test_a_call_whose_time_is_up_is_answered_and_keeps_its_slot_until_it_ends() -> None:
    async def main() -> None:
        calls, go = Calls(CallLimits(calls=1)), threading.Event()
        began = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            await calls.run(lambda: go.wait(PATIENCE), 0.05)
        assert time.monotonic() - began < PATIENCE / 2
        with pytest.raises(DeadlineExceeded):
            await calls.run(lambda: "never begun", 0.05)
        assert calls.running == 1
        go.set()
        assert await calls.run(lambda: "begun", PATIENCE) == "begun"

    run(main())


def test_a_cancelled_call_is_given_up_at_once() -> None:
    async def main() -> None:
        calls, go = Calls(CallLimits(calls=1)), threading.Event()
        task = asyncio.create_task(calls.run(lambda: go.wait(PATIENCE), PATIENCE))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go.set()
        assert await calls.run(lambda: 1, PATIENCE) == 1

    run(main())


def test_no_more_calls_wait_than_may() -> None:
    async def main() -> None:
        calls, go = Calls(CallLimits(calls=1, waiting_calls=2)), threading.Event()
        tasks = [asyncio.create_task(calls.run(lambda: go.wait(PATIENCE), PATIENCE)) for _ in "abc"]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy):
            await calls.run(lambda: 1, PATIENCE)
        go.set()
        assert await asyncio.gather(*tasks) == [True] * 3
        assert await calls.run(lambda: 1, PATIENCE) == 1

    run(main())


def test_a_call_that_ends_after_its_loop_does_no_harm() -> None:
    go, done = threading.Event(), threading.Event()

    def work() -> None:
        go.wait(PATIENCE)
        done.set()

    async def main() -> None:
        with pytest.raises(DeadlineExceeded):
            await Calls(CallLimits()).run(work, 0.01)

    run(main())
    go.set()
    assert done.wait(PATIENCE)


def test_a_thread_that_cannot_be_started_keeps_no_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def main() -> None:
        calls = Calls(CallLimits(calls=1))
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            with pytest.raises(Busy):
                await calls.run(lambda: 1, PATIENCE)
        assert calls.running == 0
        assert await calls.run(lambda: 1, PATIENCE) == 1

    run(main())


def test_equal_calls_at_the_same_time_run_once() -> None:
    async def main() -> None:
        heavy, go, begun = SharedCalls(), threading.Event(), []

        def work(_: Cancellation) -> int:
            begun.append(go.wait(PATIENCE))
            return len(begun)

        tasks = [asyncio.create_task(heavy.run("a", work, PATIENCE)) for _ in range(8)]
        await asyncio.sleep(0.05)
        go.set()
        assert await asyncio.gather(*tasks) == [1] * 8
        assert await heavy.run("a", work, PATIENCE) == 2

    run(main())


def test_one_that_gives_up_ends_no_call_that_another_waits_for() -> None:
    async def main() -> None:
        heavy, go = SharedCalls(), threading.Event()

        def work(cancellation: Cancellation) -> bool:
            go.wait(PATIENCE)
            return cancellation.requested

        patient = asyncio.create_task(heavy.run("a", work, PATIENCE))
        with pytest.raises(DeadlineExceeded):
            await heavy.run("a", work, 0.05)
        go.set()
        assert await patient is False

    run(main())


def test_a_thread_that_nobody_waits_for_is_told_to_stop() -> None:
    async def main() -> None:
        heavy, ended = SharedCalls(), threading.Event()

        def work(cancellation: Cancellation) -> None:
            while True:
                try:
                    cancellation.check()
                except DeadlineExceeded:
                    ended.set()
                    raise
                time.sleep(0.01)

        with pytest.raises(DeadlineExceeded):
            await heavy.run("a", work, 0.05)
        assert await asyncio.to_thread(ended.wait, PATIENCE)
        assert await heavy.run("a", lambda _: "anew", PATIENCE) == "anew"
        assert heavy.calls.running == 0

    run(main())


def test_a_shared_call_raises_for_everyone_who_waits() -> None:
    async def main() -> None:
        heavy, go = SharedCalls(), threading.Event()

        def work(_: Cancellation) -> float:
            return 1 / (not go.wait(PATIENCE))

        tasks = [asyncio.create_task(heavy.run("a", work, PATIENCE)) for _ in "ab"]
        await asyncio.sleep(0.05)
        go.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(one) for one in outcomes] == [ZeroDivisionError] * 2

    run(main())


def test_the_time_of_a_heavy_call_counts_from_its_turn() -> None:
    async def main() -> None:
        shared = SharedCalls(Calls(CallLimits(calls=1)))

        def work(_: Cancellation) -> bool:
            time.sleep(0.3)
            return True

        assert all(await asyncio.gather(*(shared.run(key, work, 0.8) for key in range(5))))

    run(main())


def test_a_heavy_call_whose_turn_does_not_come_says_that_others_run() -> None:
    async def main() -> None:
        shared, go = SharedCalls(Calls(CallLimits(calls=1)), turn_seconds=0.05), threading.Event()
        first = asyncio.create_task(shared.run(1, lambda _: go.wait(PATIENCE), PATIENCE))
        await asyncio.sleep(0.02)
        with pytest.raises(Busy):
            await shared.run(2, lambda _: True, PATIENCE)
        go.set()
        assert await first

    run(main())
