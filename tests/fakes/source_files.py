"""An in-memory `SourceFiles`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from posixpath import normpath

from citeloom.application.ports.sources import (
    FoundFile,
    SkippedFile,
    SourceFiles,
    SourceFolder,
    SourceListing,
)
from citeloom.domain.errors import UnreadableDocument

LIBRARY = Path("/library")


class InMemorySourceFiles(SourceFiles):
    """Files in a dictionary; a source is missing unless a file lies in it, its folder stays.

    Every change of a file is a tick of the clock that its time of change is read from.
    """

    def __init__(self, texts: Mapping[str, str] | None = None, *, base: Path = LIBRARY) -> None:
        self._base = base
        self._files: dict[str, tuple[bytes, int]] = {}
        self._folders: set[str] = set()
        self._unreadable: set[str] = set()
        self._skipped: dict[str, str] = {}
        self._ticks = 0
        self.hashed: list[str] = []
        for name, text in (texts or {}).items():
            self.write(name, text)

    @classmethod
    def copy_of(cls, folder: Path, *, base: Path) -> InMemorySourceFiles:
        """The files below a real folder, as they lie there."""
        files = cls(base=base)
        for path in folder.rglob("*"):
            if path.is_symlink() and not path.resolve().is_relative_to(base):
                files._skipped[path.as_posix()] = "a link that leaves its folder"
            elif path.exists() and not (path.is_file() or path.is_dir()):
                files._skipped[path.as_posix()] = "no regular file"
            elif path.is_file():
                files._files[path.as_posix()] = path.read_bytes(), path.stat().st_mtime_ns
            if path.is_dir():
                files._folders.add(path.as_posix())
        return files

    def write(self, name: str, text: str, *, modified_ns: int | None = None) -> None:
        """Make a file, or give one new content."""
        self._ticks += 1
        place = self._place(name)
        self._files[place] = text.encode(), modified_ns or self._ticks
        self._folders |= {str(folder) for folder in PurePosixPath(place).parents}

    def move(self, name: str, to: str) -> None:
        """Rename a file; its content and time stay."""
        self._files[self._place(to)] = self._files.pop(self._place(name))

    def remove(self, name: str) -> None:
        """Delete a file."""
        del self._files[self._place(name)]

    def forbid(self, name: str) -> None:
        """Let a file be seen but not read."""
        self._unreadable.add(self._place(name))

    def allow(self, name: str) -> None:
        """Let a forbidden file be read again."""
        self._unreadable.discard(self._place(name))

    def texts(self) -> dict[str, str]:
        """The text of every file by the last part of its name."""
        return {PurePosixPath(p).name: content.decode() for p, (content, _) in self._files.items()}

    def find(self, sources: Sequence[str], suffixes: frozenset[str]) -> SourceListing:
        found: dict[str, FoundFile] = {}
        missing: list[str] = []
        others: Counter[str] = Counter()
        for source in sources:
            place = self._place(source)
            below = [path for path in self._files if path.startswith(f"{place}/")]
            if place in self._files:
                self._add(found, place)
            elif not below and place not in self._skipped:
                missing.append(source)
            for path in below:
                inner = PurePosixPath(path).relative_to(place)
                if any(part.startswith(".") for part in inner.parts):
                    continue
                if inner.suffix.lower() in suffixes:
                    self._add(found, path)
                else:
                    others[inner.suffix.lower()] += 1
        files = tuple(found[name] for name in sorted(found))
        return SourceListing(
            files=files,
            missing=tuple(missing),
            ignored=others.total(),
            other_kinds=dict(others),
            skipped=tuple(self._not_read([self._place(source) for source in sources])),
        )

    def folder(self, source: str) -> SourceFolder:
        place = self._place(source)
        if place in self._files:
            place = str(PurePosixPath(place).parent)
        known = place == self._base.as_posix() or place in self._folders
        return SourceFolder(name=self._name(place), fault="" if known else "no such file or folder")

    def unmount(self, name: str) -> None:
        """Take a folder away with all that is in it."""
        place = self._place(name)
        self._files = {p: f for p, f in self._files.items() if not p.startswith(f"{place}/")}
        self._folders = {p for p in self._folders if not f"{p}/".startswith(f"{place}/")}

    def content_hash(self, path: Path) -> str:
        place = path.as_posix()
        if place not in self._files or place in self._unreadable:
            raise UnreadableDocument(f"{path.name} cannot be read")
        self.hashed.append(path.name)
        return self.digest(path)

    def digest(self, path: Path) -> str:
        """The hash of the bytes a file has now, without a note of it in `hashed`."""
        content, _ = self._files.get(path.as_posix(), (b"", 0))
        return hashlib.sha256(content).hexdigest()

    def _not_read(self, places: Sequence[str]) -> Iterator[SkippedFile]:
        for path, reason in sorted(self._skipped.items()):
            if any(path == place or path.startswith(f"{place}/") for place in places):
                yield SkippedFile(name=self._name(path), reason=reason)

    def _name(self, place: str) -> str:
        path = Path(place)
        return (
            path.relative_to(self._base) if path.is_relative_to(self._base) else path
        ).as_posix()

    def _place(self, source: str) -> str:
        return normpath((self._base / source).as_posix())

    def _add(self, found: dict[str, FoundFile], place: str) -> None:
        name = self._name(place)
        content, changed = self._files[place]
        found[name] = FoundFile(path=Path(place), name=name, size=len(content), modified_ns=changed)
