from __future__ import annotations

import stat
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
