"""Files and folders on disk, the paths that clients may name, and the free space."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from citeloom.application.ports.runtime import DiskSpace
from citeloom.application.ports.sources import (
    FoundFile,
    SkippedFile,
    SourceFiles,
    SourceFolder,
    SourceListing,
)
from citeloom.domain.documents.manifest import name_of_path, path_of_name
from citeloom.domain.errors import NotFound, PathNotAllowed, UnreadableDocument

# Paths that come from another program, held within the folders it may name.

_HINT = (
    "Name a file or folder below the sources of the project in citeloom.toml, "
    "or below [server] roots."
)


def allowed_path(path: str, roots: Sequence[Path], base: Path) -> Path:
    """The absolute path of a regular file or a folder at or below one of `roots`.

    Relative paths start at `base`. Nothing but a root may be a symbolic link, and `..` is no way
    out. Raises `PathNotAllowed`, and `NotFound` for nothing at a place that is allowed.
    """
    if "\0" in path or not path.strip() or ".." in Path(path).parts:
        raise _refused(path)
    target = Path(os.path.normpath(base / path))
    for root in roots:
        if target.is_relative_to(root):
            return _checked(path, root, target)
        if target.is_relative_to(root.resolve()):
            return _checked(path, root.resolve(), target)
    raise _refused(path)


def _checked(path: str, root: Path, target: Path) -> Path:
    mode, way = 0, target.relative_to(root).parts
    for step in (root.joinpath(*way[:depth]) for depth in range(len(way) + 1)):
        try:
            mode = (step.stat() if step == root else step.lstat()).st_mode
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(f"there is no '{path}'", _HINT) from None
        except OSError as error:
            raise _refused(path) from error
        if stat.S_ISLNK(mode):
            raise _refused(path)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise _refused(path)
    return target


def _refused(path: str) -> PathNotAllowed:
    return PathNotAllowed(f"the path {path!a} may not be read from here", _HINT)


# Files and folders on disk.

_BLOCK = 1 << 20
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_HIDDEN = (".", "~$")
"""Names of hidden files begin so, and of what Word keeps beside a document that is open in it."""
_OF_THE_SYSTEM = ("/proc", "/sys", "/dev")


class DiskSourceFiles(SourceFiles):
    """The file system, read-only; relative paths belong to `base_dir`. File systems of the
    operating system's own (/proc, /sys, /dev) are skipped.

    With `follow_links`, links out of a source folder are followed, too. The folder `left_out` is
    skipped below a source, but may be one.
    """

    def __init__(
        self, base_dir: Path, *, follow_links: bool = False, left_out: Path | None = None
    ) -> None:
        self._base = base_dir.resolve()
        self._follow = follow_links
        self._left_out = frozenset() if left_out is None else frozenset({left_out.resolve()})

    def find(self, sources: Sequence[str], suffixes: frozenset[str]) -> SourceListing:
        search = _Search(
            base=self._base, suffixes=suffixes, follow=self._follow, left_out=self._left_out
        )
        for source in sources:
            search.source(source)
        return search.listing()

    def folder(self, source: str) -> SourceFolder:
        place = _place(self._base, source)
        if place.is_file():
            place = place.parent
        name = _name(place, self._base)
        try:
            with os.scandir(place) as entries:
                next(entries, None)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return SourceFolder(name=name, fault="no such file or folder")
        except OSError as error:
            return SourceFolder(name=name, fault=f"the folder cannot be read: {error.strerror}")
        return SourceFolder(name=name)

    def content_hash(self, path: Path) -> str:
        digest = hashlib.sha256()
        try:
            with os.fdopen(_open_regular(path), "rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
        except OSError as error:
            raise UnreadableDocument(
                f"the file cannot be read: {error.strerror}", "Check its permissions."
            ) from error
        return digest.hexdigest()


@dataclass(slots=True, kw_only=True)
class _Search:
    base: Path
    suffixes: frozenset[str]
    follow: bool
    left_out: frozenset[Path]
    by_name: dict[str, FoundFile] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    skipped: dict[str, SkippedFile] = field(default_factory=dict)
    unreadable: dict[str, SkippedFile] = field(default_factory=dict)
    other_kinds: Counter[str] = field(default_factory=Counter)

    def source(self, source: str) -> None:
        """Search a named file or folder, which may be a link; what cannot be read is noted under
        the name that was given.
        """
        place = _place(self.base, source)
        facts = _facts(place)
        if facts is None:
            self.missing.append(source)
        elif isinstance(facts, str):
            self.unreadable[source] = SkippedFile(name=source, reason=facts)
        elif stat.S_ISDIR(facts.st_mode):
            self._folder(place, facts, place.resolve(), self.left_out)
            if unread := self.unreadable.pop(_name(place, self.base), None):
                self.unreadable[source] = replace(unread, name=source)
        else:
            self._file(place, facts)

    def listing(self) -> SourceListing:
        return SourceListing(
            files=tuple(self.by_name[name] for name in sorted(self.by_name)),
            missing=tuple(self.missing),
            ignored=self.other_kinds.total(),
            other_kinds=dict(self.other_kinds),
            skipped=tuple(self.skipped[name] for name in sorted(self.skipped)),
            unreadable=tuple(self.unreadable[name] for name in sorted(self.unreadable)),
        )

    def _folder(
        self, folder: Path, facts: os.stat_result, source: Path, above: frozenset[Path]
    ) -> None:
        """Search a folder without hidden files and without links to its own parents."""
        if facts.st_dev in _system_devices():
            self._note(self.skipped, folder, "a folder of the operating system's own files")
            return
        try:
            entries = [path for path in folder.iterdir() if not path.name.startswith(_HIDDEN)]
        except OSError as error:
            self._note(self.unreadable, folder, f"the folder cannot be read: {error.strerror}")
            return
        above |= {folder.resolve()}
        for path in entries:
            inner, stays = _facts(path), self.follow or not path.is_symlink()
            if inner is None or isinstance(inner, str):
                self._note(self.unreadable, path, inner or "a broken link")
            elif not stays and not path.resolve().is_relative_to(source):
                self._note(self.skipped, path, "a link that leaves the folder named as source")
            elif stat.S_ISDIR(inner.st_mode):
                if path.resolve() not in above:
                    self._folder(path, inner, source, above)
            elif path.suffix.lower() in self.suffixes:
                self._file(path, inner)
            else:
                self.other_kinds[path.suffix.lower()] += 1

    def _file(self, path: Path, facts: os.stat_result) -> None:
        if not stat.S_ISREG(facts.st_mode) or facts.st_dev in _system_devices():
            kind = _KINDS.get(stat.S_IFMT(facts.st_mode), "a special file")
            self._note(self.skipped, path, f"{kind}; only regular files are read")
            return
        name = _name(path, self.base)
        self.by_name[name] = FoundFile(
            path=Path(_absolute(path)),
            name=name,
            size=facts.st_size,
            modified_ns=facts.st_mtime_ns,
        )

    def _note(self, notes: dict[str, SkippedFile], path: Path, reason: str) -> None:
        name = _name(path, self.base)
        notes[name] = SkippedFile(name=name, reason=reason)


def _name(path: Path, base: Path) -> str:
    absolute, folder = _absolute(path), os.path.join(base, "")  # noqa: PTH118 - of each file
    inside = "." if absolute == str(base) else absolute.removeprefix(folder)
    name = inside.replace(os.sep, "/")
    return name_of_path(name)


def _place(base: Path, source: str) -> Path:
    """Where a source is: a path, or the name of a file, of which its path cannot be printed."""
    place = base / source
    return place if os.path.lexists(place) else base / path_of_name(source)


@cache
def _system_devices() -> frozenset[int]:
    """The devices of the file systems that show the machine's state instead of documents.

    Memory that is mounted below one of them, such as /dev/shm, has a device of its own.
    """
    devices = {Path(place).stat().st_dev for place in _OF_THE_SYSTEM if Path(place).is_dir()}
    return frozenset(devices - {Path("/").stat().st_dev})


def _facts(path: Path) -> os.stat_result | str | None:
    """What is known of a file, links followed; the error if unreadable; None if missing."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # a name cannot contain NUL
        return None
    except OSError as error:
        return f"it cannot be accessed: {error.strerror}"


def _open_regular(path: Path) -> int:
    """Open a regular file; a pipe without a writer does not block."""
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(errno.EINVAL, "it is not a regular file")
    return opened


def _absolute(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - keeps symbolic links as they are


# The free space of a disk.

_BLOCK_BYTES = 512  # of `st_blocks`, whatever the file system's own blocks are


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
        for folder, _, names in os.walk(self._folder):
            for name in names:
                with suppress(OSError):
                    facts = Path(folder, name).stat()
                    blocks = getattr(facts, "st_blocks", None)  # where the system says
                    if blocks is not None:
                        free -= max(0, facts.st_size - int(blocks) * _BLOCK_BYTES)
        return max(0, free)
