"""Files that are replaced whole: who reads one sees what was there before, or all that is new."""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from shutil import copymode
from typing import BinaryIO

PRIVATE, SHARED = 0o600, 0o666
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_PARTIAL = re.compile(r"[0-9a-f]{16}\.part")
_ABANDONED = 3600
"""Seconds after its last change from which on a partial file that nobody has locked is removed: a
new one is locked within microseconds.
"""


def replace_file(
    path: Path,
    content: bytes,
    *,
    like: Path | None = None,
    mode: int = PRIVATE,
    durable: bool = True,
) -> None:
    """Put a file with this content in the place of `path`, with the permissions of the file `like`,
    or else those of `mode` that the process grants; `durable` says that it is on the disk before it
    is seen. The first file that goes into a folder removes the partial ones that killed processes
    left there.

    Raises `OSError`, and leaves what was there.
    """
    _remove_abandoned(path.parent)
    partial = path.with_name(f"{token_hex(8)}.part")
    try:
        with os.fdopen(os.open(partial, _NEW, mode), "wb") as file:
            _lock(file)
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
            if like is not None:
                copymode(like, partial)
            if sys.platform != "win32":
                partial.replace(path)  # as long as it is locked
        if sys.platform == "win32":
            partial.replace(path)  # an open file is not renamed there
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


@lru_cache(maxsize=1024)  # a listing of thousands of files for each that is written
def _remove_abandoned(folder: Path) -> None:
    """Remove partial files that are an hour old and that no process is writing."""
    for partial in folder.glob("*.part"):
        if not _PARTIAL.fullmatch(partial.name):
            continue
        with suppress(OSError), partial.open("r+b") as file:
            age = time.time() - os.fstat(file.fileno()).st_mtime
            if age > _ABANDONED and _lock(file):
                partial.unlink()


def _lock(file: BinaryIO) -> bool:
    """Lock the file until it is closed; whether the system can, and nobody else has."""
    if sys.platform == "win32":
        return False
    import fcntl  # noqa: PLC0415 - not on every system

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
