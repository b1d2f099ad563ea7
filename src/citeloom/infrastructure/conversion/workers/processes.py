"""Work in processes of their own or in this one, ahead of the consumer, in the order of the
tasks.
"""

from __future__ import annotations

import atexit
import multiprocessing
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import chain
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, cast

import structlog

from citeloom.application.ports.runtime import (
    Executor,
    Outcome,
    ResultT,
    RetriedTask,
    Task,
    TaskEvent,
    TaskT,
    ToolsT,
    Work,
)
from citeloom.infrastructure.conversion.workers.worker import Attempt, attempt
from citeloom.infrastructure.conversion.workers.worker_process import (
    Stopped,
    WorkerLimits,
    WorkerProcess,
    cannot_start,
)

# An executor in this process, without limits of time and memory.

_log = structlog.get_logger(__name__)


class InlineExecutor(Executor[ToolsT]):
    """Runs one task after another as the consumer asks for them.

    The events of a task are passed on once its work is done.
    """

    def __init__(self, factory: Callable[[], ToolsT]) -> None:
        self._factory = factory
        self._tools: ToolsT | None = None

    def run(
        self, work: Work[TaskT, ToolsT, ResultT], tasks: Iterable[TaskT]
    ) -> Generator[TaskEvent[TaskT] | Outcome[TaskT, ResultT], None, None]:
        for task in tasks:
            if self._tools is None:
                self._tools = self._factory()
            yield from run_here(work, task, self._tools)

    def close(self) -> None:
        self._tools = None


def run_here(
    work: Work[TaskT, ToolsT, ResultT], task: TaskT, tools: ToolsT
) -> Iterator[TaskEvent[TaskT] | Outcome[TaskT, ResultT]]:
    """Run the work in this process; its events, then its outcome."""
    events: list[object] = []
    started = time.monotonic()
    done = attempt(work, task, tools, events.append)
    seconds = time.monotonic() - started
    if done.trace:
        _log.debug("document_failed", name=task.name, trace=done.trace)
    yield from (TaskEvent(task=task, event=event) for event in events)
    result = cast("ResultT | None", done.result)
    yield Outcome(task=task, result=result, error=done.error, seconds=seconds)


class HereFirstExecutor(Executor[ToolsT]):
    """Runs tasks in this process while `here` has tools for them; from the first on for which it
    has none, all are given to `workers`, which start with it.
    """

    def __init__(self, here: Callable[[Task], ToolsT | None], workers: Executor[ToolsT]) -> None:
        self._here = here
        self._workers = workers

    def run(
        self, work: Work[TaskT, ToolsT, ResultT], tasks: Iterable[TaskT]
    ) -> Generator[TaskEvent[TaskT] | Outcome[TaskT, ResultT], None, None]:
        remaining = iter(tasks)
        for task in remaining:
            tools = self._here(task)
            if tools is None:
                yield from self._workers.run(work, chain([task], remaining))
            else:
                yield from run_here(work, task, tools)

    def close(self) -> None:
        self._workers.close()


# A pool of threads, each with a worker process, that share a queue of tasks.

# Short memory may kill a worker as it starts, but hardly three times.
_STARTS = 3


@dataclass(slots=True, eq=False)
class Assignment:
    """A task and the future of its outcome. `news` receives the task's events and finally the
    assignment itself; its reader then sets `is_over`.
    """

    work: Work[Any, Any, Any]
    task: Task
    news: Callable[[TaskEvent[Any] | Assignment], None]
    outcome: Future[Outcome[Any, Any]] = field(default_factory=Future)
    is_over: bool = False

    def emit(self, event: object) -> None:
        self.news(TaskEvent(task=self.task, event=event))


class WorkerPool:
    """Runs tasks in up to `size` processes; each starts with its first task."""

    def __init__(self, factory: Callable[[], object], limits: WorkerLimits, size: int) -> None:
        self._factory = factory
        self._limits = limits
        self._size = size
        self._assignments: SimpleQueue[Assignment | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._stop, self._stopper = multiprocessing.Pipe(duplex=False)
        self._open = 0
        self._counting = threading.Lock()
        atexit.register(self.shutdown)

    def submit(
        self,
        work: Work[Any, Any, Any],
        task: Task,
        news: Callable[[TaskEvent[Any] | Assignment], None],
    ) -> Assignment:
        """Queue a task. Its outcome raises `CiteloomError` if no worker can start."""
        assignment = Assignment(work, task, news)
        with self._counting:
            self._open += 1
            is_short = len(self._threads) < min(self._size, self._open)
        self._assignments.put(assignment)
        if is_short:
            # A daemon: the interpreter joins all other threads before it runs the shutdown.
            thread = threading.Thread(target=self._work, name="worker", daemon=True)
            self._threads.append(thread)
            thread.start()
        return assignment

    def shutdown(self) -> None:
        """Stop running tasks; no process or thread is left when this returns.

        May be called twice, and is called at interpreter exit for a pool that is still open.
        """
        atexit.unregister(self.shutdown)
        self._stopper.close()
        for _ in self._threads:
            self._assignments.put(None)
        for thread in self._threads:
            thread.join()
        self._stop.close()

    def _work(self) -> None:
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        slot = _WorkerSlot(self._factory, self._limits, self._stop)
        try:
            while (assignment := self._assignments.get()) and not self._stop.poll():
                try:
                    outcome = slot.outcome(assignment)
                except Stopped:
                    assignment.outcome.cancel()
                except BaseException as error:  # noqa: BLE001 - raised where the outcome is awaited
                    assignment.outcome.set_exception(error)
                else:
                    assignment.outcome.set_result(outcome)
                with self._counting:
                    self._open -= 1
                assignment.news(assignment)
        finally:
            slot.stop()


class _WorkerSlot:
    """One worker of the pool: started with the first task, and replaced when it is spent."""

    def __init__(
        self, factory: Callable[[], object], limits: WorkerLimits, stop: Connection
    ) -> None:
        self._factory = factory
        self._limits = limits
        self._stop = stop
        self._worker: WorkerProcess | None = None

    def outcome(self, assignment: Assignment) -> Outcome[Any, Any]:
        """The task's outcome and its time, without the start of a worker.

        A task that a page stopped is tried again as the task says, until nothing helps.
        """
        task: Task | None = assignment.task
        seconds = 0.0
        while task is not None:
            done, more = self._attempt(assignment, task)
            seconds += more
            if done.page and isinstance(task, RetriedTask):
                task = task.after_failure(done.page, rest=done.rest)
            else:
                task = None
        return Outcome(task=assignment.task, result=done.result, error=done.error, seconds=seconds)

    def _attempt(self, assignment: Assignment, task: Task) -> tuple[Attempt, float]:
        """What became of the task and its time; a worker that ended before it started the task is
        replaced, and the task given to the next.
        """
        for _ in range(_STARTS):
            worker = self._running_worker()
            started = time.monotonic()
            done = worker.do(assignment.work, task, assignment.emit)
            seconds = time.monotonic() - started
            if worker.is_spent:
                self.stop()
            if done is not None:
                return done, seconds
        raise cannot_start("it ends before it starts on a document")

    def _running_worker(self) -> WorkerProcess:
        if self._worker is not None and not self._worker.is_spent:
            return self._worker
        ending = ""
        for _ in range(_STARTS):
            self.stop()
            self._worker = worker = WorkerProcess(self._factory, self._limits, self._stop)
            if worker.await_ready():
                return worker
            ending = worker.ending()
        raise cannot_start(ending)

    def stop(self) -> None:
        """End the worker, if there is one."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None


# Work in processes of their own, ahead of the consumer and in the order of the tasks.

# Outcomes that may wait for the consumer beside those the workers have in hand.
_AHEAD = 2


class ProcessExecutor(Executor[ToolsT]):
    """Does each task in one of `workers` processes, so that a document can hang, crash or exhaust
    memory and the next one is worked on all the same.

    Each process builds its own tools with `factory`. Processes start when tasks need them, and
    end with `close`, with a run that is closed early, or with this process. Raises
    `CiteloomError` when none can be started at all.
    """

    def __init__(
        self,
        factory: Callable[[], ToolsT],
        *,
        workers: int = 1,
        limits: WorkerLimits | None = None,
    ) -> None:
        if workers < 1:
            raise ValueError(f"an executor needs at least one worker, not {workers}")
        self._factory = factory
        self._workers = workers
        self._limits = limits or WorkerLimits()
        self._pool: WorkerPool | None = None

    def run(
        self, work: Work[TaskT, ToolsT, ResultT], tasks: Iterable[TaskT]
    ) -> Generator[TaskEvent[TaskT] | Outcome[TaskT, ResultT], None, None]:
        if self._pool is None:
            self._pool = WorkerPool(self._factory, self._limits, self._workers)
        news: SimpleQueue[TaskEvent[Any] | Assignment] = SimpleQueue()
        waiting: deque[Assignment] = deque()
        try:
            for task in tasks:
                waiting.append(self._pool.submit(work, task, news.put))
                yield from _collect(news, waiting, self._workers + _AHEAD - 1)
            yield from _collect(news, waiting, 0)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _collect(
    news: SimpleQueue[TaskEvent[Any] | Assignment], waiting: deque[Assignment], at_most: int
) -> Iterator[TaskEvent[Any] | Outcome[Any, Any]]:
    """What has come so far, outcomes in the order of the tasks; waits while the outcomes of more
    than `at_most` tasks are to come.
    """
    while len(waiting) > at_most or not news.empty():
        update = news.get()
        if isinstance(update, TaskEvent):
            yield update
        else:
            update.is_over = True
        while waiting and waiting[0].is_over:
            yield waiting.popleft().outcome.result()
