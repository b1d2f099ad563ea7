"""Calls of the library from an event loop: in threads, a bounded number, with real time limits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import TypeVar

from citeloom.application.limits import CallLimits
from citeloom.domain.errors import Busy, DeadlineExceeded

T = TypeVar("T")


class Calls:
    """Runs blocking calls, each in a thread of its own, for one event loop.

    No call waits for a lock of another. A call whose time is up or that was cancelled is answered
    at once; its thread runs on, and keeps its slot until it has ended.
    """

    def __init__(self, limits: CallLimits) -> None:
        self._slots = asyncio.Semaphore(limits.calls)
        self._most_waiting = limits.waiting_calls
        self._waiting = 0
        self.running = 0

    async def run(self, call: Callable[[], T], seconds: float) -> T:
        """The result of a call. Raises what it raises, `DeadlineExceeded` after so many seconds,
        and `Busy` when too many calls are waiting.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._enter()
                return await self._in_thread(call)
        except TimeoutError:
            raise DeadlineExceeded(
                f"the call took longer than {seconds:g} seconds",
                "Try again, with a narrower question or fewer passages.",
            ) from None

    async def _enter(self) -> None:
        if self._slots.locked() and self._waiting >= self._most_waiting:
            raise Busy(f"{self._waiting} calls are waiting already", "Try again in a moment.")
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1

    async def _in_thread(self, call: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[T] = loop.create_future()
        context = copy_context()

        def leave(settle: Callable[[], None]) -> None:
            self.running -= 1
            self._slots.release()
            if not outcome.done():
                settle()

        def work() -> None:
            try:
                result = context.run(call)
            except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
                _tell(loop, leave, partial(outcome.set_exception, error))
            else:
                _tell(loop, leave, partial(outcome.set_result, result))

        self.running += 1
        try:
            Thread(target=work, name="call", daemon=True).start()
        except RuntimeError as error:
            leave(lambda: None)
            raise Busy("no further thread can be started", "Try again in a moment.") from error
        return await outcome


def _tell(
    loop: asyncio.AbstractEventLoop,
    leave: Callable[[Callable[[], None]], None],
    settle: Callable[[], None],
) -> None:
    """Settle the outcome in the loop's own thread, unless the loop has ended."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(leave, settle)
