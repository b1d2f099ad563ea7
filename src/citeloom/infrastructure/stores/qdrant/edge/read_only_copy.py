"""The embedded index of a data folder that cannot be written, read from a copy."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from threading import Lock

from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.infrastructure.stores.qdrant.edge.folder import CollectionFolder, read_owner
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
from citeloom.infrastructure.stores.qdrant.edge.open_shards import OpenShards
from citeloom.infrastructure.stores.records.schema import collection_of

_HEAD_ROOM = 64 << 20
_BLOCK = 512
_PIECE = 1 << 16
_LOCK_SECONDS, _RETRY_SECONDS = 2.0, 0.02
"""A process that finds the disk full has the lock for as long as it takes to find that out."""
_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder in it is private
_NOT_COPIED = shutil.ignore_patterns("lock", "holder*", "socket", "*.part")


def open_copy(
    root: Path, *, place: Path | None = None, open_shards: OpenShards | None = None
) -> QdrantEdgeIndex:
    """Collections below `root`, each copied to a temporary folder in `place` at its first use.

    The engine opens no shard that it may not write. The copies go when the index does; nothing
    changes them, since the write lease cannot be taken in a folder that may not be written.
    """
    return QdrantEdgeIndex(_Copies(root, place).folder, open_shards=open_shards)


def place_for_copy(root: Path) -> Path | None:
    """A folder for temporary files with room for what lies below `root`; None if there is none."""
    needed = _HEAD_ROOM + sum(
        file.stat().st_blocks * _BLOCK for file in root.rglob("*") if file.is_file()
    )
    for place in (Path(gettempdir()), _IN_MEMORY):
        if place.is_dir() and shutil.disk_usage(place).free >= needed:
            return place
    return None


class _Copies:
    """Copies of collections, made when they are first asked for."""

    def __init__(self, source: Path, place: Path | None) -> None:
        self._source = source
        self._folder = TemporaryDirectory(prefix="citeloom-", dir=place)
        self._guard = Lock()
        self.root = Path(self._folder.name)

    def folder(self, name: str) -> CollectionFolder:
        """The copy of a collection. Raises `IndexLocked`, `IndexUnavailable`."""
        source, copy = self._source / collection_of(name), self.root / collection_of(name)
        with self._guard:
            if source.is_dir() and not copy.exists():
                with _undisturbed(source):
                    _copy(source, copy)
        return CollectionFolder(copy)


def _copy(source: Path, target: Path) -> None:
    part = target.with_suffix(".part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(source, part, ignore=_NOT_COPIED, copy_function=_copy_file)
        for folder in (part, *(path for path in part.rglob("*") if path.is_dir())):
            folder.chmod(0o700)
        part.rename(target)
    except OSError as error:
        raise IndexUnavailable(
            f"{source} may not be written, and cannot be copied to {target.parent}: {error}",
            "Make room there, set TMPDIR to another folder, or make the data folder writable.",
        ) from error


def _copy_file(source: str, target: str) -> None:
    """Copy the content and the times of a file; what is empty in it takes no room."""
    with Path(source).open("rb") as stored, Path(target).open("wb") as copy:
        while piece := stored.read(_PIECE):
            if piece.count(0) == len(piece):
                copy.seek(len(piece), os.SEEK_CUR)
            else:
                copy.write(piece)
        copy.truncate(stored.tell())
        known = os.fstat(stored.fileno())
    os.utime(target, ns=(known.st_atime_ns, known.st_mtime_ns))


@contextmanager
def _undisturbed(folder: Path) -> Iterator[None]:
    """A context in which no process writes the collection. Raises `IndexLocked` if one does."""
    if sys.platform == "win32" or not os.access(folder / "lock", os.R_OK):
        yield
        return
    import fcntl  # noqa: PLC0415 - not on every system

    ends = time.monotonic() + _LOCK_SECONDS
    with (folder / "lock").open("rb") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
                break
            except OSError as error:
                if time.monotonic() > ends:
                    raise IndexLocked(
                        f"Collection '{folder.name}' is in use by "
                        f"{read_owner(folder) or 'another process'}, and cannot be copied",
                        "Wait until it has finished.",
                    ) from error
                time.sleep(_RETRY_SECONDS)
        yield
