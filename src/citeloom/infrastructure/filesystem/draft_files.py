"""Drafts in folders, the decisions beside each, and the files that passages are collected in."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from pathlib import Path

from filelock import FileLock

from citeloom.application.disk_space import write_error
from citeloom.application.ports.records import ChapterFiles, DecisionFiles
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.whole_file import replace_file

# Which drafts there are.

_MOST_LOOKED_AT = 20_000
_MOST_LISTED = 50


@dataclass(frozen=True, slots=True, order=True)
class DraftFile:
    """A draft in a folder: when it was last changed, in nanoseconds, and its path."""

    modified_ns: int
    path: Path


def latest_drafts(
    roots: Sequence[Path], suffixes: Collection[str], left_out: Collection[Path]
) -> list[DraftFile]:
    """The drafts below folders that were changed last, the latest first: at most 50, and of the
    first 20,000 entries. Hidden ones are left out, and links are not followed.
    """
    files = islice(_files(roots, {*left_out}), _MOST_LOOKED_AT)
    drafts = (
        DraftFile(entry.stat(follow_symlinks=False).st_mtime_ns, Path(entry.path))
        for entry in files
        if os.path.splitext(entry.name)[1].lower() in suffixes  # noqa: PTH122 - of many entries
    )
    return nlargest(_MOST_LISTED, {draft.path: draft for draft in drafts}.values())


def _files(roots: Sequence[Path], left_out: Collection[Path]) -> Iterator[os.DirEntry[str]]:
    waiting = [root for root in roots if root.is_dir()]
    while waiting:
        folder = waiting.pop(0)
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                path = Path(entry.path)
                if entry.name.startswith(".") or path in left_out:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif entry.is_file(follow_symlinks=False):
                    yield entry


# The decisions on one.

_SUFFIX = ".citeloom.json"
_MOST_BYTES = 16_000_000
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class DecisionsBesideDrafts(DecisionFiles):
    """`thesis.md.citeloom.json` beside `thesis.md`, with the draft's permissions; `lock` is the
    file that processes lock while they change one. Links and special files are refused.
    """

    def __init__(self, *, lock: Path) -> None:
        self._lock = lock

    def path(self, draft: Path) -> Path:
        return draft.with_name(f"{draft.name}{_SUFFIX}")

    def read(self, draft: Path) -> str | None:
        with _translated_errors(path := self.path(draft)):
            return _text(path)

    def change(self, draft: Path, change: Callable[[str | None], str]) -> None:
        with _translated_errors(path := self.path(draft)):
            self._lock.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self._lock):
                content = change(_text(path)).encode("utf-8", "replace")
                replace_file(path, content, like=draft)


def _text(path: Path, most_bytes: int = _MOST_BYTES) -> str | None:
    try:
        descriptor = os.open(path, _OPEN)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > most_bytes:
            raise OSError(None, "it is no regular file, or too large")
        return file.read().decode()


@contextmanager
def _translated_errors(path: Path, setting: str = "") -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is not UTF-8 text", "Save it as UTF-8, or move it away."
        ) from error
    except OSError as error:
        refused = ConfigError(
            f"{path} cannot be read or written: {error.strerror or error}",
            f"Make it a regular file, no link, in a folder that you may write to{setting}.",
        )
        raise write_error(str(path), error, refused) from error


# The files that passages are collected in.

_CHAPTER_SUFFIX = ".md"
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_BLOCK = 1 << 20
_SETTING = " ([paths] collected_dir)"


class FolderChapterFiles(ChapterFiles):
    """Markdown files in `folder`, which is made at the first passage; `lock` is the path of the
    file that processes lock while they append. Links and special files are refused.
    """

    def __init__(self, folder: Path, *, lock: Path) -> None:
        self._folder = folder
        self._lock = lock

    def path(self, name: str) -> Path:
        return self._folder / f"{name}{_CHAPTER_SUFFIX}"

    def names(self) -> list[str]:
        return sorted(
            path.stem for path in self._folder.glob(f"*{_CHAPTER_SUFFIX}") if path.is_file()
        )

    def read(self, name: str) -> str | None:
        path = self.path(name)
        with _translated_errors(path, _SETTING):
            return _text(path, sys.maxsize)

    def append(self, name: str, addition: Callable[[str], str]) -> bool:
        path = self.path(name)
        with _translated_errors(path, _SETTING):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self._lock):
                flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_LINKS
                descriptor = os.open(path, flags, 0o644)
                try:
                    text = _text_of(descriptor)
                    added = addition(text)
                    if "\r\n" in text:
                        added = added.replace("\n", "\r\n")
                    _write_whole(descriptor, added.encode("utf-8", "replace"))
                finally:
                    os.close(descriptor)
                return bool(added)


def _text_of(descriptor: int) -> str:
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
