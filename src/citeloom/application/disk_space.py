"""Whether the disk has the room that the next step needs."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from citeloom.domain.errors import CiteloomError, DiskFull

if TYPE_CHECKING:
    from citeloom.application.ports.runtime import DiskSpace
    from citeloom.application.ports.sources import FoundFile

MEGABYTE = 1 << 20
HEAD_ROOM = 64 * MEGABYTE  # an embedded index claims files of 32 MB, some at a time
NEW_INDEX = 208 * MEGABYTE  # what it claims for a collection without a chunk
_PER_CHUNK = 32 << 10  # a chunk with 384 dimensions and 2,000 characters takes 9 kB
_BYTES_OF_A_CHUNK = 2_000
_CHUNKS_OF_A_PAPER = 40
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
_ADVICE = (
    "Free some space, or move the data folder ([paths] data_dir), and run the same command again: "
    "what is stored stays, and the run goes on from there."
)


def check_room(space: DiskSpace, chunks: int = 0, *, more: int = 0) -> None:
    """Check that the disk has room for so many chunks and so many bytes more.

    An embedded index writes to files that are mapped into memory: the system kills the process that
    finds the disk full then, so there must be room before. Raises `DiskFull`.
    """
    needed = HEAD_ROOM + chunks * _PER_CHUNK + more
    free = space.free_bytes()
    if free is not None and free < needed:
        raise DiskFull(
            f"the disk of the data folder has {free // MEGABYTE} MB left beside what the index has "
            f"claimed; going on needs {needed // MEGABYTE} MB",
            _ADVICE,
        )


def likely_chunks(file: FoundFile) -> int:
    """About how many chunks a document has: as many as its bytes would be as text, and at most
    those of a paper of 20 pages, since figures and fonts fill most of what is larger.
    """
    return min(1 + file.size // _BYTES_OF_A_CHUNK, _CHUNKS_OF_A_PAPER)


def no_room_for(what: str) -> DiskFull:
    """The error for a write that found the disk full, and how much room to make."""
    return DiskFull(
        f"the disk has no room for {what}; going on needs {HEAD_ROOM // MEGABYTE} MB", _ADVICE
    )


def write_error(what: str, error: OSError, otherwise: CiteloomError) -> CiteloomError:
    """What is raised for a write that failed: where the disk is full that, or else `otherwise`."""
    return no_room_for(what) if is_out_of_room(error) else otherwise


def is_out_of_room(error: BaseException | None) -> bool:
    """Whether an error, or what it came from, is a disk or a quota that is full."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        error = error.__cause__ or error.__context__
    return False
