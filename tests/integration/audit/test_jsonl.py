"""The audit log's file: whole lines, whoever writes and whoever is killed."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

from citeloom.domain.errors import IndexUnavailable
from citeloom.infrastructure.audit import JsonlAuditLog


def append_many(folder: Path, name: str) -> None:
    log = JsonlAuditLog(folder)
    for number in range(50):
        log.append("lab/rye", {"by": name, "number": number, "filling": "x" * 5000})


def test_a_projects_file_bears_its_name(tmp_path: Path) -> None:
    JsonlAuditLog(tmp_path).append("lab/rye", {"run": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["lab+rye.jsonl"]


def test_a_torn_line_does_not_spoil_the_next(tmp_path: Path) -> None:
    log = JsonlAuditLog(tmp_path)
    log.append("lab/rye", {"run": 1})
    with log.path_of("lab/rye").open("ab") as file:
        file.write(b'{"run":2,"inde')
    log.append("lab/rye", {"run": 3})
    log.append("lab/rye", {"run": 4})
    lines = log.path_of("lab/rye").read_text().splitlines()
    assert lines == ['{"run":1}', '{"run":2,"inde', '{"run":3}', '{"run":4}']


def test_lines_of_two_processes_do_not_mix(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=append_many, args=(tmp_path, name)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    lines = JsonlAuditLog(tmp_path).path_of("lab/rye").read_text().splitlines()
    records = [json.loads(line) for line in lines if line]
    for name in "ab":
        assert [r["number"] for r in records if r["by"] == name] == list(range(50))
    assert len(records) == 100


def test_a_file_name_that_is_no_unicode_can_be_recorded(tmp_path: Path) -> None:
    log = JsonlAuditLog(tmp_path)
    log.append("lab/rye", {"file": "caf\udce9.pdf"})
    assert json.loads(log.path_of("lab/rye").read_bytes()) == {"file": "caf\udce9.pdf"}


def test_a_log_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "audit").write_text("a file where a folder should be")
    with pytest.raises(IndexUnavailable, match="audit log"):
        JsonlAuditLog(tmp_path / "audit").append("lab/rye", {"run": 1})
