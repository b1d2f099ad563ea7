"""What everything that knows the room on a disk promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.application.ports.runtime import DiskSpace
from citeloom.infrastructure.filesystem.source_files import FolderDiskSpace
from tests.fakes.disk_space import SetDiskSpace


@pytest.fixture(params=["folder", "no folder yet", "fake", "unknown"])
def space(request: pytest.FixtureRequest, tmp_path: Path) -> DiskSpace:
    made: dict[str, DiskSpace] = {
        "folder": FolderDiskSpace(tmp_path),
        "no folder yet": FolderDiskSpace(tmp_path / "data" / "index"),
        "fake": SetDiskSpace(1 << 30, per_look=1 << 29),
        "unknown": SetDiskSpace(),
    }
    return made[request.param]


def test_room_is_never_less_than_nothing(space: DiskSpace) -> None:
    for _ in range(4):
        free = space.free_bytes()
        assert free is None or free >= 0


def test_a_disk_that_is_there_tells_its_room(tmp_path: Path) -> None:
    free = FolderDiskSpace(tmp_path / "not" / "yet").free_bytes()
    assert free is not None
    assert free > 0


def test_what_a_file_has_claimed_is_no_longer_free(tmp_path: Path) -> None:
    claimed = 1 << 40
    with (tmp_path / "claimed").open("wb") as file:
        file.truncate(claimed)
    if not hasattr((tmp_path / "claimed").stat(), "st_blocks"):
        pytest.skip("the system does not say what a file takes")
    free, beside = FolderDiskSpace(tmp_path).free_bytes(), FolderDiskSpace(tmp_path / "other")
    told = beside.free_bytes()
    assert free is not None
    assert told is not None
    assert free <= max(0, told - claimed) + (1 << 30)
