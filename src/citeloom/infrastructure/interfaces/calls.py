"""The library as other programs ask it: calls in threads, a bounded number, with time limits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cached_property, partial
from threading import Lock, Thread
from typing import Any, Self, TypeVar, cast

from citeloom.application.jobs import Jobs
from citeloom.application.limits import CallLimits
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import Busy, CiteloomError, DeadlineExceeded
from citeloom.infrastructure.interfaces.private_paths import PrivatePaths
from citeloom.infrastructure.library.library import Library

T = TypeVar("T")
_HEAVY, _DRAFTS, _READING = 2, 2, 2
_TURN_SECONDS = 60.0
"""So long a heavy call waits for those before it."""


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

    async def run(self, call: Callable[[], T], seconds: float | None) -> T:
        """The result of a call. Raises what it raises, `DeadlineExceeded` after so many seconds
        (None: never), and `Busy` when too many calls are waiting.
        """
        try:
            async with asyncio.timeout(seconds):
                if self._slots.locked() and self._waiting >= self._most_waiting:
                    reason = f"{self._waiting} calls are waiting already"
                    raise Busy(reason, "Try again in a moment.")
                self._waiting += 1
                try:
                    await self._slots.acquire()
                finally:
                    self._waiting -= 1
                return await self._in_thread(call)
        except TimeoutError:
            if seconds is None:
                raise
            raise _too_long(seconds) from None

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
                _settle_in(loop, leave, partial(outcome.set_exception, error))
            else:
                _settle_in(loop, leave, partial(outcome.set_result, result))

        self.running += 1
        try:
            Thread(target=work, name="call", daemon=True).start()
        except RuntimeError as error:
            leave(lambda: None)
            raise Busy("no further thread can be started", "Try again in a moment.") from error
        return await outcome


def _settle_in(
    loop: asyncio.AbstractEventLoop,
    leave: Callable[[Callable[[], None]], None],
    settle: Callable[[], None],
) -> None:
    """Settle the outcome in the loop's own thread, unless the loop has ended."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(leave, settle)


@dataclass(slots=True)
class _Run:
    """A call that any number wait for."""

    task: asyncio.Task[Any]
    cancellation: Cancellation
    begun: asyncio.Event
    waiting: int = 0


@dataclass(slots=True)
class SharedCalls:
    """Heavy calls in a lane of their own; equal ones that are asked for at the same time run once.

    A call that nobody waits for any more is cancelled, and its thread stops when it next looks.
    """

    calls: Calls = field(default_factory=lambda: Calls(CallLimits(calls=_HEAVY)))
    turn_seconds: float = _TURN_SECONDS
    _runs: dict[Hashable, _Run] = field(default_factory=dict)

    async def run(self, key: Hashable, call: Callable[[Cancellation], T], seconds: float) -> T:
        """The result of the call of that `key`, which is joined where it runs already. Raises as
        `Calls.run` does; the seconds count from when it has its turn, and `Busy` is raised where
        that does not come.
        """
        if (run := self._runs.get(key)) is None:
            self._runs[key] = run = self._started(call)
        run.waiting += 1
        try:
            await _turn_of(run, self.turn_seconds)
            async with asyncio.timeout(seconds):
                return cast("T", await asyncio.shield(run.task))
        except TimeoutError:
            raise _too_long(seconds) from None
        finally:
            run.waiting -= 1
            if not run.waiting:
                del self._runs[key]
                run.cancellation.request()
                run.task.cancel()

    def _started(self, call: Callable[[Cancellation], object]) -> _Run:
        loop, cancellation, begun = asyncio.get_running_loop(), Cancellation(), asyncio.Event()

        def work() -> object:
            _settle_in(loop, lambda set_now: set_now(), begun.set)
            return call(cancellation)

        return _Run(asyncio.create_task(self.calls.run(work, None)), cancellation, begun)

    @property
    def waiting(self) -> int:
        return sum(run.waiting for run in self._runs.values())


async def _turn_of(run: _Run, seconds: float) -> None:
    """Wait until a call has its turn, or has failed before. Raises `Busy` after so many seconds."""
    turn = asyncio.create_task(run.begun.wait())
    try:
        first = {turn, run.task}
        done, _ = await asyncio.wait(first, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        turn.cancel()
    if not done:
        raise Busy("calls before it are still running", "Try again in a moment.")


def _too_long(seconds: float) -> DeadlineExceeded:
    return DeadlineExceeded(
        f"the call took longer than {seconds:g} seconds",
        "Try again, with a narrower question or fewer passages.",
    )


# The library that is asked, and its lanes.

_CLOSING_SECONDS = 10.0


@dataclass(kw_only=True, eq=False)
class LibraryService:
    """The library, its jobs, and the calls that are running. Those that answer questions, those of
    `drafts`, which start Pandoc, those of `reading`, which read every passage with a word, and the
    `heavy` ones, which read the whole project, run apart, so that slow ones take no slot of others.
    """

    library: Library
    jobs: Jobs
    projects: tuple[str, ...]
    calls: Calls
    drafts: Calls = field(default_factory=lambda: Calls(CallLimits(calls=_DRAFTS)))
    reading: Calls = field(default_factory=lambda: Calls(CallLimits(calls=_READING)))
    heavy: SharedCalls = field(default_factory=SharedCalls)
    _warming: Thread | None = None
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, library: Library, project: str | None = None) -> Self:
        """All configured projects of a library, or the one that is named; opens nothing."""
        return cls(
            library=library,
            jobs=Jobs(library.ingest_target, clock=library.parts.clock),
            projects=(library.project(project).project.id,) if project else library.project_ids(),
            calls=Calls(library.limits),
        )

    @property
    def limits(self) -> CallLimits:
        return self.library.limits

    @cached_property
    def answers(self) -> Calls:
        return Calls(self.limits)

    @cached_property
    def paths(self) -> PrivatePaths:
        """Keeps the places of files out of answers."""
        info = self.library.info
        served = [self.library.project(name).project for name in self.projects]
        files = [path for entry in served for path in (*entry.sources, entry.references or "")]
        return PrivatePaths(info.base_dir, info.data_dir, known=files)

    def warm(self, project: str | None = None) -> None:
        """Load the models in the background, once: those of a project, or of all."""
        with self._lock:
            if self._warming is None:
                names = self.library.project_ids() if project is None else (project,)
                self._warming = Thread(
                    target=self._load, args=(names,), name="warming", daemon=True
                )
                self._warming.start()

    def _load(self, names: Sequence[str]) -> None:
        for project_id in names:
            with suppress(CiteloomError):  # told to whoever asks something that needs it
                self.library.project(project_id).load_models()

    def close(self) -> None:
        """Stop the jobs in order, then close the library."""
        self.jobs.close(_CLOSING_SECONDS)
        self.library.close()
