"""Drafts in folders, and beside each the file with a reader's decisions on it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from pathlib import Path

from filelock import FileLock

from citeloom.application.disk_space import is_out_of_room, no_room_for
from citeloom.application.ports.records import DecisionFiles
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


def _text(path: Path) -> str | None:
    try:
        descriptor = os.open(path, _OPEN)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _MOST_BYTES:
            raise OSError(None, "it is no regular file, or too large")
        return file.read().decode()


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text", "Mend it, or move it away.") from error
    except OSError as error:
        if is_out_of_room(error):
            raise no_room_for(str(path)) from error
        raise ConfigError(
            f"{path} cannot be read or written: {error.strerror or error}",
            "Make it a regular file, no link, in a folder that you may write to.",
        ) from error
