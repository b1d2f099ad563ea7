"""What every audit log promises."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.application.ports.records import AuditLog
from citeloom.infrastructure.audit import JsonlAuditLog
from tests.fakes.audit_log import InMemoryAuditLog

Reader = Callable[[str], list[object]]


def made(name: str, folder: Path) -> tuple[AuditLog, Reader]:
    if name == "memory":
        memory = InMemoryAuditLog()
        return memory, memory.records
    log = JsonlAuditLog(folder / "audit")

    def lines(project_id: str) -> list[object]:
        path = log.path_of(project_id)
        return (
            [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
            if path.exists()
            else []
        )

    return log, lines


@pytest.fixture(params=["memory", "jsonl"])
def log_and_reader(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[AuditLog, Reader]:
    return made(request.param, tmp_path)


def test_records_stand_in_the_order_they_came(log_and_reader: tuple[AuditLog, Reader]) -> None:
    log, read = log_and_reader
    log.append("lab/rye", {"run": 1, "indexed": ["a.pdf", "ä.pdf"]})
    log.append("lab/rye", {"run": 2, "indexed": []})
    assert read("lab/rye") == [
        {"run": 1, "indexed": ["a.pdf", "ä.pdf"]},
        {"run": 2, "indexed": []},
    ]


@pytest.mark.parametrize("other", ["lab-rye", "lab.rye", "lab", "rye", "lab_rye"])
def test_a_project_has_its_own_records(log_and_reader: tuple[AuditLog, Reader], other: str) -> None:
    log, read = log_and_reader
    log.append("lab/rye", {"run": 1})
    assert read(other) == []


def test_a_later_change_does_not_reach_the_record(
    log_and_reader: tuple[AuditLog, Reader],
) -> None:
    log, read = log_and_reader
    counts = {"indexed": 1}
    log.append("lab/rye", {"counts": counts})
    counts["indexed"] = 2
    assert read("lab/rye") == [{"counts": {"indexed": 1}}]


def test_what_is_not_json_is_refused_and_leaves_no_trace(
    log_and_reader: tuple[AuditLog, Reader],
) -> None:
    log, read = log_and_reader
    for record in ({"when": object()}, {"seconds": float("nan")}):
        with pytest.raises((TypeError, ValueError)):
            log.append("lab/rye", record)
    assert read("lab/rye") == []


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("name", ["memory", "jsonl"])
@settings(max_examples=40, deadline=None)
@given(records=st.lists(st.dictionaries(st.text(), values, max_size=3), max_size=4))
def test_any_record_comes_back(name: str, records: list[Mapping[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log, read = made(name, Path(folder))
        for record in records:
            log.append("lab/rye", record)
        assert read("lab/rye") == records
