"""What everything promises that notices changes of folders."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from citeloom.application.ports.sources import FolderChanges
from citeloom.infrastructure.filesystem.watched_folders import WatchedFolders
from tests.fakes.clock import SetClock
from tests.fakes.folder_changes import SetFolderChanges


@dataclass
class Watched:
    """What notices changes, and what makes them."""

    changes: FolderChanges
    write: Callable[[], object]
    unmount: Callable[[], object]


def on_disk(folder: Path) -> Watched:
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.md").write_text("a", encoding="utf-8")
    return Watched(
        WatchedFolders([folder]),
        write=lambda: (folder / "deep" / "b.md").write_text("b", encoding="utf-8"),
        unmount=lambda: shutil.rmtree(folder),
    )


def in_memory() -> Watched:
    changes = SetFolderChanges(SetClock())
    return Watched(changes, changes.change, lambda: setattr(changes, "intact", False))


@pytest.fixture(params=["disk", "memory"])
def watched(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Watched]:
    made = on_disk(tmp_path / "papers") if request.param == "disk" else in_memory()
    yield made
    made.changes.close()


def test_nothing_changes_by_itself(watched: Watched) -> None:
    assert watched.changes.wait(0.3) is False
    assert watched.changes.are_intact()


def test_a_change_is_noticed_once(watched: Watched) -> None:
    watched.write()
    assert watched.changes.wait(10) is True
    assert watched.changes.wait(0.3) is False


def test_a_folder_that_is_gone_is_not_intact(watched: Watched) -> None:
    watched.unmount()
    assert not watched.changes.are_intact()


def test_closing_twice_does_no_harm(watched: Watched) -> None:
    watched.changes.close()
    watched.changes.close()
    assert watched.changes.are_intact()


def test_a_folder_that_comes_back_is_watched_again_but_is_another_one(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    watched = on_disk(folder)
    folder.rename(tmp_path / "other")  # keeps its number from the folder that comes
    assert watched.changes.wait(10) is True
    folder.mkdir()
    assert watched.changes.wait(10) is True
    (folder / "c.md").write_text("c", encoding="utf-8")
    assert watched.changes.wait(10) is True
    assert not watched.changes.are_intact()
    watched.changes.close()


def test_without_a_folder_only_time_passes(tmp_path: Path) -> None:
    changes = WatchedFolders([tmp_path / "gone"])
    assert changes.wait(0.05) is False
    assert not changes.are_intact()
