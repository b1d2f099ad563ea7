"""The events of runs, one stream: progress displays, jobs and watches read it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from citeloom.application.reports import IngestReport
    from citeloom.domain.answers.answer import Answer, Sentence
    from citeloom.domain.errors import CiteloomError


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A run has so many documents to work on."""

    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StageReached:
    """A document has reached a stage: `convert`, `chunk`, `embed` or, once ready, `store`."""

    document: str
    stage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDone:
    """Further pages of a document were converted, or further chunks embedded."""

    document: str
    pages: int = 0
    chunks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDone:
    """A document is done: `indexed`, `updated`, `unchanged` or `failed`, with a detail; likewise a
    question that was asked, or a file that was downloaded.
    """

    document: str
    state: str
    detail: str = ""

    @property
    def outcome(self) -> str:
        """The state, with the detail behind a colon."""
        return f"{self.state}: {self.detail}" if self.detail else self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """A run is over, however it ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReported:
    """A watch did something: the report of its first run, or of one that found something to do."""

    report: IngestReport


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed:
    """A run of a watch failed; it is tried again at the next sweep."""

    error: CiteloomError


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesAbsent:
    """Sources of a watch are missing or empty, perhaps not mounted: no document of them, or of any
    other source, is removed until they are back.
    """

    sources: tuple[str, ...]


RunEvent = (
    RunStarted
    | StageReached
    | WorkDone
    | DocumentDone
    | RunEnded
    | RunReported
    | RunFailed
    | SourcesAbsent
)
ReadEvent = Callable[[RunEvent], None]
"""Reads an event of a run; never raises, never slows the run."""


def no_reader(_event: RunEvent) -> None:
    """Ignores every event."""


@contextmanager
def reported_run(total: int, events: ReadEvent) -> Iterator[None]:
    """Say that a run begins with so many things to do, and that it is over, however it ends."""
    events(RunStarted(total=total))
    try:
        yield
    finally:
        events(RunEnded())


# Progress displays, which are shown the events of a run.


class Progress(Protocol):
    """Receives the progress of a run. Never raises, never slows the run."""

    @abstractmethod
    def start(self, total: int) -> None:
        """The run starts, with `total` documents."""

    @abstractmethod
    def stage(self, document: str, stage: str) -> None:
        """A document has reached a stage: `convert`, `chunk`, `embed` or, once ready, `store`; of a
        draft `reading` or `checking`.
        """

    @abstractmethod
    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None:
        """Further pages of a document were converted, or further chunks embedded."""

    @abstractmethod
    def advance(self, document: str, outcome: str) -> None:
        """A document is done: `indexed`, `failed` or `unchanged`, with a detail behind a colon."""

    @abstractmethod
    def finish(self) -> None:
        """The run is over. May be called twice."""


class NoProgress(Progress):
    def start(self, total: int) -> None: ...

    def stage(self, document: str, stage: str) -> None: ...

    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None: ...

    def advance(self, document: str, outcome: str) -> None: ...

    def finish(self) -> None: ...


def reader_of(progress: Progress | None, events: ReadEvent | None = None) -> ReadEvent:
    """Reads events for both, where there are any."""
    readers = [shown_by(progress)] if progress is not None else []
    readers += [events] if events is not None else []

    def read(event: RunEvent) -> None:
        for reader in readers:
            reader(event)

    return read


def shown_by(progress: Progress) -> ReadEvent:
    """A reader that shows a run as progress."""

    def read(event: RunEvent) -> None:
        match event:
            case RunStarted():
                progress.start(event.total)
            case StageReached():
                progress.stage(event.document, event.stage)
            case WorkDone():
                progress.count(event.document, pages=event.pages, chunks=event.chunks)
            case DocumentDone():
                progress.advance(event.document, event.outcome)
            case RunEnded():
                progress.finish()
            case _:
                pass

    return read


# The events of an answer.


class AnswerEvents(Protocol):
    """Receives an answer while it is made, in the thread that makes it."""

    @abstractmethod
    def found(self, answer: Answer) -> None:
        """The answer before its first sentence: its passages and its verdict."""

    @abstractmethod
    def shown(self, sentence: Sentence) -> None:
        """The next sentence of the answer, once it is checked."""


class NoEvents(AnswerEvents):
    def found(self, answer: Answer) -> None: ...

    def shown(self, sentence: Sentence) -> None: ...
