"""The files that passages are collected in, as Markdown in a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from citeloom.application.disk_space import is_out_of_room, no_room_for
from citeloom.application.ports.records import ChapterFiles
from citeloom.domain.errors import ConfigError

_SUFFIX = ".md"
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_BLOCK = 1 << 20


class FolderChapterFiles(ChapterFiles):
    """Markdown files in `folder`, which is made at the first passage; `lock` is the path of the
    file that processes lock while they append. Links and special files are refused.
    """

    def __init__(self, folder: Path, *, lock: Path) -> None:
        self._folder = folder
        self._lock = lock

    def path(self, name: str) -> Path:
        return self._folder / f"{name}{_SUFFIX}"

    def names(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob(f"*{_SUFFIX}") if path.is_file())

    def read(self, name: str) -> str | None:
        path = self.path(name)
        with _translated_errors(path):
            try:
                descriptor = os.open(path, os.O_RDONLY | _NO_LINKS | getattr(os, "O_NONBLOCK", 0))
            except FileNotFoundError:
                return None
            try:
                return _text(descriptor)
            finally:
                os.close(descriptor)

    def append(self, name: str, addition: Callable[[str], str]) -> bool:
        path = self.path(name)
        with _translated_errors(path):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self._lock):
                flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_LINKS
                descriptor = os.open(path, flags, 0o644)
                try:
                    text = _text(descriptor)
                    added = addition(text)
                    if "\r\n" in text:
                        added = added.replace("\n", "\r\n")
                    _write_whole(descriptor, added.encode("utf-8", "replace"))
                finally:
                    os.close(descriptor)
                return bool(added)


def _text(descriptor: int) -> str:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(None, "it is no regular file")
    blocks = iter(lambda: os.read(descriptor, _BLOCK), b"")
    return b"".join(blocks).decode("utf-8")


def _write_whole(descriptor: int, content: bytes) -> None:
    """Write everything, or leave the file as it was."""
    before = os.fstat(descriptor).st_size
    try:
        while content:
            content = content[os.write(descriptor, content) :]
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, before)
        raise


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text", "Save it as UTF-8.") from error
    except OSError as error:
        if is_out_of_room(error):
            raise no_room_for(str(path)) from error
        raise ConfigError(
            f"{path} cannot be read or written: {error.strerror or error}",
            "Make it a regular file, no link, in a folder that you may write to "
            "([paths] collected_dir).",
        ) from error
