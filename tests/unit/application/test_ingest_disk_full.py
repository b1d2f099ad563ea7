"""A full disk stops a run in order, and the next goes on from there."""

from __future__ import annotations

import pytest

from citeloom.domain.errors import DiskFull
from citeloom.domain.manifest import Status
from tests.fakes.disk_space import SetDiskSpace
from tests.unit.application.library import Library, paper

MEGABYTE = 1 << 20
MANY = {f"papers/{n}.txt": paper(f"plot {n}") for n in range(4)}


def test_nothing_is_written_where_there_is_no_room_to_begin_with() -> None:
    library = Library(MANY)
    library.space = SetDiskSpace(10 * MEGABYTE)
    with pytest.raises(DiskFull, match="10 MB left; going on needs 64 MB"):
        library.ingest()
    assert library.fuse.journal == []
    assert library.entries() == {}


def test_a_disk_that_fills_up_stops_the_run_before_a_group_is_stored() -> None:
    library = Library(MANY)
    library.space = SetDiskSpace(80 * MEGABYTE, per_look=8 * MEGABYTE)
    with pytest.raises(DiskFull, match="needs 64 MB"):
        library.ingest()
    assert library.stored() == {}
    assert Status.INDEXED not in {entry.status for entry in library.entries().values()}
    library.space = SetDiskSpace()
    assert len(library.ingest().indexed) == len(MANY)


def test_a_run_with_nothing_to_do_needs_no_room() -> None:
    library = Library(MANY)
    library.ingest()
    library.space = SetDiskSpace(0)
    assert len(library.ingest().unchanged) == len(MANY)
