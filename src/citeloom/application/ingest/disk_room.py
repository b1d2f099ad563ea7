"""Whether the disk has the room that the next step of a run needs."""

from __future__ import annotations

from citeloom.application.ports.disk_space import DiskSpace
from citeloom.domain.errors import DiskFull

_MEGABYTE = 1 << 20
_HEAD_ROOM = 64 * _MEGABYTE  # an embedded index claims files of 32 MB, some at a time
_NEW_INDEX = 208 * _MEGABYTE  # what it claims for a collection without a chunk
_PER_CHUNK = 32 << 10  # a chunk with 384 dimensions and 2,000 characters takes 9 kB


def check_room(space: DiskSpace, chunks: int = 0, *, new_index: bool = False) -> None:
    """See that so many chunks can be stored, in a new index or in one there is.

    An embedded index writes to files that are mapped into memory: the system kills the process
    that finds the disk full then, so there must be room before. Raises `DiskFull`.
    """
    needed = _HEAD_ROOM + chunks * _PER_CHUNK + (_NEW_INDEX if new_index else 0)
    free = space.free_bytes()
    if free is not None and free < needed:
        raise DiskFull(
            f"the disk of the data folder has {free // _MEGABYTE} MB left; going on needs "
            f"{needed // _MEGABYTE} MB",
            "Free some space, or move the data folder ([paths] data_dir), and run the same "
            "command again: what is stored stays, and the run goes on from there.",
        )
