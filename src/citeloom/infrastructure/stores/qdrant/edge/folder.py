"""The folder of a collection on disk: its binding, its shard, and a staged successor; the process
that owns it.

<root>/<name>/collection.json   the collection and the directory of its shard
              collection.json.copy  the same, for when that is damaged
              rebuild.json      the same for a staged successor
              shard-<id>/       a shard; one that neither file names is an orphan
              closed-shard-<id>  how a shard was closed
              lock, holder
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
import time
import uuid
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import IndexUnavailable
from citeloom.infrastructure.stores.records.schema import from_json, to_json
from citeloom.infrastructure.whole_file import SHARED, replace_file

if TYPE_CHECKING:
    from citeloom.domain.project import Collection

_CURRENT, _COPY, _SUCCESSOR = "collection.json", "collection.json.copy", "rebuild.json"
_SHARD = "shard-"
_CLOSED = "closed-"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Bound:
    """A collection and where its shard is."""

    collection: Collection
    shard: Path


def is_read_only(root: Path) -> bool:
    """Whether no collection below `root` may be written."""
    return root.is_dir() and not any(os.access(path, os.W_OK) for path in (root, *root.iterdir()))


class CollectionFolder:
    """One collection's folder. The caller holds the collection's lock for every change.

    Each change is one atomic replacement of a JSON file; a shard directory comes before the file
    that names it and goes after. `delete_orphans` removes what a crash left.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def current(self) -> Bound | None:
        """The collection, read from the copy of its binding where that is damaged."""
        try:
            return self._read(_CURRENT)
        except IndexUnavailable:
            bound = self._read_undamaged(_COPY)
            if bound is None:
                raise
            return bound

    def successor(self) -> Bound | None:
        """The staged collection that will replace it; none where its binding is damaged, since an
        unfinished rebuild can begin anew.
        """
        return self._read_undamaged(_SUCCESSOR)

    def new_shard(self) -> Path:
        """A path for a new shard."""
        return self.path / f"{_SHARD}{uuid.uuid4().hex}"

    def bind(self, collection: Collection, shard: Path) -> None:
        """Make a finished shard the collection's."""
        self._write(_CURRENT, collection, shard)
        self.restore_binding()

    def restore_binding(self) -> None:
        """Write the binding or its copy again if it is damaged, missing or out of date."""
        if (bound := self.current()) is None:
            return
        if self._read_undamaged(_CURRENT) is None:
            _LOG.warning("%s was damaged, and is restored from its copy", self.path / _CURRENT)
            self._write(_CURRENT, bound.collection, bound.shard)
        if self._read_undamaged(_COPY) != bound:
            with suppress(OSError):  # no room: the next process that opens the collection does it
                self._write(_COPY, bound.collection, bound.shard)

    def bind_successor(self, collection: Collection, shard: Path) -> None:
        """Make a finished shard the successor's."""
        self._write(_SUCCESSOR, collection, shard)

    def promote(self) -> None:
        """Swap the successor in, atomically."""
        (self.path / _SUCCESSOR).replace(self.path / _CURRENT)
        _sync(self.path)
        self.restore_binding()

    def unbind(self) -> None:
        """Remove the bindings of the collection and its successor."""
        for file in (_SUCCESSOR, _COPY, _CURRENT):
            (self.path / file).unlink(missing_ok=True)
        _sync(self.path)

    def delete_orphans(self, *, but: Path | None = None) -> None:
        """Remove shards that no binding names, except `but`, and half-written files."""
        bound_shards = {bound.shard for bound in (self.current(), self.successor()) if bound}
        for shard in self.path.glob(f"{_SHARD}*"):
            if shard not in bound_shards and shard != but:
                shutil.rmtree(shard, ignore_errors=True)
        for note in self.path.glob(f"{_CLOSED}*"):
            if self.path / note.name.removeprefix(_CLOSED) not in bound_shards:
                note.unlink(missing_ok=True)
        for half_written in self.path.glob("*.part"):
            half_written.unlink(missing_ok=True)

    def _read(self, file: str) -> Bound | None:
        try:
            known = (self.path / file).stat()
            return _bound(self.path, file, (known.st_ino, known.st_mtime_ns, known.st_size))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, TypeError, LookupError, IsADirectoryError) as error:
            raise IndexUnavailable(
                f"{self.path / file} cannot be read: {error}",
                f"Restore it from a backup, or delete the folder {self.path} and ingest again.",
            ) from error

    def _read_undamaged(self, file: str) -> Bound | None:
        try:
            return self._read(file)
        except IndexUnavailable:
            return None

    def _write(self, file: str, collection: Collection, shard: Path) -> None:
        values = {"collection": to_json(collection), "shard": shard.name}
        replace_file(self.path / file, json.dumps(values, indent=2).encode(), mode=SHARED)
        _sync(self.path)


@lru_cache(maxsize=64)
def _bound(folder: Path, file: str, _version: tuple[int, ...]) -> Bound:
    """The binding in a file of the folder, read once a version: the file is only replaced as a
    whole.
    """
    values = json.loads((folder / file).read_text(encoding="utf-8"))
    return Bound(from_json(values["collection"]), folder / str(values["shard"]))


def _sync(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# The owner of a collection: its process, and the address and key of its socket.

PROTOCOL = 1
"""Raised when messages change their meaning; processes of different versions do not connect."""

_FILE = "holder"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerProcess:
    """A process that has a collection open.

    `address` and `key` belong to its socket and are empty while it does not serve others. `folder`
    identifies the folder it owns; in a copy of that folder the record does not count.
    """

    pid: int
    purpose: str = ""
    started_at: float = 0.0
    protocol: int = PROTOCOL
    address: str = ""
    key: str = ""
    folder: str = ""

    @classmethod
    def this_process(cls, purpose: str) -> OwnerProcess:
        """This process, with `purpose` or else its command."""
        return cls(pid=os.getpid(), purpose=purpose or command(), started_at=time.time())

    def __str__(self) -> str:
        return f"process {self.pid} ({self.purpose})" if self.purpose else f"process {self.pid}"


def command() -> str:
    """The command that this process was started as, shortened."""
    script = Path(sys.argv[0] or "python")
    program = script.parent.name if script.stem == "__main__" else script.stem
    words = [word for word in sys.argv[1:2] if not word.startswith("-")]
    return " ".join((program, *words))


def read_owner(folder: Path) -> OwnerProcess | None:
    """The owner recorded in the folder; None where there is none or the file is unreadable."""
    try:
        owner = OwnerProcess(**json.loads((folder / _FILE).read_text(encoding="utf-8")))
        return owner if owner.folder == _identity(folder) else None
    except (OSError, ValueError, TypeError):
        return None


def write_owner(folder: Path, owner: OwnerProcess) -> None:
    """Record the owner in a file that only this user can read."""
    record = json.dumps(asdict(replace(owner, folder=_identity(folder))))
    replace_file(folder / _FILE, record.encode(), durable=False)


def remove_owner(folder: Path) -> None:
    """Delete the record of the owner."""
    (folder / _FILE).unlink(missing_ok=True)


def _identity(folder: Path) -> str:
    """The identity of the folder itself, whichever path names it."""
    known = folder.stat()
    return f"{known.st_dev}:{known.st_ino}"
