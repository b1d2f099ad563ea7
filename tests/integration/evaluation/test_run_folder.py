"""Saved runs in a folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidQrels
from citeloom.infrastructure.answers.evaluations import read_run
from citeloom.infrastructure.evaluation.files import RunFolder


def test_the_files_are_listed_by_when_they_were_written(tmp_path: Path) -> None:
    for age, name in enumerate(("new.json", "older.json", "notes.txt")):
        (tmp_path / name).write_text("{}", encoding="utf-8")
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere.json")
    files = RunFolder(tmp_path, read_run).files()
    assert [file.name for file in files] == ["new.json", "older.json"]
    before = files[1]
    (tmp_path / "older.json").write_text("{} ", encoding="utf-8")
    assert before not in RunFolder(tmp_path, read_run).files()


def test_without_the_folder_there_are_none(tmp_path: Path) -> None:
    assert RunFolder(tmp_path / "evaluation", read_run).files() == []


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, read_run)
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    (tmp_path / "folder.json").mkdir()
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(65 << 20)
    for name, reason in (
        ("a.json", "not an evaluation run"),
        ("folder.json", "cannot be read"),
        ("large.json", "larger than 64 MB"),
        ("gone.json", "cannot be read"),
    ):
        with pytest.raises(InvalidQrels, match=reason):
            folder.read(name)
