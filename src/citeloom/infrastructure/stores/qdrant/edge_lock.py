"""One process at a time at a collection on disk."""

from __future__ import annotations

import os
from pathlib import Path

from filelock import FileLock, Timeout

from citeloom.domain.errors import IndexLocked, IndexUnavailable


class CollectionLock:
    """An advisory lock on a folder, which the system releases when its holder dies.

    Taken before a shard is loaded: a second process that merely tries to load one can hang the
    first.
    """

    def __init__(self, folder: Path, *, timeout: float) -> None:
        self._folder = folder
        self._holder = folder / "holder"
        self._lock = FileLock(folder / "lock", timeout=timeout, thread_local=False)

    def acquire(self) -> None:
        """Wait for the lock as long as the timeout allows, then raise `IndexLocked`."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self._holder.write_text(str(os.getpid()), encoding="ascii")
        except Timeout as timeout:
            raise self._locked() from timeout
        except OSError as error:
            raise IndexUnavailable(
                f"The folder {self._folder} cannot be written: {error}",
                "Set data_dir under [paths] to a folder that can.",
            ) from error

    def release(self) -> None:
        """Let others in."""
        self._holder.unlink(missing_ok=True)
        self._lock.release()

    def _locked(self) -> IndexLocked:
        pid = self._holder_pid()
        who = f"process {pid}" if pid else "another process"
        stop = f", or stop process {pid}" if pid else ""
        return IndexLocked(
            f"Collection '{self._folder.name}' is in use by {who}",
            f"Wait until it has finished{stop}.",
        )

    def _holder_pid(self) -> str:
        try:
            return self._holder.read_text(encoding="ascii")
        except FileNotFoundError:
            return ""
