"""Every malformed file of the shared corpus through the command, within bounds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.command import COMMAND, MakeDesk, project_table

PROJECT = "lab/malformed"
CODES = {"EMPTY_DOCUMENT", "ENCRYPTED_DOCUMENT", "UNREADABLE_DOCUMENT"}
MOST_MEMORY_KB = 1_500_000
MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""
"""Runs a command, and prints how much memory its largest process had."""
LARGE = 150_000  # bytes: one sound file of many pages says nothing here
READ_AT_LENGTH = {"qpdf-manual-appearances-out.pdf", "qpdf-png-filters-decoded.pdf"}
"""Two whose sound images on 17 pages OCR reads for longer than all others take."""


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.skipif("CITELOOM_CORPUS" not in os.environ, reason="CITELOOM_CORPUS is not set")
def test_each_malformed_file_is_indexed_or_refused_with_its_code(make_desk: MakeDesk) -> None:
    desk = make_desk("malformed")
    desk.library.mkdir(parents=True)
    folder = Path(os.environ["CITELOOM_CORPUS"]) / "corpus" / "malformed"
    small = [path for path in folder.glob("*.pdf") if path.stat().st_size < LARGE]
    files = [path for path in small if path.name not in READ_AT_LENGTH]
    for path in files:
        shutil.copy(path, desk.library)
    desk.configure(project_table(PROJECT))
    ingest = subprocess.run(
        [sys.executable, "-c", MEASURED, *COMMAND, "ingest", "--json"],
        cwd=desk.folder,
        env=desk.environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ingest.returncode == 3
    assert "Traceback" not in ingest.stderr
    report = json.loads(ingest.stdout)
    failed = {failure["path"]: failure["code"] for failure in report["failed"]}
    reported = {*failed, *report["indexed"], *report["duplicates"]}
    assert reported == {f"library/{path.name}" for path in files}
    assert set(failed.values()) == CODES
    assert all(failure["hint"] for failure in report["failed"])
    assert not [
        failure for failure in report["failed"] if "ended the process" in failure["message"]
    ]
    assert int(ingest.stderr.splitlines()[-1]) < MOST_MEMORY_KB
