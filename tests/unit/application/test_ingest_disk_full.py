"""A full disk stops a run in order, and the next goes on from there."""

from __future__ import annotations

import pytest

from citeloom.application.disk_space import no_room_for
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.manifest import Status
from citeloom.domain.errors import DiskFull
from tests.fakes.disk_space import SetDiskSpace
from tests.unit.application.library import Library, WatchedIndex, paper

MEGABYTE = 1 << 20
MANY = {f"papers/{n}.txt": paper(f"plot {n}") for n in range(4)}


def test_nothing_is_written_where_there_is_no_room_to_begin_with() -> None:
    library = Library(MANY)
    library.space = SetDiskSpace(10 * MEGABYTE)
    with pytest.raises(DiskFull, match=r"10 MB left .*; going on needs 272 MB"):
        library.ingest()
    assert library.fuse.journal == []
    assert library.entries() == {}


def test_a_new_index_needs_more_room_than_one_that_is_there() -> None:
    library = Library(MANY)
    library.space = SetDiskSpace(100 * MEGABYTE)
    with pytest.raises(DiskFull, match=r"100 MB left .*; going on needs 272 MB"):
        library.ingest()
    library.space = SetDiskSpace()
    library.ingest()
    library.files.write("papers/new.txt", paper("new"))
    library.space = SetDiskSpace(100 * MEGABYTE)
    assert library.ingest().indexed == ["papers/new.txt"]


def test_a_disk_that_fills_up_stops_the_run_before_a_group_is_stored() -> None:
    library = Library(MANY)
    library.ingest(IngestRequest(limit=1))
    before = library.stored()
    library.space = SetDiskSpace(80 * MEGABYTE, per_look=20 * MEGABYTE)
    with pytest.raises(DiskFull, match=r"60 MB left .*; going on needs 64 MB"):
        library.ingest()
    assert library.stored() == before
    assert sum(e.status is Status.INDEXED for e in library.entries().values()) == 1
    library.space = SetDiskSpace()
    assert len(library.ingest().indexed) == len(MANY) - 1


class CannotBeOptimized(WatchedIndex):
    """An index on a disk with room for chunks, but not for a second copy of all of them."""

    def optimize(self, name: str) -> None:
        raise no_room_for("a copy of the index")


def test_an_index_that_cannot_be_optimised_holds_everything_and_the_report_says_so() -> None:
    library = Library(MANY)
    library.index = CannotBeOptimized(library.fuse)
    report = library.ingest()
    assert len(report.indexed) == len(MANY)
    assert (
        report.not_optimized == "the disk has no room for a copy of the index; going on needs 64 MB"
    )
    assert all(entry.status is Status.INDEXED for entry in library.entries().values())
    assert library.ingest().not_optimized is None
