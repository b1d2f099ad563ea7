"""The room on a disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from citeloom.application.ports.disk_space import DiskSpace


class FolderDiskSpace(DiskSpace):
    """The room on the disk of a folder, which need not be there yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def free_bytes(self) -> int | None:
        there = next((p for p in (self._folder, *self._folder.parents) if p.exists()), None)
        if there is None:
            return None
        try:
            return shutil.disk_usage(there).free
        except OSError:
            return None
