"""Changes below folders, noticed by the operating system."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from pathlib import Path

from watchfiles import Change, watch

from citeloom.application.ports.sources import FolderChanges

Changes = Generator[set[tuple[Change, str]], None, None]

_GATHER_MILLISECONDS = 200
_TIMEOUT_MILLISECONDS = 250


class WatchedFolders(FolderChanges):
    """Watches by inotify, FSEvents or ReadDirectoryChanges, through watchfiles.

    Where the system cannot watch, as beyond its limit of watched folders, only time passes.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._first = self._watched = self._identities()
        self._changes = self._opened()

    def wait(self, seconds: float) -> bool:
        ends = time.monotonic() + seconds
        while True:
            if self._identities() != self._watched:
                self.close()
                self._watched = self._identities()
                self._changes = self._opened()
                return True
            if self._noticed(ends - time.monotonic()):
                return True
            if time.monotonic() >= ends:
                return False

    def are_intact(self) -> bool:
        return None not in self._first and self._identities() == self._first

    def close(self) -> None:
        if self._changes is not None:
            self._changes.close()
            self._changes = None

    def _noticed(self, seconds: float) -> bool:
        """Whether something changed within a moment, and within `seconds` at the most."""
        if self._changes is None:
            time.sleep(max(0.0, min(seconds, _TIMEOUT_MILLISECONDS / 1000)))
            return False
        try:
            return bool(next(self._changes, None))
        except OSError:
            self.close()
            return True

    def _opened(self) -> Changes | None:
        """Start watching now, not with the first wait."""
        there = [folder for folder in self._folders if folder.exists()]
        if not there:
            return None
        changes = watch(
            *there,
            watch_filter=None,
            debounce=_GATHER_MILLISECONDS,
            rust_timeout=_TIMEOUT_MILLISECONDS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        try:
            next(changes)
        except OSError:
            return None
        return changes

    def _identities(self) -> tuple[tuple[int, int] | None, ...]:
        """The device and number of each folder; None where it is missing."""
        identities: list[tuple[int, int] | None] = []
        for folder in self._folders:
            try:
                facts = folder.stat()
            except OSError:
                identities.append(None)
            else:
                identities.append((facts.st_dev, facts.st_ino))
        return tuple(identities)
