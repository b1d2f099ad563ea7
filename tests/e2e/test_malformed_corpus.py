"""Every malformed file of the shared corpus through the command, within bounds."""

from __future__ import annotations

import os
import resource
import shutil
from pathlib import Path

import pytest

from tests.e2e.command import MakeDesk, project_table

pytestmark = pytest.mark.serial

PROJECT = "lab/malformed"
CODES = {"EMPTY_DOCUMENT", "ENCRYPTED_DOCUMENT", "UNREADABLE_DOCUMENT"}
MOST_MEMORY_KB = 1_500_000
LARGE = 150_000  # bytes: one sound file of many pages says nothing here


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.skipif("CITELOOM_CORPUS" not in os.environ, reason="CITELOOM_CORPUS is not set")
def test_each_malformed_file_is_indexed_or_refused_with_its_code(make_desk: MakeDesk) -> None:
    desk = make_desk("malformed")
    desk.library.mkdir(parents=True)
    folder = Path(os.environ["CITELOOM_CORPUS"]) / "corpus" / "malformed"
    files = [path for path in folder.glob("*.pdf") if path.stat().st_size < LARGE]
    for path in files:
        shutil.copy(path, desk.library)
    desk.configure(project_table(PROJECT))
    outcome = desk.spawn("ingest", "--workers", "2", "--json")
    assert outcome.code == 3
    assert "Traceback" not in outcome.err
    report = outcome.json
    failed = {failure["path"]: failure["code"] for failure in report["failed"]}
    reported = {*failed, *report["indexed"], *report["duplicates"]}
    assert reported == {f"library/{path.name}" for path in files}
    assert set(failed.values()) <= CODES
    assert all(failure["hint"] for failure in report["failed"])
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MOST_MEMORY_KB
