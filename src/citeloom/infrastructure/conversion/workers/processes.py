"""Work in processes of their own, ahead of the consumer and in the order of the tasks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from queue import SimpleQueue
from typing import Any

from citeloom.application.ports.executor import (
    Executor,
    Outcome,
    ResultT,
    TaskT,
    Told,
    ToolsT,
    Work,
)
from citeloom.infrastructure.conversion.workers.worker_pool import Assignment, WorkerPool
from citeloom.infrastructure.conversion.workers.worker_process import WorkerLimits

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
    ) -> Generator[Told[TaskT] | Outcome[TaskT, ResultT], None, None]:
        if self._pool is None:
            self._pool = WorkerPool(self._factory, self._limits, self._workers)
        news: SimpleQueue[Told[Any] | Assignment] = SimpleQueue()
        waiting: deque[Assignment] = deque()
        try:
            for task in tasks:
                waiting.append(self._pool.submit(work, task, news.put))
                yield from _arrived(news, waiting, self._workers + _AHEAD - 1)
            yield from _arrived(news, waiting, 0)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _arrived(
    news: SimpleQueue[Told[Any] | Assignment], waiting: deque[Assignment], at_most: int
) -> Iterator[Told[Any] | Outcome[Any, Any]]:
    """What has come so far, outcomes in the order of the tasks; waits while the outcomes of more
    than `at_most` tasks are to come.
    """
    while len(waiting) > at_most or not news.empty():
        update = news.get()
        if isinstance(update, Told):
            yield update
        else:
            update.is_over = True
        while waiting and waiting[0].is_over:
            yield waiting.popleft().outcome.result()
