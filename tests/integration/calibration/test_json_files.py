"""Calibrations in files that may be damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.infrastructure.json_calibrations import JsonCalibrations
from tests.contract.test_calibration_store import FOUND


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"collection": "proj-lab"}', b"\xff\x00"])
def test_a_damaged_file_counts_as_none_and_is_replaced(tmp_path: Path, damage: bytes) -> None:
    store = JsonCalibrations(tmp_path)
    store.put(FOUND)
    (tmp_path / "proj-lab.json").write_bytes(damage)
    assert store.get("proj-lab") is None
    store.put(FOUND)
    assert store.get("proj-lab") == FOUND


def test_nothing_but_the_file_is_left(tmp_path: Path) -> None:
    JsonCalibrations(tmp_path).put(FOUND)
    assert [path.name for path in tmp_path.iterdir()] == ["proj-lab.json"]
