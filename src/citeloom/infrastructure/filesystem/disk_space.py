"""The free space of a disk."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from citeloom.application.ports.runtime import DiskSpace

_BLOCK = 512  # bytes, whatever the file system's own blocks are


class FolderDiskSpace(DiskSpace):
    """The free space on the disk of a folder, which need not exist yet.

    Space that its files have claimed but not filled does not count as free: an embedded index makes
    files longer than their content, and opening them may fill them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def free_bytes(self) -> int | None:
        there = next((p for p in (self._folder, *self._folder.parents) if p.exists()), None)
        if there is None:
            return None
        try:
            free = shutil.disk_usage(there).free
        except OSError:
            return None
        folders = os.walk(self._folder)
        files = (Path(folder) / name for folder, _, names in folders for name in names)
        return max(0, free - sum(map(_unfilled, files)))


def _unfilled(path: Path) -> int:
    """The bytes a file may still take without growing; 0 where the system does not say."""
    try:
        facts = path.stat()
    except OSError:
        return 0
    blocks = getattr(facts, "st_blocks", None)
    return 0 if blocks is None else max(0, facts.st_size - int(blocks) * _BLOCK)
