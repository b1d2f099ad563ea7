"""Folders in memory: a store that syncs often is slow to make on disk."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_IN_MEMORY = Path("/dev/shm")


@contextmanager
def in_memory(*, room: int = 0) -> Iterator[Path]:
    """A folder that goes in the end, in memory where that can be and has so many bytes free."""
    has_room = os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free >= room
    with tempfile.TemporaryDirectory(
        prefix="citeloom-tests-", dir=_IN_MEMORY if has_room else None, ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)
