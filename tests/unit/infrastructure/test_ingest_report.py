"""What the report of an ingest says, and how the process ends after it."""

from __future__ import annotations

import pytest
import typer

from citeloom.application.reports import DocumentFailure, IngestReport
from citeloom.infrastructure.interfaces.cli.exit_codes import SOME_FAILED
from citeloom.infrastructure.interfaces.cli.ingest_command import print_report
from citeloom.infrastructure.interfaces.cli.ingest_report import summary


def report() -> IngestReport:
    return IngestReport(project="lab/wheat", collection="wheat", models={}, run_id="1")


def failures(code: str, number: int) -> list[DocumentFailure]:
    return [
        DocumentFailure(path=f"{code.lower()}{n}.pdf", code=code, message="no", hint="do")
        for n in range(number)
    ]


def test_failures_are_grouped_by_code_and_the_first_few_named() -> None:
    told = report()
    told.failed = [*failures("EMPTY_DOCUMENT", 5), *failures("TIMEOUT", 1)]
    lines = summary(told).splitlines()
    assert "failed: 6" in lines
    assert "  EMPTY_DOCUMENT: 5" in lines
    assert sum("empty_document" in line for line in lines) == 3
    assert "  … and 2 more; --json has all" in lines
    assert "  timeout0.pdf  TIMEOUT: no" in lines
    assert "  TIMEOUT: 1" not in lines


def test_what_failed_before_is_one_line() -> None:
    told = report()
    told.found = 32
    told.failed_before = [*failures("EMPTY_DOCUMENT", 30), *failures("TIMEOUT", 2)]
    first, second = summary(told).splitlines()
    assert first.endswith("0 failed, 32 failed before")
    assert second == (
        "32 failed before, unchanged (30 EMPTY_DOCUMENT, 2 TIMEOUT); "
        "--retry-failed tries them again"
    )


def test_what_failed_before_ends_well_unless_strict() -> None:
    told = report()
    told.failed_before = failures("TIMEOUT", 1)
    print_report(told, as_json=False)
    with pytest.raises(typer.Exit) as ended:
        print_report(told, as_json=False, strict=True)
    assert ended.value.exit_code == SOME_FAILED
