"""The ZIP archive of an evidence bundle: the same bytes each time, and read with distrust."""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, TypeVar
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from citeloom.application.disk_space import is_out_of_room, no_room_for
from citeloom.domain.errors import ConfigError, NotFound, UnreadableDocument
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.evidence_bundle import EVIDENCE, BundledDraft

T = TypeVar("T")
HASHES = "sha256sums.txt"
_PICTURES = "pages"
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
_UNIX, _PERMISSIONS = 3, 0o100644
_MOST_FILES, _MOST_BYTES = 100_000, 8_000_000_000
_LARGEST_FILE = 100_000_000
_LONGEST_LINE = 5_000
_HASH_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_MAKE_ANEW = "Use the file that citeloom bundle wrote, or make a new one."


def bundled_drafts(paths: Sequence[Path], drafts: Sequence[Draft]) -> list[BundledDraft]:
    """The names of drafts from the folder that all of them are in, and the hashes of the files."""
    whole = [path.absolute() for path in paths]
    folder = os.path.commonpath([path.parent for path in whole]) if whole else ""
    return [
        BundledDraft(
            name=path.relative_to(folder).as_posix(),
            sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
            citations=len(draft.citations),
        )
        for path, draft in zip(whole, drafts)
    ]


# Writing.


class ArchiveWriter:
    """Writes files into an archive, uncompressed: what compression makes differs by version."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._hashes: dict[str, str] = {}
        self._pictures: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        """The size in bytes of each file, by its name."""

    def add(self, name: str, content: bytes) -> None:
        entry = ZipInfo(name, _FIRST_DAY)
        entry.create_system = _UNIX
        entry.external_attr = _PERMISSIONS << 16
        self._archive.writestr(entry, content, ZIP_STORED)
        self._hashes[name] = hashlib.sha256(content).hexdigest()
        self.sizes[name] = len(content)

    def add_picture(self, content: bytes) -> str:
        """Write a picture that is not there yet; its name is its number."""
        key = hashlib.sha256(content).hexdigest()
        if key not in self._pictures:
            self._pictures[key] = name = f"{_PICTURES}/{len(self._pictures) + 1:05}.png"
            self.add(name, content)
        return self._pictures[key]

    def add_hashes(self) -> None:
        """Write the hashes of all files, as `sha256sum --check` reads them."""
        lines = (f"{sha256}  {name}\n" for name, sha256 in sorted(self._hashes.items()))
        self.add(HASHES, "".join(lines).encode())


@contextmanager
def writing_archive(path: Path) -> Iterator[ArchiveWriter]:
    """An archive that is at `path` once it is complete; what is there is never overwritten.

    Raises `ConfigError` for a path that does not end in `.zip` or is taken, `NotFound` without its
    folder, and `DiskFull` where there is no room.
    """
    if path.suffix.lower() != ".zip":
        raise ConfigError(f"{path} does not end in .zip", "Name the archive NAME.zip.")
    if not path.parent.is_dir():
        raise NotFound(f"there is no folder {path.parent}", "Make it, or name another one.")
    if path.exists():
        raise ConfigError(f"{path} is there already", "Name another archive, or move this one.")
    with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        partial = Path(file.name)
    try:
        with ZipFile(partial, "w") as archive:
            writer = ArchiveWriter(archive)
            yield writer
            writer.add_hashes()
        partial.chmod(_PERMISSIONS & 0o666)
        partial.replace(path)
    except (OSError, ValueError) as error:  # the archive cannot be closed after a failed write
        if is_out_of_room(error):
            raise no_room_for(str(path)) from error
        raise
    finally:
        partial.unlink(missing_ok=True)


# Reading.


def read_archive(path: Path, read: Callable[[IO[bytes]], T]) -> tuple[T, list[str]]:
    """What `read` makes of the evidence in an archive, and the files in it that are damaged,
    missing or not listed.

    Nothing is unpacked to the disk, and no file is read whole. Raises `NotFound`, and
    `UnreadableDocument` for what is no bundle, and for one whose files are too many or too large.
    """
    try:
        with ZipFile(path) as archive:
            entries = _checked(archive, path)
            with archive.open(entries[EVIDENCE]) as file:
                evidence = read(file)
            return evidence, _damaged(archive, entries)
    except (BadZipFile, NotImplementedError, EOFError, zlib.error, ValueError) as error:
        raise UnreadableDocument(
            f"{path} is no readable ZIP archive: {error}", _MAKE_ANEW
        ) from error
    except IsADirectoryError:
        raise UnreadableDocument(f"{path} is a folder", _MAKE_ANEW) from None
    except FileNotFoundError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}", "Check the path.") from error


def _checked(archive: ZipFile, path: Path) -> dict[str, ZipInfo]:
    """The files of an archive by name. Raises `UnreadableDocument` for what no bundle has."""
    files = archive.infolist()
    if len(files) > _MOST_FILES or sum(file.file_size for file in files) > _MOST_BYTES:
        raise UnreadableDocument(f"{path} has too many or too large files", _MAKE_ANEW)
    members: dict[str, ZipInfo] = {}
    for file in files:
        fault = _fault(file) or ("is in it twice" if file.filename in members else "")
        if fault:
            raise UnreadableDocument(f"{path} is no bundle: {file.filename!r} {fault}", _MAKE_ANEW)
        members[file.filename] = file
    for name in (EVIDENCE, HASHES):
        if name not in members:
            raise UnreadableDocument(f"{path} is no bundle: it has no {name}", _MAKE_ANEW)
    return members


def _fault(entry: ZipInfo) -> str:
    """What is wrong with a file of an archive before it is read."""
    name = entry.orig_filename
    if name != entry.filename or name.startswith("/") or re.search(r"[\\:\x00-\x1f]", name):
        return "is no name of a file in it"
    if any(part in {"", ".", ".."} for part in name.split("/")):
        return "leads out of it"
    if entry.flag_bits & 1:
        return "is encrypted"
    if entry.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        return "is compressed in a way that bundles are not"
    return "is too large" if entry.file_size > _LARGEST_FILE else ""


def _damaged(archive: ZipFile, entries: dict[str, ZipInfo]) -> list[str]:
    """The files that are not as the list of hashes says."""
    listed: dict[str, str] = {}
    with archive.open(entries[HASHES]) as file:
        for number in count():
            if not (line := file.readline(_LONGEST_LINE)):
                break
            if number > _MOST_FILES:
                raise BadZipFile(f"{HASHES} has too many lines")
            if match := _HASH_LINE.fullmatch(line.decode(errors="replace").rstrip("\r\n")):
                listed[match[2]] = match[1]
    names = {*listed, *entries} - {HASHES}
    return [
        name
        for name in sorted(names)
        if name not in entries or _sha256(archive, entries[name]) != listed.get(name)
    ]


def _sha256(archive: ZipFile, entry: ZipInfo) -> str:
    """The hash of a file, or nothing where its own checksum says that it is damaged."""
    try:
        file: Any = archive.open(entry)
        with file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (BadZipFile, EOFError, zlib.error):
        return ""
