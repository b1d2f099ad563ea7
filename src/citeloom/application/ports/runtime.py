"""The surroundings of a run: cancellation, clock, workers, disk space, write lease."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from threading import Event, RLock
from typing import Generic, Protocol, Self, TypeVar, runtime_checkable

from citeloom.domain.errors import CiteloomError, DeadlineExceeded


class Cancellation:
    """Cancels work, from any thread or from a signal; work that begins later is cancelled at once.

    Work that can stop in good order looks at `requested` now and then; what waits for something
    is ended by what it has named with `ending`. With `asked` it is also requested once that
    function returns True.
    """

    def __init__(self, asked: Callable[[], bool] | None = None) -> None:
        self._lock = RLock()  # a signal may interrupt the thread that has it
        self._ends: list[Callable[[], None]] = []
        self._requested = Event()
        self._asked = asked

    @property
    def requested(self) -> bool:
        """Whether the work is to end."""
        if self._asked is not None and not self._requested.is_set() and self._asked():
            self.request()
        return self._requested.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for a request for so long; whether there is one."""
        return self._requested.wait(seconds) or self.requested

    def check(self) -> None:
        """Raise `DeadlineExceeded` if the work is to end."""
        if self.requested:
            raise DeadlineExceeded("nobody waits for the answer any more", "Try again.")

    def request(self) -> None:
        """End the work; a second time does nothing."""
        with self._lock:
            self._requested.set()
            ends, self._ends = self._ends, []
        for end in ends:
            end()

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """While this lasts, a request calls `end`, once and from its own thread."""
        with self._lock:
            self._ends.append(end)
        if self.requested:
            self.request()
        try:
            yield
        finally:
            with self._lock:
                if end in self._ends:
                    self._ends.remove(end)


class Clock(Protocol):
    """The current time; tests can set it."""

    @abstractmethod
    def now(self) -> datetime:
        """The current time in UTC."""

    @abstractmethod
    def monotonic(self) -> float:
        """Seconds that never run backwards, for measuring durations."""


# The executor, which runs the work on each document in this process or in others.


class Task(Protocol):
    """The work on one document, with all its inputs."""

    @property
    def name(self) -> str:
        """The document's name in messages."""


@runtime_checkable
class RetriedTask(Task, Protocol):
    """A task that can be tried again after a page stopped it."""

    def after_failure(self, page: int, *, rest: bool) -> Self | None:
        """The task with that page, and with `rest` all further ones, read in the simplest way;
        None if that cannot help.
        """


TaskT = TypeVar("TaskT", bound=Task)
ToolsT = TypeVar("ToolsT")
ToolsT_co = TypeVar("ToolsT_co", covariant=True)
ResultT = TypeVar("ResultT")

EmitEvent = Callable[[object], None]
Work = Callable[[TaskT, ToolsT, EmitEvent], ResultT]


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


@dataclass(frozen=True, slots=True)
class ChunksEmbedded:
    """So many further chunks have their vectors."""

    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEvent(Generic[TaskT]):
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
    ) -> Generator[TaskEvent[TaskT] | Outcome[TaskT, ResultT], None, None]:
        """Run the work on each task. Closing the generator stops running tasks.

        Raises `CiteloomError` if no worker can start.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the tools. May be called twice; a later `run` builds them again."""


class DiskSpace(Protocol):
    """The room on the disk that a library's data lies on."""

    @abstractmethod
    def free_bytes(self) -> int | None:
        """How much may still be written; None where that is not known."""


Waiting = Callable[[str], None]
"""Called once with the owner of the lease, before waiting for it."""


class WriteLease(Protocol):
    """The right to change a project's manifest and index. Readers need none."""

    @abstractmethod
    def hold(
        self, project_id: str, *, waiting: Waiting | None = None
    ) -> AbstractContextManager[None]:
        """Hold the lease until the context or the process ends. It is reentrant.

        While another process holds it, raises `IndexLocked` with its owner, or calls `waiting`
        with the owner and waits. Raises `IndexUnavailable` if the lease cannot be written.
        """
