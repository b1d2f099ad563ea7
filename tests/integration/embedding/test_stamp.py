from __future__ import annotations

import os
from pathlib import Path

import pytest

from citeloom.infrastructure.embedding.fastembed.model_cache import (
    STAMP_FILE,
    is_intact,
    is_untouched,
    write_stamp,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "weights").write_bytes(b"1234")
    (tmp_path / "graph").write_bytes(b"abcd")
    write_stamp(tmp_path)
    return tmp_path


def test_a_stamped_folder_is_untouched_and_intact(folder: Path) -> None:
    assert is_untouched(folder)
    assert is_intact(folder)


def test_a_file_written_anew_with_the_same_bytes_is_intact_but_touched(folder: Path) -> None:
    os.utime(folder / "weights", ns=(1, 1))

    assert not is_untouched(folder)
    assert is_intact(folder)


@pytest.mark.parametrize("content", [b"123", b"12345", b""])
def test_another_size_is_noticed(folder: Path, content: bytes) -> None:
    (folder / "weights").write_bytes(content)

    assert not is_untouched(folder)
    assert not is_intact(folder)


def test_other_bytes_under_the_old_time_are_noticed_by_reading_them(folder: Path) -> None:
    before = (folder / "weights").stat().st_mtime_ns
    (folder / "weights").write_bytes(b"1235")
    os.utime(folder / "weights", ns=(before, before))

    assert is_untouched(folder)
    assert not is_intact(folder)


def test_a_missing_file_is_noticed(folder: Path) -> None:
    (folder / "graph").unlink()

    assert not is_untouched(folder)
    assert not is_intact(folder)


@pytest.mark.parametrize("stamp", ["", "{", "[]", "[1]", '[{"name": "weights"}]'])
def test_a_damaged_stamp_vouches_for_nothing(folder: Path, stamp: str) -> None:
    (folder / STAMP_FILE).write_text(stamp)

    assert not is_untouched(folder)
    assert not is_intact(folder)


def test_a_folder_without_stamp_is_not_vouched_for(tmp_path: Path) -> None:
    assert not is_untouched(tmp_path / "nowhere")
    assert not is_intact(tmp_path)
