"""What every store of calibrations promises."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeloom.application.ports.records import CalibrationStore
from citeloom.domain.answers.calibration import Calibration, Verdicts
from citeloom.domain.answers.relevance import Thresholds
from citeloom.domain.evaluation.significance import Rate
from citeloom.infrastructure.json_calibrations import JsonCalibrations
from tests.fakes.calibration_store import InMemoryCalibrations

FOUND = Calibration(
    collection="proj-lab",
    generation="g1",
    model="m",
    chunks=7,
    thresholds=Thresholds(related=0.1, answered=0.2, unknown_share=0.3),
    verdicts={
        "unrelated": Verdicts(nothing=Rate(19, 20), related=Rate(1, 20), answered=Rate(0, 20))
    },
    related_fields=("sailing",),
    created_at=datetime(2026, 3, 1, tzinfo=UTC),
)


@pytest.fixture(params=["JsonCalibrations", "InMemoryCalibrations"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], CalibrationStore]:
    """Opens the same store again and again."""
    if request.param == "JsonCalibrations":
        return lambda: JsonCalibrations(tmp_path / "calibrations")
    store = InMemoryCalibrations()
    return lambda: store


def test_there_is_none_before_the_first(opened: Callable[[], CalibrationStore]) -> None:
    assert opened().get("proj-lab") is None


def test_what_is_put_is_kept_as_it_is(opened: Callable[[], CalibrationStore]) -> None:
    opened().put(FOUND)
    assert opened().get("proj-lab") == FOUND
    assert opened().get("proj-other") is None


def test_the_last_of_a_collection_counts(opened: Callable[[], CalibrationStore]) -> None:
    other = replace(FOUND, collection="proj-other")
    for one in (FOUND, other, replace(FOUND, chunks=9)):
        opened().put(one)
    assert opened().get("proj-lab") == replace(FOUND, chunks=9)
    assert opened().get("proj-other") == other


def test_a_file_of_another_rule_is_none(tmp_path: Path) -> None:
    store = JsonCalibrations(tmp_path)
    store.put(FOUND)
    file = tmp_path / "proj-lab.json"
    written = file.read_text("utf-8")
    file.write_text(written.replace('"rule": 2', '"rule": 1'), "utf-8")
    assert store.get("proj-lab") is None
    file.write_text(json.dumps(json.loads(written)["calibration"]), "utf-8")
    assert store.get("proj-lab") is None
