"""Files that cannot be indexed are told of one by one, and stand in nobody's way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.e2e.command import Desk, MakeDesk, project_table
from tests.e2e.papers import (
    BRIDGES,
    CLAY,
    FERRIES,
    write_drawing,
    write_encrypted,
    write_papers,
    write_truncated,
)

PROJECT = "lab/damaged"
CODES = {
    "library/drawing.pdf": "EMPTY_DOCUMENT",
    "library/empty.pdf": "EMPTY_DOCUMENT",
    "library/encrypted.pdf": "ENCRYPTED_DOCUMENT",
    "library/letter.pdf": "UNREADABLE_DOCUMENT",
    "library/truncated.pdf": "UNREADABLE_DOCUMENT",
}


@pytest.fixture(scope="module")
def damaged(make_desk: MakeDesk) -> Desk:
    """Two good papers among files of every bad kind; not ingested yet."""
    desk = make_desk("damaged")
    write_papers(desk.library, BRIDGES, CLAY)
    write_drawing(desk.library / "drawing.pdf")
    (desk.library / "empty.pdf").touch()
    write_encrypted(desk.library / "encrypted.pdf")
    (desk.library / "letter.pdf").write_text("Dear Sir or Madam,\n", encoding="utf-8")
    write_truncated(desk.library / "truncated.pdf", FERRIES)
    (desk.library / "whole" / "okoro2019.pdf").unlink()
    desk.configure(project_table(PROJECT))
    return desk


@pytest.fixture(scope="module")
def report(damaged: Desk) -> Mapping[str, Any]:
    """The report of its first ingest."""
    outcome = damaged.run("ingest", "--json")
    assert outcome.code == 3, outcome.err
    parsed: Mapping[str, Any] = outcome.json
    return parsed


def test_each_bad_file_is_reported_with_its_code_and_a_hint(report: Mapping[str, Any]) -> None:
    assert {failure["path"]: failure["code"] for failure in report["failed"]} == CODES
    assert all(failure["message"] and failure["hint"] for failure in report["failed"])


def test_the_good_files_beside_them_are_indexed(damaged: Desk, report: Mapping[str, Any]) -> None:
    assert report["indexed"] == ["library/moreau2015.pdf", "library/tanaka2017.pdf"]
    found = damaged.must("query", "Why do clay tiles crack in the kiln?", "-k", "1")
    assert "library/tanaka2017.pdf" in found.out


def test_bad_files_are_not_tried_again_while_nothing_changed(
    damaged: Desk, report: Mapping[str, Any]
) -> None:
    again = damaged.must("ingest")
    assert again.out.startswith(
        f"{PROJECT}: 7 found, 0 indexed, 2 unchanged, 0 failed, 5 failed before"
    )
    assert "--retry-failed tries them again" in again.out
    strict = damaged.run("ingest", "--strict", "--json")
    assert strict.code == 3
    before = {failure["path"]: failure["code"] for failure in strict.json["failed_before"]}
    assert before == CODES


def test_bad_files_are_tried_again_on_demand_and_named_in_text(
    damaged: Desk, report: Mapping[str, Any]
) -> None:
    again = damaged.run("ingest", "--retry-failed")
    assert again.code == 3
    assert again.out.startswith(f"{PROJECT}: 7 found, 0 indexed, 2 unchanged, 5 failed")
    for path, code in CODES.items():
        assert f"  {path}  {code}: " in again.out


def test_validation_finds_them(damaged: Desk, report: Mapping[str, Any]) -> None:
    checked = damaged.run("validate")
    assert checked.code == 4
    assert "library/encrypted.pdf: is failed: " in checked.out
