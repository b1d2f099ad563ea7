"""An executor in this process, without limits of time and memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from typing import cast

import structlog

from citeloom.application.ports.executor import (
    Executor,
    Outcome,
    ResultT,
    TaskT,
    Told,
    ToolsT,
    Work,
)
from citeloom.infrastructure.conversion.workers.attempt import attempt

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
    ) -> Generator[Told[TaskT] | Outcome[TaskT, ResultT], None, None]:
        for task in tasks:
            if self._tools is None:
                self._tools = self._factory()
            told: list[object] = []
            started = time.monotonic()
            done = attempt(work, task, self._tools, told.append)
            seconds = time.monotonic() - started
            if done.trace:
                _log.debug("document_failed", name=task.name, trace=done.trace)
            yield from (Told(task=task, event=event) for event in told)
            result = cast("ResultT | None", done.result)
            yield Outcome(task=task, result=result, error=done.error, seconds=seconds)

    def close(self) -> None:
        self._tools = None
