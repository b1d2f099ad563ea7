"""Files that are replaced whole: who reads one sees what was there before, or all that is new."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import copymode
from tempfile import NamedTemporaryFile


def replace_file(path: Path, content: bytes, *, like: Path | None = None) -> None:
    """Put a file with this content in the place of `path`, on the disk before it is seen, with the
    permissions of the file `like`, or else readable by its owner alone.

    Raises `OSError`, and leaves what was there.
    """
    with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        partial = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if like is not None:
                copymode(like, partial)
        except BaseException:
            partial.unlink()
            raise
    partial.replace(path)
