"""The lock that lets one process at a time open a collection on disk."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from filelock import FileLock, Timeout

from citeloom.application.disk_space import is_out_of_room, no_room_for
from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.infrastructure.stores.qdrant.edge.owner_messages import (
    OwnerProcess,
    read_owner,
    remove_owner,
    write_owner,
)

_LEAST_FREE = 16 << 20
"""Bytes: opening a shard fills files that are mapped into memory, which kills where it cannot."""


class CollectionLock:
    """An advisory lock on a folder, which the system releases when its owner dies.

    It is acquired before a shard is loaded: a second process that tries to load one can hang the
    first.
    """

    def __init__(self, folder: Path, *, timeout: float, purpose: str = "") -> None:
        self._folder = folder
        self._purpose = purpose
        self._lock = FileLock(folder / "lock", timeout=timeout, thread_local=False)

    def acquire(self) -> None:
        """Acquire the lock. Raises `IndexLocked` after the timeout."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self._record_owner()
        except Timeout as timeout:
            raise self._locked() from timeout
        except OSError as error:
            if is_out_of_room(error):
                raise no_room_for(f"the folder {self._folder}") from error
            raise IndexUnavailable(
                f"The folder {self._folder} cannot be written: {error.strerror or error}",
                "Set data_dir under [paths] to a writable folder.",
            ) from error

    def _record_owner(self) -> None:
        try:
            _check_free(self._folder)
            write_owner(self._folder, OwnerProcess.this_process(self._purpose))
        except OSError:
            self._lock.release()
            raise

    def release(self) -> None:
        """Release the lock."""
        remove_owner(self._folder)
        self._lock.release()

    def _locked(self) -> IndexLocked:
        owner = read_owner(self._folder)
        stop = f", or stop process {owner.pid}" if owner else ""
        return IndexLocked(
            f"Collection '{self._folder.name}' is in use by {owner or 'another process'}",
            f"Wait until it has finished{stop}.",
        )


def _check_free(folder: Path) -> None:
    if shutil.disk_usage(folder).free < _LEAST_FREE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
