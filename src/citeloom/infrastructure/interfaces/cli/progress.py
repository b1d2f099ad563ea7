"""Progress on stderr: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from citeloom.application.ports.progress import Progress
from citeloom.infrastructure.interfaces.cli.console import note
from citeloom.infrastructure.interfaces.cli.counting import counted
from citeloom.infrastructure.interfaces.cli.tally import Tally
from citeloom.infrastructure.serialisation.text import one_line

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

_LINE_SECONDS = 5.0


def progress_for() -> Progress:
    """What suits this stderr."""
    return BarProgress() if sys.stderr.isatty() else LineProgress()


class LineProgress(Progress):
    """One line for each document that is done, and one every few seconds that says how far the
    run is.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tally = Tally(0, clock)
        self._told = clock()

    def start(self, total: int) -> None:
        self._tally = Tally(total, self._clock)
        self._told = self._clock()

    def stage(self, document: str, stage: str) -> None:
        if stage == "store":
            self._tally.prepare(document)
        self._tell_now_and_then()

    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None:
        self._tally.count(document, pages=pages, chunks=chunks)
        self._tell_now_and_then()

    def advance(self, document: str, outcome: str) -> None:
        self._tally.store(document)
        tally = self._tally
        place = f"[{tally.stored}/{tally.total}] " if tally.stored <= tally.total else ""
        note(one_line(f"{place}{document}  {outcome}"))

    def finish(self) -> None:
        pass

    def _tell_now_and_then(self) -> None:
        now = self._clock()
        if now - self._told < _LINE_SECONDS:
            return
        self._told = now
        tally = self._tally
        left = tally.seconds_left()
        note(
            f"{counted(tally.pages, 'page')} converted, {counted(tally.chunks, 'chunk')} embedded, "
            f"{tally.stored} of {counted(tally.total, 'document')} done"
            + (f", {_spoken(left)} left" if left is not None else "")
        )


class BarProgress(Progress):
    """A bar that moves with the pages converted and chunks embedded, with the time left, and the
    document in hand beside it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tally = Tally(0, clock)
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def start(self, total: int) -> None:
        if not total:
            return
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self._tally = Tally(total, self._clock)
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

    def stage(self, document: str, stage: str) -> None:
        if stage == "store":
            self._tally.prepare(document)
        self._show(description=one_line(f"{stage} {document[-40:]}"))

    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None:
        self._tally.count(document, pages=pages, chunks=chunks)
        self._show()

    def advance(self, document: str, outcome: str) -> None:
        self._tally.store(document)
        self._show()
        if self._bar is not None and outcome.startswith("failed"):
            told = one_line(f"{document}  {outcome}")
            self._bar.print(told, markup=False, highlight=False, emoji=False)

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _show(self, description: str | None = None) -> None:
        if self._bar is None or self._task is None:
            return
        tally = self._tally
        left = tally.seconds_left()
        worked = (
            f" · {counted(tally.pages, 'page')} · {counted(tally.chunks, 'chunk')}"
            if tally.pages
            else ""
        )
        self._bar.update(
            self._task,
            description=description,
            completed=tally.share,
            counts=f"{min(tally.stored, tally.total)}/{tally.total}{worked}",
            left=f"{_spoken(left)} left" if left is not None else "",
        )


def _spoken(seconds: float) -> str:
    """A length of time as one says it: a few seconds, 45 s, 12 min, 2 h 05 min."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    minutes = round(seconds / 60)
    hours = f"{minutes // 60} h {minutes % 60:02} min"
    return f"about {minutes} min" if minutes < 90 else f"about {hours}"
