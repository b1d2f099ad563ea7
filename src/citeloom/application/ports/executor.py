"""The port that runs the work on each document, in this process or in others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from citeloom.domain.errors import CiteloomError


class Task(Protocol):
    """One document's share of the work, with everything the work needs to know."""

    @property
    def name(self) -> str:
        """What messages call the document."""
        ...


TaskT = TypeVar("TaskT", bound=Task)
ToolsT = TypeVar("ToolsT")
ToolsT_co = TypeVar("ToolsT_co", covariant=True)
ResultT = TypeVar("ResultT")

Tell = Callable[[object], None]
Work = Callable[[TaskT, ToolsT, Tell], ResultT]


@dataclass(frozen=True, slots=True)
class PageBegun:
    """The conversion of this page begins; 0 for work that is no page's."""

    page: int


@dataclass(frozen=True, slots=True)
class ImageBegun:
    """This page is an image, and is being read."""

    page: int


@dataclass(frozen=True, slots=True)
class StageBegun:
    """A stage other than the conversion begins, for so many characters or chunks."""

    stage: str
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Generic[TaskT]):
    """Something a task told while it was worked on."""

    task: TaskT
    event: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[TaskT, ResultT]):
    """A task and what became of it: a result, or the error that stopped it. Never both."""

    task: TaskT
    result: ResultT | None = None
    error: CiteloomError | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if (self.result is None) == (self.error is None):
            raise ValueError("an outcome has either a result or an error")


class Executor(Protocol[ToolsT_co]):
    """Runs work on tasks, each with tools that are built where it runs.

    Guarantees: one outcome for every task, in the order of the tasks, also for one whose work
    raises, hangs or crashes where it is run apart; what a task tells comes before its outcome.
    Tasks are taken in the consumer's thread, ahead of the consumer in bounded number. The limits
    that an executor sets follow `PageBegun`, `ImageBegun` and `StageBegun`, which the work tells.
    """

    @abstractmethod
    def run(
        self, work: Work[TaskT, ToolsT_co, ResultT], tasks: Iterable[TaskT]
    ) -> Generator[Told[TaskT] | Outcome[TaskT, ResultT], None, None]:
        """Do the work on each task. Closing the generator stops what is under way.

        Raises `CiteloomError` when no work can be begun at all.
        """
        ...

    @abstractmethod
    def close(self) -> None:
        """Let go of the tools. May be called twice; a later `run` builds them anew."""
        ...
