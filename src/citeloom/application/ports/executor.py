"""The executor, which runs the work on each document in this process or in others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar, runtime_checkable

from citeloom.domain.errors import CiteloomError


class Task(Protocol):
    """The work on one document, with all its inputs."""

    @property
    def name(self) -> str:
        """The document's name in messages."""
        ...


@runtime_checkable
class RetriedTask(Task, Protocol):
    """A task that can be tried again after a page stopped it."""

    def after_failure(self, page: int, *, rest: bool) -> Self | None:
        """The task with that page, and with `rest` all further ones, read in the simplest way;
        None if that cannot help.
        """
        ...


TaskT = TypeVar("TaskT", bound=Task)
ToolsT = TypeVar("ToolsT")
ToolsT_co = TypeVar("ToolsT_co", covariant=True)
ResultT = TypeVar("ResultT")

Tell = Callable[[object], None]
Work = Callable[[TaskT, ToolsT, Tell], ResultT]


@dataclass(frozen=True, slots=True)
class PageBegun:
    """The conversion of a page begins; page 0 is work that belongs to no page."""

    page: int


@dataclass(frozen=True, slots=True)
class ImageBegun:
    """OCR of this page begins."""

    page: int


@dataclass(frozen=True, slots=True)
class StageBegun:
    """A stage after the conversion begins; `size` is its number of characters or chunks."""

    stage: str
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Generic[TaskT]):
    """An event that a task reported while it ran."""

    task: TaskT
    event: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[TaskT, ResultT]):
    """A task with its result or with the error that stopped it, never both."""

    task: TaskT
    result: ResultT | None = None
    error: CiteloomError | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if (self.result is None) == (self.error is None):
            raise ValueError("an outcome has either a result or an error")


class Executor(Protocol[ToolsT_co]):
    """Runs work on tasks, with tools that are built where the work runs.

    Guarantees: one outcome for every task, in order, even if its work raises, or hangs or crashes
    in a process of its own; a task's events come before its outcome, and start again with a
    `RetriedTask` that a page stopped. Tasks are read in the consumer's thread, a bounded number
    ahead. Time limits follow the events `PageBegun`, `ImageBegun` and `StageBegun`, which the work
    reports.
    """

    @abstractmethod
    def run(
        self, work: Work[TaskT, ToolsT_co, ResultT], tasks: Iterable[TaskT]
    ) -> Generator[Told[TaskT] | Outcome[TaskT, ResultT], None, None]:
        """Run the work on each task. Closing the generator stops running tasks.

        Raises `CiteloomError` if no worker can start.
        """
        ...

    @abstractmethod
    def close(self) -> None:
        """Release the tools. May be called twice; a later `run` builds them again."""
        ...
