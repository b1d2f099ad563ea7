"""Source files without those that are still being written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citeloom.application.ports.clock import Clock
from citeloom.application.ports.source_files import (
    FoundFile,
    Listing,
    SourceFiles,
    SourceFolder,
)

_NANOSECONDS = 1e9


@dataclass(frozen=True, slots=True)
class _Sighting:
    """The size and time of change that a file had, and since when (monotonic seconds)."""

    size: int
    modified_ns: int
    since: float


class SettledFiles(SourceFiles):
    """The files whose size and time of change have stood still for `seconds`.

    A file that was changed longer ago than that has settled at first sight.
    """

    def __init__(self, files: SourceFiles, *, clock: Clock, seconds: float) -> None:
        self._files = files
        self._clock = clock
        self._seconds = seconds
        self._sightings: dict[str, _Sighting] = {}
        self.unsettled: frozenset[str] = frozenset()
        """The names of the files that the last `find` left out."""

    def find(self, sources: Sequence[str], suffixes: frozenset[str]) -> Listing:
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
        now, seen = self._clock.monotonic(), self._sightings.get(file.name)
        if seen is None or (seen.size, seen.modified_ns) != (file.size, file.modified_ns):
            self._sightings[file.name] = _Sighting(file.size, file.modified_ns, now)
            return False
        return now - seen.since >= self._seconds
