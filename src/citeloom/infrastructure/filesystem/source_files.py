"""Files and folders on disk."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from citeloom.application.ports.source_files import FoundFile, Listing, SourceFiles
from citeloom.domain.errors import SourceUnavailable, UnreadableDocument

_BLOCK = 1 << 20


class DiskSourceFiles(SourceFiles):
    """The file system, seen from a project's folder. Nothing is ever written."""

    def __init__(self, base_dir: Path) -> None:
        self._base = base_dir.resolve()

    def find(self, sources: Sequence[str], suffixes: frozenset[str]) -> Listing:
        found: dict[str, FoundFile] = {}
        missing: list[str] = []
        ignored = 0
        for source in sources:
            place = self._base / source
            if place.is_dir():
                for path in _files_below(place):
                    if path.suffix.lower() in suffixes:
                        self._add(found, path)
                    else:
                        ignored += 1
            elif place.is_file():
                self._add(found, place)
            else:
                missing.append(source)
        files = tuple(found[name] for name in sorted(found))
        return Listing(files=files, missing=tuple(missing), ignored=ignored)

    def content_hash(self, path: Path) -> str:
        digest = hashlib.sha256()
        try:
            with path.open("rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
        except OSError as error:
            raise UnreadableDocument(
                f"the file cannot be read: {error.strerror}", "Check its permissions."
            ) from error
        return digest.hexdigest()

    def _add(self, found: dict[str, FoundFile], path: Path) -> None:
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 - keeps symbolic links as they are
        inside = absolute.is_relative_to(self._base)
        name = _readable((absolute.relative_to(self._base) if inside else absolute).as_posix())
        try:
            stat = path.stat()
        except OSError:
            size, modified_ns = 0, 0
        else:
            size, modified_ns = stat.st_size, stat.st_mtime_ns
        found[name] = FoundFile(path=absolute, name=name, size=size, modified_ns=modified_ns)


def _readable(name: str) -> str:
    """The name with a mark for each byte that is no text, so that it can be printed and stored."""
    return os.fsencode(name).decode("utf-8", errors="replace")


def _files_below(folder: Path, above: frozenset[Path] = frozenset()) -> Iterator[Path]:
    """The files that are not hidden; a link back to a folder above is not followed."""
    above |= {folder.resolve()}
    for path in _entries(folder):
        if not path.is_dir():
            yield path
        elif path.resolve() not in above:
            yield from _files_below(path, above)


def _entries(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        raise SourceUnavailable(
            f"folder {folder} cannot be read: {error.strerror}", "Check its permissions."
        ) from error
