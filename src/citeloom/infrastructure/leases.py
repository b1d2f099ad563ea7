"""Write leases, and the address of a server, as locked files, which the system releases when their
owner dies.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from citeloom.application.disk_space import write_error
from citeloom.application.ports.runtime import Waiting, WriteLease
from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.domain.project import collection_name_for
from citeloom.infrastructure.whole_file import SHARED, replace_file


class FileWriteLease(WriteLease):
    """A lock file for each project in `folder`, with a JSON file that names its owner."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._locks: dict[str, FileLock] = {}

    @contextmanager
    def hold(self, project_id: str, *, waiting: Waiting | None = None) -> Iterator[None]:
        lock, record = self._lock(project_id), self._file(project_id, "json")
        self._acquire(lock, project_id, waiting)
        try:
            if lock.lock_counter == 1:
                with _translated_errors(self._folder):
                    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
                    since = datetime.now(tz=UTC).isoformat(timespec="seconds")
                    owner = {"pid": os.getpid(), "command": command, "since": since}
                    text = json.dumps(owner)
                    replace_file(record, text.encode(), mode=SHARED, durable=False)
            yield
        finally:
            if lock.lock_counter == 1:
                record.unlink(missing_ok=True)
            lock.release()

    def _acquire(self, lock: FileLock, project_id: str, waiting: Waiting | None) -> None:
        with _translated_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire(timeout=0)
            except Timeout as timeout:
                owner = _described(self._file(project_id, "json"))
                if waiting is None:
                    raise IndexLocked(
                        f"project '{project_id}' is being changed by {owner}",
                        "Try again when it has finished, or wait for it with --wait.",
                    ) from timeout
                waiting(owner)
                lock.acquire(timeout=-1)

    def _lock(self, project_id: str) -> FileLock:
        if project_id not in self._locks:
            path = self._file(project_id, "lock")
            self._locks[project_id] = FileLock(path, thread_local=False)
        return self._locks[project_id]

    def _file(self, project_id: str, suffix: str) -> Path:
        return self._folder / f"{collection_name_for(project_id)}.{suffix}"


@contextmanager
def _translated_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        refused = IndexUnavailable(
            f"the folder {folder} cannot be written: {error.strerror or error}",
            "Set data_dir under [paths] to a writable folder.",
        )
        raise write_error(f"the folder {folder}", error, refused) from error


def _described(file: Path) -> str:
    """The owner of the lease: process, command and start time, if known."""
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        pid, command, since = values["pid"], values["command"], values["since"]
    except (OSError, ValueError, LookupError, TypeError):
        return "another process"
    return f"process {pid} (`{command}`, since {since})"


_PATIENCE = 1.0
"""Seconds for which a server waits for who just looks whether there is one."""


class ServerAddress:
    """The address of the server of a library, in a file of `folder` that only this user can read.
    It counts as long as the process that wrote it has a lock: a server that was killed has none.
    """

    def __init__(self, folder: Path) -> None:
        self._record = folder / "server"
        self._lock = FileLock(folder / "server.lock", thread_local=False)

    @contextmanager
    def written(self, url: str) -> Iterator[bool]:
        """Keep the address in the file, where no other server of the library has its own there and
        the folder can be written; whether it is.
        """
        is_written = self._acquire(_PATIENCE) and self._write(url)
        try:
            yield is_written
        finally:
            if is_written:
                self._record.unlink(missing_ok=True)
            self._lock.release()

    def read(self) -> str | None:
        """The address; None where no server of the library is running."""
        try:
            url = self._record.read_text(encoding="utf-8")
        except OSError:
            return None
        if self._acquire():
            self._lock.release()
            return None
        return url

    def _acquire(self, seconds: float = 0) -> bool:
        try:
            self._lock.acquire(timeout=seconds)
        except (Timeout, OSError):
            return False
        return True

    def _write(self, url: str) -> bool:
        try:
            replace_file(self._record, url.encode(), durable=False)
        except OSError:
            return False
        return True
