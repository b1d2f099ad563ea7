"""`support` and `matrix`: what a library has for a draft, and for a review."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import citeloom
from citeloom.infrastructure.answers.draft_support import SupportAnswer
from citeloom.infrastructure.answers.literature_matrix import MatrixAnswer
from tests.described import assert_described
from tests.e2e.command import Desk

DRAFT = """# Drying

Tiles of river clay were left on shelves for twelve days. Copper is mined on the moon of Io.

In this chapter we say how. They were dried slowly [@tanaka2017].
"""
DRYING, FARES = "How long were tiles dried?", "How much did islanders fear the fares?"


@pytest.fixture
def draft(ingested: Desk, tmp_path: Path) -> Path:
    del ingested
    path = tmp_path / "thesis.md"
    path.write_text(DRAFT, encoding="utf-8")
    return path


def test_a_claim_comes_with_its_citation_and_another_with_nothing(
    ingested: Desk, draft: Path
) -> None:
    outcome = ingested.run("support", draft)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].startswith(f"{draft}:3:1: supported: Tiles of river clay")
    assert "[@tanaka2017, p. 1] says: “Tiles of river clay were left on slatted" in lines[1]
    assert f"{draft}:3:59: nothing found: Copper is mined on the moon of Io." in lines
    assert lines[-2].startswith("2 sentences: 1 supported, 0 likely, 0 related, 1 without anything")
    assert "not calibrated" in lines[-1]


def test_json_is_as_described_and_lines_are_chosen(ingested: Desk, draft: Path) -> None:
    written = ingested.run("support", draft, "--line", "4-5", "--json").json
    assert_described(written, SupportAnswer)
    [sentence] = written["sentences"]
    assert (sentence["line"], sentence["claims"]) == (5, False)
    assert ingested.run("support", draft, "--line", "five").code == 2


def test_a_copy_has_the_citations_as_comments(ingested: Desk, draft: Path) -> None:
    assert ingested.run("support", draft, "--write").code == 0
    copy = draft.with_suffix(".support.md").read_text(encoding="utf-8")
    assert "twelve days. <!-- supported: [@tanaka2017, p. 1] “Tiles" in copy
    assert draft.read_text(encoding="utf-8") == DRAFT


def test_a_matrix_has_works_down_and_questions_across(ingested: Desk, tmp_path: Path) -> None:
    questions = tmp_path / "questions.txt"
    questions.write_text(f"{DRYING}\n\n{FARES}\n", encoding="utf-8")
    written = ingested.run("matrix", questions, "--json").json
    assert_described(written, MatrixAnswer)
    assert written["questions"] == [DRYING, FARES]
    clay = next(work for work in written["works"] if work["citekey"] == "tanaka2017")
    assert "shelves for twelve days" in clay["cells"][0]["passage"]["text"]
    assert clay["cells"][1]["passage"] is None
    sheet = tmp_path / "review.csv"
    asked = ("matrix", DRYING, "--works", "@tanaka2017", "--format", "csv")
    assert ingested.run(*asked, "--out", sheet).code == 0
    heads, row = csv.reader(io.StringIO(sheet.read_text(encoding="utf-8")))
    assert heads[3] == DRYING
    assert row[0] == "tanaka2017"
    assert row[4].startswith("[@tanaka2017, p")


@pytest.mark.parametrize("output", ["text", "markdown", "html"])
def test_a_matrix_is_printed_in_other_formats(ingested: Desk, output: str) -> None:
    outcome = ingested.run("matrix", DRYING, "--format", output)
    assert outcome.code == 0
    assert "shelves for twelve days" in outcome.out


def test_a_matrix_says_what_cannot_be_asked(ingested: Desk, tmp_path: Path) -> None:
    unknown = ingested.run("matrix", DRYING, "--works", "tanaka2018")
    assert unknown.code == 1
    assert "tanaka2017" in unknown.err
    assert ingested.run("matrix", "questions-that-are-not-there.txt").code == 2
    assert ingested.run("matrix", DRYING, "--format", "xlsx").code == 2
    assert ingested.run("matrix", DRYING, "-k", "3").code == 2
    workbook = tmp_path / "review.xlsx"
    assert ingested.run("matrix", DRYING, "--format", "xlsx", "--out", workbook).code == 0
    assert workbook.read_bytes().startswith(b"PK")


def test_python_gives_the_same(ingested: Desk, draft: Path) -> None:
    with citeloom.open_library(ingested.folder) as library:
        project = library.project()
        [report] = project.support_drafts(draft, every=True)
        assert report.counts["supported"] == 1
        assert project.matrix(DRYING, works=["tanaka2017"], strict=False).filled == 1
        assert project.calibration is None
