"""The use cases `watch` and `sync --watch`: they keep a project's index equal to its folders, or to
its Zotero selection.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from citeloom.application.events import ReadEvent, RunFailed, RunReported, SourcesAbsent
from citeloom.application.ports.runtime import Cancellation, Clock
from citeloom.application.ports.sources import (
    FolderChanges,
    FoundFile,
    SourceFiles,
    SourceFolder,
    SourceListing,
    ZoteroLibrary,
)
from citeloom.application.reports import IngestReport
from citeloom.application.requests.ingest import IngestRequest, PaceRequest
from citeloom.domain.documents.manifest import WithheldRemoval
from citeloom.domain.errors import CiteloomError, LibraryLocked

# Source files without those that are still being written.

_NANOSECONDS = 1e9


class SettledFiles(SourceFiles):
    """The files whose size and time of change have not changed for `seconds`.

    A file that was changed longer ago than that has settled at first sight.
    """

    def __init__(self, files: SourceFiles, *, clock: Clock, seconds: float) -> None:
        self._files = files
        self._clock = clock
        self._seconds = seconds
        self._sightings: dict[str, tuple[int, int, float]] = {}
        """The size and time of change that a file had, and since when (monotonic seconds)."""
        self.unsettled: frozenset[str] = frozenset()
        """The names of the files that the last `find` left out."""

    def find(self, sources: Sequence[str], suffixes: frozenset[str]) -> SourceListing:
        listing = self._files.find(sources, suffixes)
        if not suffixes:  # asked only which files are there
            return listing
        settled = [file for file in listing.files if self._has_settled(file)]
        self.unsettled = frozenset(file.name for file in listing.files) - {
            file.name for file in settled
        }
        self._sightings = {
            name: seen for name, seen in self._sightings.items() if name in self.unsettled
        }
        return replace(listing, files=tuple(settled))

    def folder(self, source: str) -> SourceFolder:
        return self._files.folder(source)

    def content_hash(self, path: Path) -> str:
        return self._files.content_hash(path)

    def _has_settled(self, file: FoundFile) -> bool:
        age = self._clock.now().timestamp() - file.modified_ns / _NANOSECONDS
        if age >= self._seconds:
            return True
        now, as_seen = self._clock.monotonic(), (file.size, file.modified_ns)
        *before, since = self._sightings.get(file.name, (0, 0, now))
        if tuple(before) != as_seen:
            self._sightings[file.name] = (*as_seen, now)
            return False
        return now - since >= self._seconds


_TICK_SECONDS = 0.5
"""So often it is looked whether the watch should stop."""


@dataclass(slots=True)
class _Reports:
    """The reports of a watch, of which those that say nothing new are not sent."""

    _withheld: tuple[WithheldRemoval, ...] = ()

    def have_news(self, report: IngestReport) -> bool:
        """Whether a run did something, or withheld what it had not withheld before."""
        before, self._withheld = self._withheld, report.withheld
        return bool(
            any(report.changes.values())
            or report.failed
            or any(marks.changed for marks in report.marks.values())
            or report.interrupted
            or set(self._withheld) - set(before)
        )


@dataclass(slots=True, kw_only=True)
class Watch:
    """Ingests at the start, after every change, and now and then in case a change was missed.

    Every run looks at all of the sources, so nothing depends on which changes were noticed, and a
    watch that was killed continues where it stopped. A document is removed with its file, unless
    its source may have been unmounted.
    """

    sources: tuple[str, ...]
    suffixes: frozenset[str]
    files: SourceFiles
    changes: FolderChanges
    clock: Clock
    ingest: Callable[[SourceFiles, IngestRequest, ReadEvent], IngestReport]
    pace: PaceRequest
    _inhabited: set[str] = field(default_factory=set, init=False)
    _reported: tuple[str, ...] = field(default=(), init=False)
    _reports: _Reports = field(default_factory=_Reports, init=False)
    _seen: set[str] = field(default_factory=set, init=False)

    def __call__(self, request: IngestRequest, send: ReadEvent) -> None:
        """Watch until the cancellation of `request` is requested; what happens goes to `send`.

        Raises what the first run raises; later errors are sent as `RunFailed`.
        """
        with closing(self.changes):
            settled = SettledFiles(self.files, clock=self.clock, seconds=self.pace.settle_seconds)
            first = self._ingest(settled, request, send)
            if first is not None:
                self._reports.have_news(first)
                send(RunReported(report=first))
            while not self._rests(settled, request.cancellation):
                try:
                    report = self._ingest(settled, request, send)
                except CiteloomError as error:
                    send(RunFailed(error=error))
                else:
                    if report is not None and self._reports.have_news(report):
                        send(RunReported(report=report))

    def _ingest(
        self, settled: SettledFiles, request: IngestRequest, send: ReadEvent
    ) -> IngestReport | None:
        """Ingest from the sources that are there; None where there is none."""
        intact, doubts = self.changes.are_intact(), list[str]()
        for source in self.sources:  # one without a file was emptied, or may be unmounted
            if files := self.files.find((source,), self.suffixes).files:
                self._inhabited.add(source)
                self._seen.update(file.name for file in files)
            elif not intact or source not in self._inhabited:
                doubts.append(source)
        doubtful = tuple(doubts)
        if doubtful != self._reported:
            self._reported = doubtful
            if doubtful:
                send(SourcesAbsent(sources=doubtful))
        there = tuple(source for source in self.sources if source not in doubtful)
        if not there:
            return None
        settled.find(there, self.suffixes)
        run = IngestRequest(
            sources=there,
            prune=not doubtful and not settled.unsettled,
            confirm=self._saw_files_of,
            retry_failed=request.retry_failed,
            restore=request.restore,
            waiting=request.waiting,
            stop=request.stop,
        )
        return self.ingest(settled, run, send)

    def _saw_files_of(self, removal: WithheldRemoval) -> bool:
        """Whether the watch saw the files that are missing now."""
        return self.changes.are_intact() and self._seen.issuperset(removal.documents)

    def _rests(self, settled: SettledFiles, cancellation: Cancellation) -> bool:
        """Wait until there is something to do; True when the watch is to stop."""
        began = self.clock.monotonic()
        patience = self.pace.settle_seconds if settled.unsettled else self.pace.sweep_seconds
        while not cancellation.requested:
            left = began + patience - self.clock.monotonic()
            if left <= 0 or self.changes.wait(min(left, _TICK_SECONDS)):
                return cancellation.requested
        return True


@dataclass(slots=True, kw_only=True)
class ZoteroWatch:
    """Synchronises at the start, once Zotero has been quiet for a while after a change, and now and
    then for what it does not note in its database, such as changes of linked files, and where it is
    read over an API.

    While Zotero keeps writing nothing is read, at most until the next sweep is due.
    """

    zotero: Callable[[], ZoteroLibrary]
    clock: Clock
    sync: Callable[[IngestRequest, ReadEvent], IngestReport]
    pace: PaceRequest
    pause: Callable[[float], object] = time.sleep
    _reports: _Reports = field(default_factory=_Reports, init=False)

    def __call__(self, request: IngestRequest, send: ReadEvent) -> None:
        """Watch until the cancellation of `request` is requested; what happens goes to `send`.

        Raises what the first run raises, save that Zotero keeps writing; later errors are sent as
        `RunFailed`.
        """
        read_as, is_first = "", True
        while is_first or self._is_due(read_as, request.cancellation):
            read_as = self._state()
            try:
                report = self.sync(request, send)
            except CiteloomError as error:
                if is_first and not isinstance(error, LibraryLocked):
                    raise
                send(RunFailed(error=error))
            else:
                if self._reports.have_news(report) or is_first:
                    send(RunReported(report=report))
            is_first = False

    def _is_due(self, read_as: str, cancellation: Cancellation) -> bool:
        """Wait until there is something to do; False when the watch is to stop."""
        began = quiet_since = self.clock.monotonic()
        latest = read_as
        while not cancellation.requested:
            now, state = self.clock.monotonic(), self._state()
            if state != latest:
                latest, quiet_since = state, now
            is_settled = now - quiet_since >= self.pace.settle_seconds
            if (state != read_as and is_settled) or now - began >= self.pace.sweep_seconds:
                return True
            self.pause(_TICK_SECONDS)
        return False

    def _state(self) -> str:
        """The state of Zotero's database; empty where it cannot be looked at, or costs too much."""
        try:
            zotero = self.zotero()
            return zotero.fingerprint() if zotero.has_stamps else ""
        except CiteloomError:
            return ""
