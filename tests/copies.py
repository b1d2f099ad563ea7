"""Copies of libraries, which take milliseconds."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path


def copy_folder(
    source: Path, target: Path, *, ignore: Callable[[str, list[str]], set[str]] | None = None
) -> None:
    """Copy a folder and the holes of its files: an index of one chunk has 240 MB, nearly all of
    them never written.
    """
    shutil.copytree(source, target, ignore=ignore, copy_function=_copy_file, dirs_exist_ok=True)


def _copy_file(source: str, target: str) -> None:
    if not hasattr(os, "SEEK_DATA"):
        shutil.copy2(source, target)
        return
    with Path(source).open("rb") as read, Path(target).open("wb") as written:
        for start, end in _data(read.fileno()):
            read.seek(start)
            written.seek(start)
            written.write(read.read(end - start))
        written.truncate(os.fstat(read.fileno()).st_size)
    shutil.copystat(source, target)


def _data(descriptor: int) -> Iterator[tuple[int, int]]:
    """Where the parts of a file that are no holes begin and end."""
    end = 0
    while True:
        try:
            start = os.lseek(descriptor, end, os.SEEK_DATA)
        except OSError:  # there is none after `end`
            return
        end = os.lseek(descriptor, start, os.SEEK_HOLE)
        yield start, end
