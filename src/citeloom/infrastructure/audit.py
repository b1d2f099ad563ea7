"""The audit log as one file of JSON lines a project."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from citeloom.application.disk_space import write_error
from citeloom.application.ports.records import AuditLog
from citeloom.domain.errors import IndexUnavailable


class JsonlAuditLog(AuditLog):
    """Appends each record as one line to `<folder>/<project>.jsonl`.

    A line is appended in one write, so lines of several processes do not mix. A line that a killed
    run left incomplete stays on its own; readers skip it, and empty lines, which appear when two
    processes write at the same moment.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, project_id: str) -> Path:
        """The project's file; no two projects share one."""
        return self._folder / f"{project_id.replace('/', '+')}.jsonl"

    def append(self, project_id: str, record: Mapping[str, object]) -> None:
        text = json.dumps(dict(record), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        # As UTF-8; characters that it cannot encode are JSON escapes.
        line = (text + "\n").encode("utf-8", "backslashreplace")
        path = self.path_of(project_id)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a+b", buffering=0) as log:
                _write_whole(log, b"\n" + line if _ends_torn(log) else line)
                os.fsync(log.fileno())
        except OSError as error:
            refused = IndexUnavailable(
                f"the audit log {path} cannot be written: {error.strerror or error}",
                "Check that the folder is writable and the disk has room.",
            )
            raise write_error(f"the audit log {path}", error, refused) from error


def _ends_torn(log: BinaryIO) -> bool:
    if log.seek(0, os.SEEK_END) == 0:
        return False
    log.seek(-1, os.SEEK_END)
    return log.read(1) != b"\n"


def _write_whole(log: BinaryIO, data: bytes) -> None:
    """One write, so that no other process's line comes between; half a line is an error."""
    written = log.write(data)
    if written != len(data):
        raise OSError(f"only {written} of {len(data)} bytes were written")
