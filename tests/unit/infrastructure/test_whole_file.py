from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path

import pytest

from citeloom.infrastructure.whole_file import PRIVATE, SHARED, replace_file


def test_a_file_is_replaced_with_the_permissions_of_another(tmp_path: Path) -> None:
    model, target = tmp_path / "model", tmp_path / "target"
    model.touch(mode=0o640)
    target.write_text("before")
    replace_file(target, b"after", like=model)
    assert target.read_bytes() == b"after"
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(model.stat().st_mode)


def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("before")
    with pytest.raises(FileNotFoundError):
        replace_file(target, b"after", like=tmp_path / "none")
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("mode", [PRIVATE, SHARED])
def test_a_new_file_has_the_permissions_that_are_named(tmp_path: Path, mode: int) -> None:
    other = tmp_path / "other"
    other.touch(mode=mode)
    replace_file(tmp_path / "target", b"new", mode=mode, durable=False)
    assert stat.S_IMODE((tmp_path / "target").stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_what_cannot_be_replaced_leaves_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    with pytest.raises(OSError, match="target"):
        replace_file(tmp_path / "target", b"new")
    assert list(tmp_path.iterdir()) == [tmp_path / "target"]


def left_behind(path: Path, *, hours: float) -> Path:
    path.write_text("half")
    then = time.time() - 3600 * hours
    os.utime(path, (then, then))
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks of POSIX")
def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    import fcntl  # noqa: PLC0415 - not on every system

    left_behind(tmp_path / "0123456789abcdef.part", hours=2)
    recent = left_behind(tmp_path / "00112233445566ff.part", hours=0.5)
    foreign = left_behind(tmp_path / "notes.part", hours=2)
    in_writing = left_behind(tmp_path / "ffeeddccbbaa9988.part", hours=2)
    with in_writing.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        replace_file(tmp_path / "target", b"new")
    assert {*tmp_path.iterdir()} == {recent, foreign, in_writing, tmp_path / "target"}


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks of POSIX")
def test_a_file_is_not_removed_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, sync = tmp_path / "target", os.fsync
    same = tmp_path / ".." / tmp_path.name  # the folder as a process has it that writes its first

    def write_another_two_hours_later(descriptor: int) -> None:
        monkeypatch.setattr(os, "fsync", sync)
        (partial,) = tmp_path.glob("*.part")
        left_behind(partial, hours=2)
        replace_file(same / "other", b"other")

    monkeypatch.setattr(os, "fsync", write_another_two_hours_later)
    replace_file(target, b"new")
    assert target.read_text() == "half"
    assert {*tmp_path.iterdir()} == {target, tmp_path / "other"}


def test_a_folder_is_looked_through_once(tmp_path: Path) -> None:
    replace_file(tmp_path / "target", b"first")
    abandoned = left_behind(tmp_path / "0123456789abcdef.part", hours=2)
    replace_file(tmp_path / "target", b"second")
    assert {*tmp_path.iterdir()} == {abandoned, tmp_path / "target"}
