"""The work of a single worker done within the process of the tests, which takes a tenth of the
time: to start a worker is to load the converter and the models anew.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from unittest.mock import patch

from citeloom.application.ports.runtime import (
    Executor,
    Outcome,
    ResultT,
    TaskEvent,
    TaskT,
    ToolsT,
    Work,
)
from citeloom.infrastructure.conversion.workers import processes
from citeloom.infrastructure.conversion.workers.processes import InlineExecutor, ProcessExecutor

T = TypeVar("T")


class PicklingExecutor(InlineExecutor[ToolsT]):
    """Works in this process; what would go to a worker and come back is copied as it is there."""

    def __init__(self, factory: Callable[[], ToolsT]) -> None:
        super().__init__(_copied(factory))

    def run(
        self, work: Work[TaskT, ToolsT, ResultT], tasks: Iterable[TaskT]
    ) -> Generator[TaskEvent[TaskT] | Outcome[TaskT, ResultT], None, None]:
        for task in tasks:
            for update in super().run(_copied(work), [_copied(task)]):
                if isinstance(update, TaskEvent):
                    yield TaskEvent(task=task, event=_copied(update.event))
                else:
                    result, error = _copied((update.result, update.error))
                    yield Outcome(task=task, result=result, error=error, seconds=update.seconds)


def _copied(sent: T) -> T:
    copy: T = pickle.loads(pickle.dumps(sent))
    return copy


@contextmanager
def single_workers_within() -> Iterator[None]:
    """Meanwhile a library that is opened in this process and has one worker starts none; with
    more of them (`--workers 2`) it starts them all.
    """

    def executor(factory: Callable[[], Any], *, workers: int = 1, **limits: Any) -> Executor[Any]:
        if workers == 1:
            return PicklingExecutor(factory)
        return ProcessExecutor(factory, workers=workers, **limits)

    with patch.object(processes, "ProcessExecutor", executor):
        yield
