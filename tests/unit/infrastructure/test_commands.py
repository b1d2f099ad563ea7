"""The first steps at the command line: its help, its suggestions and its questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.application.validate import Finding, ValidationReport
from citeloom.application.validate.chunk_checks import CheckedDocument
from citeloom.domain.validation import Severity
from citeloom.infrastructure.interfaces.cli.app import COMMANDS, FIRST, SYNONYMS
from citeloom.infrastructure.interfaces.cli.maintenance_commands import render
from citeloom.infrastructure.interfaces.cli.options import question_of
from tests.e2e import in_process


def test_the_help_begins_with_the_commands_of_a_week(tmp_path: Path) -> None:
    said = in_process.run("--help", folder=tmp_path).out
    first, others = said.split("Get started:")[1].split("Other commands:")
    assert [line.split()[0] for line in first.split("\n") if line.startswith("  ")] == [*FIRST]
    listed = {line.split()[0] for line in others.split("\n") if line.startswith("  ")}
    assert listed == COMMANDS.keys() - set(FIRST)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("search", "query"),
        ("serch", "query"),
        ("qery", "query"),
        ("add", "ingest"),
        ("rm", "delete"),
    ],
)
def test_a_command_that_does_not_exist_suggests_one(tmp_path: Path, word: str, meant: str) -> None:
    refused = in_process.run(word, "x", folder=tmp_path)
    assert refused.code == 2
    assert f"No such command '{word}'. Did you mean '{meant}'?" in refused.err


def test_every_synonym_is_of_a_command_and_none_hides_one() -> None:
    assert set(SYNONYMS.values()) <= {*COMMANDS, "--help"}
    assert not SYNONYMS.keys() & COMMANDS.keys()


def test_an_unquoted_question_is_one_question() -> None:
    assert question_of(["How", "do", "graders agree?"]) == "How do graders agree?"


def test_a_validation_of_many_documents_is_a_screen() -> None:
    paths = [f"library/{n}.md" for n in range(20_000)]
    report = ValidationReport(
        project="lab/rye",
        checks=("citekey", "headings"),
        findings=tuple(
            Finding(
                check=check, message=message, severity=Severity.WARNING, subject=path, hint="Do."
            )
            for path in paths
            for check, message in (("citekey", "has no reference"), ("headings", f"{path} lacks"))
        ),
        documents=20_000,
        chunks=20_000,
        by_document=tuple(
            CheckedDocument(
                path=path,
                doc_id=path,
                citekey=None,
                pages=0,
                chunks=1,
                errors=0,
                warnings=2,
                infos=0,
            )
            for path in paths
        ),
    )
    lines = render(report, "text").splitlines()
    assert len(lines) < 40
    assert (
        "warning  citekey: 20000 times: has no reference "
        "(library/0.md, library/1.md, library/2.md, …)" in lines
    )
    assert "warning  headings: … and 19990 more; --json has all" in lines
    assert "… and 19990 documents more; --json has all" in lines
    assert sum(line == "    Do." for line in lines) == 2
