"""Files that are replaced whole: who reads one sees what was there before, or all that is new."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex
from shutil import copymode

PRIVATE, SHARED = 0o600, 0o666
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


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
    is seen.

    Raises `OSError`, and leaves what was there.
    """
    partial = path.with_name(f"{token_hex(8)}.part")
    try:
        with os.fdopen(os.open(partial, _NEW, mode), "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if like is not None:
            copymode(like, partial)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
