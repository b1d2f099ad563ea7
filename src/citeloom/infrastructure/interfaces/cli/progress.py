"""Progress on stderr: a bar on a terminal, a line a document elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from citeloom.application.ports.progress import Progress
from citeloom.infrastructure.interfaces.cli.console import note
from citeloom.infrastructure.serialisation.text import one_line

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


def progress_for() -> Progress:
    """What suits this stderr."""
    return BarProgress() if sys.stderr.isatty() else LineProgress()


class LineProgress(Progress):
    """One line for each document that is done."""

    def __init__(self) -> None:
        self._total = self._done = 0

    def start(self, total: int) -> None:
        self._total = total

    def stage(self, document: str, stage: str) -> None:
        pass

    def advance(self, document: str, outcome: str) -> None:
        self._done += 1
        note(one_line(f"[{self._done}/{self._total}] {document}  {outcome}"))

    def finish(self) -> None:
        pass


class BarProgress(Progress):
    """A bar over all documents with the time left, and the document in hand beside it."""

    def __init__(self) -> None:
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def start(self, total: int) -> None:
        if not total:
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=total)
        self._bar.start()

    def stage(self, document: str, stage: str) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=one_line(f"{stage} {document[-40:]}"))

    def advance(self, document: str, outcome: str) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task)
            if outcome.startswith("failed"):
                told = one_line(f"{document}  {outcome}")
                self._bar.print(told, markup=False, highlight=False, emoji=False)

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
