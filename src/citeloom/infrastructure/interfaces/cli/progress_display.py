"""Progress on stderr: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from abc import abstractmethod
from collections.abc import Callable
from math import exp
from typing import TYPE_CHECKING

from citeloom.application.events import NoProgress, Progress
from citeloom.infrastructure.answers.text import counted, one_line
from citeloom.infrastructure.interfaces.cli.console import note

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


# How far a run is, and how long it will go on.

_STEADY = 0.95  # up to this share of the work expected of a document, it counts as it is done
_NEARLY = 0.96  # a document in hand counts for no more, however long it is
_EXPECTED = 200  # pages and chunks of a document, until one is finished
_STORING = 2.0  # seconds: documents that are prepared wait for others to be stored with them


class ProgressEstimator:
    """Counts what a run has done, in documents and in the pages and chunks of those in hand.

    A document's work is a page converted or a chunk embedded; one in hand counts for as much of a
    document as it has of the work that the finished ones had on average, and every page of a longer
    one for a little more. Time counts from the first chunk embedded: before it, models are loaded,
    which is done once.
    """

    def __init__(self, total: int, clock: Callable[[], float]) -> None:
        self.total = total
        self._clock = clock
        self._began = clock()
        self.pages = self.chunks = self.stored = 0
        self._work: dict[str, int] = {}
        self._finished: dict[str, int] = {}

    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None:
        """So many more pages are converted, or chunks embedded."""
        if chunks and not self.chunks:
            self._began = self._clock()
        self.pages += pages
        self.chunks += chunks
        self._work[document] = self._work.get(document, 0) + pages + chunks

    def prepare(self, document: str) -> None:
        """All work on a document is done, save to store it."""
        self._finished[document] = self._work.pop(document, 0)

    def store(self, document: str) -> None:
        self.stored += 1
        if document not in self._finished:
            self.prepare(document)

    @property
    def share(self) -> float:
        """The share of the run's work that is done, from 0 to 1."""
        finished = len(self._finished)
        average = sum(self._finished.values()) / finished if finished else 0.0
        in_hand = sum(_part(done / (average or _EXPECTED)) for done in self._work.values())
        return min(1.0, (finished + in_hand) / self.total) if self.total else 1.0

    def seconds_left(self) -> float | None:
        """How long the run will go on if it goes on as it went; None before a tenth of it, or a
        tenth document, is done.
        """
        share = self.share
        if not len(self._finished) or (share < 0.1 and len(self._finished) < 10):
            return None
        return (self._clock() - self._began) * (1 - share) / share + _STORING


def _part(share: float) -> float:
    """What a document in hand counts for that has done this share of the work expected of it."""
    if share <= _STEADY:
        return share
    return _NEARLY - (_NEARLY - _STEADY) * exp((_STEADY - share) / 4)


_LINE_SECONDS = 5.0


def progress_for() -> Progress:
    return BarProgress() if sys.stderr.isatty() else LineProgress()


def progress_bar() -> Progress:
    """A bar on a terminal, nothing elsewhere."""
    return BarProgress() if sys.stderr.isatty() else NoProgress()


class _EstimatingProgress(Progress):
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._estimate = ProgressEstimator(0, clock)

    def start(self, total: int) -> None:
        self._estimate = ProgressEstimator(total, self._clock)

    def stage(self, document: str, stage: str) -> None:
        if stage == "store":
            self._estimate.prepare(document)
        self._show(one_line(f"{stage} {document[-40:]}"))

    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None:
        self._estimate.count(document, pages=pages, chunks=chunks)
        self._show()

    def advance(self, document: str, outcome: str) -> None:
        self._estimate.store(document)
        self._show_outcome(
            one_line(f"{document}  {outcome}"), is_failure=outcome.startswith("failed")
        )

    @abstractmethod
    def _show(self, description: str | None = None) -> None:
        """Show how far the run is, and what is in hand now."""
        ...

    @abstractmethod
    def _show_outcome(self, line: str, *, is_failure: bool) -> None:
        """Show that a document is done."""
        ...


class LineProgress(_EstimatingProgress):
    """One line for each document that is done, and one every few seconds that says how far the
    run is.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._last_line = clock()

    def start(self, total: int) -> None:
        super().start(total)
        self._last_line = self._clock()

    def finish(self) -> None: ...

    def _show(self, description: str | None = None) -> None:  # noqa: ARG002 - of the bar alone
        now = self._clock()
        if now - self._last_line < _LINE_SECONDS:
            return
        self._last_line = now
        estimate = self._estimate
        left = estimate.seconds_left()
        note(
            f"{counted(estimate.pages, 'page')} converted, "
            f"{counted(estimate.chunks, 'chunk')} embedded, "
            f"{estimate.stored} of {counted(estimate.total, 'document')} done"
            + (f", {_spoken(left)} left" if left is not None else "")
        )

    def _show_outcome(self, line: str, *, is_failure: bool) -> None:  # noqa: ARG002 - all are shown
        stored, total = self._estimate.stored, self._estimate.total
        note(f"[{stored}/{total}] {line}" if stored <= total else line)


class BarProgress(_EstimatingProgress):
    """A bar that moves with the pages converted and chunks embedded, with the time left, and the
    document in hand beside it.
    """

    _bar: RichProgress | None = None
    _task: TaskID

    def start(self, total: int) -> None:
        if not total:
            return
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        super().start(total)
        self._bar = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[counts]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=1.0, counts=f"0/{total}", left="")
        self._bar.start()

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _show(self, description: str | None = None) -> None:
        if self._bar is None:
            return
        estimate = self._estimate
        left = estimate.seconds_left()
        work = (
            f" · {counted(estimate.pages, 'page')} · {counted(estimate.chunks, 'chunk')}"
            if estimate.pages
            else ""
        )
        self._bar.update(
            self._task,
            description=description,
            completed=estimate.share,
            counts=f"{min(estimate.stored, estimate.total)}/{estimate.total}{work}",
            left=f"{_spoken(left)} left" if left is not None else "",
        )

    def _show_outcome(self, line: str, *, is_failure: bool) -> None:
        self._show()
        if self._bar is not None and is_failure:
            self._bar.print(line, markup=False, highlight=False, emoji=False)


def _spoken(seconds: float) -> str:
    """A length of time as one says it: a few seconds, 45 s, 12 min, 2 h 05 min."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    minutes = round(seconds / 60)
    hours = f"{minutes // 60} h {minutes % 60:02} min"
    return f"about {minutes} min" if minutes < 90 else f"about {hours}"
