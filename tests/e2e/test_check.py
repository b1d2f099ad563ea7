"""`check`: a draft's quotations and citations against the cited papers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

import citeloom
from citeloom.infrastructure.manuscript.pandoc import pandoc_program
from tests.e2e.command import SMALL, Desk, MakeDesk
from tests.fakes.costly_drafts import COSTLY

DRAFT = """# Waiting

Passengers came early: "The fear of missing it was more expensive to the islanders than the fares
of the whole winter" [@okoro2019, p. 1]. Fuel "rose by a third, but the shops on the quay reported
twice as many customers" [@okoro2019, p. 2].

As @okoro2019 [p. 1] says, "it is a promise".[^1]

> The growth curve was then applied to field walls [...] younger than local tradition says.
> [@ruiz2021, p. 1]

Others disagree [@ruiz2012]. So "the cracks began at the corners" [@okoro2019, p. 1], and "nobody
ever wrote any of this down" [@ruiz2021].

[^1]: Likewise "[h]alf of the heat of a firing was still in the wall" [@haddad2022, p. 1].
"""
VERDICTS = [
    (3, "exact"),
    (4, "near"),
    (7, "wrong_page"),
    (9, "wrong_page"),
    (12, "unverifiable"),
    (12, "other_work"),
    (12, "absent"),
    (15, "exact"),
]


@pytest.fixture
def draft(ingested: Desk, tmp_path: Path) -> Path:
    del ingested
    path = tmp_path / "thesis.md"
    path.write_text(DRAFT, encoding="utf-8")
    return path


def verdicts(checks: list[dict[str, object]]) -> list[tuple[object, object]]:
    return [(one["line"], one["verdict"]) for one in checks]


def test_every_quotation_has_its_verdict(ingested: Desk, draft: Path) -> None:
    outcome = ingested.run("check", draft, "--json")
    assert outcome.code == 4
    assert verdicts(outcome.json["checks"]) == VERDICTS
    near = outcome.json["checks"][1]
    assert near["difference"] == [{"quote": "third", "work": "quarter", "remarks": []}]
    assert outcome.json["checks"][4]["near_citekeys"] == ["ruiz2021"]
    assert outcome.json["checks"][5]["found"]["citekey"] == "tanaka2017"
    assert outcome.json["counts"]["exact"] == 2


def test_text_names_file_line_and_column(ingested: Desk, draft: Path) -> None:
    outcome = ingested.run("check", draft)
    assert f"{draft}:7:29: wrong page: “it is a promise” [@okoro2019, p. 1]: it is on p. 2" in (
        outcome.out
    )
    assert "[@ruiz2012]: no reference has this citekey; did you mean ruiz2021?" in outcome.out
    assert outcome.out.splitlines()[-2:] == [
        "failed; 8 citations: 2 exact, 1 near, 2 wrong page, 1 other work, 1 absent, 1 "
        "unverifiable",
        "coverage: 8 of 8 citations in the text read",
    ]


def test_a_draft_without_faults_passes(ingested: Desk, tmp_path: Path) -> None:
    path = tmp_path / "good.md"
    path.write_text('It "is a promise" [@okoro2019, p. 2].', encoding="utf-8")
    outcome = ingested.must("check", path)
    assert outcome.out == (
        "passed; 1 citation: 1 exact\ncoverage: 1 of 1 citation in the text read\n"
    )
    assert "exact: “is a promise”" in ingested.must("check", path, "--all").out


def test_junit_and_sarif(ingested: Desk, draft: Path) -> None:
    junit = ingested.run("check", draft, "--format", "junit")
    [suite] = ElementTree.fromstring(junit.out)
    assert (suite.get("tests"), suite.get("failures"), junit.code) == ("9", "6", 4)
    sarif = ingested.run("check", draft, "--format", "sarif").json
    assert len(sarif["runs"][0]["results"]) == 6


@pytest.mark.parametrize("suffix", ["tex", "typ", "org", "docx", "odt"])
def test_other_formats_have_the_same_verdicts(
    ingested: Desk, draft: Path, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"thesis.{suffix}"
    natbib = ["--natbib"] if suffix == "tex" else []
    command = [pandoc_program(), "-f", "markdown", str(draft), "-o", str(path), *natbib]
    subprocess.run(command, check=True)
    outcome = ingested.run("check", path, "--json")
    found = sorted(str(verdict) for _, verdict in verdicts(outcome.json["checks"]))
    assert found == sorted(verdict for _, verdict in VERDICTS)


def test_a_word_file_that_cites_only_other_works_says_so_first(
    ingested: Desk, tmp_path: Path
) -> None:
    text, path = tmp_path / "thesis.md", tmp_path / "thesis.docx"
    text.write_text('They "had nothing to lose" (Nobody, 1999, p. 3). So (Anybody, 2001).\n')
    subprocess.run([pandoc_program(), str(text), "-o", str(path)], check=True)
    first = ingested.must("check", path).out.splitlines()[0]
    assert first == "passed; 0 citations, and 2 citations of no work in the library"


def test_several_drafts_and_python(ingested: Desk, draft: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.md"
    second.write_text('"it is a promise" [@okoro2019].', encoding="utf-8")
    with citeloom.open_library(ingested.folder) as library:
        reports = library.project(SMALL).check_drafts([draft, second])
    assert [report.passed for report in reports] == [False, True]


def test_files_that_a_draft_includes_are_read_or_named(ingested: Desk, tmp_path: Path) -> None:
    thesis, chapters = tmp_path / "thesis.tex", tmp_path / "chapters"
    chapters.mkdir()
    thesis.write_text("Text.\n\n\\input{chapters/one}\n\\include{two}\n", encoding="utf-8")
    (chapters / "one.tex").write_text("As \\cite[p.~900]{nobody1999} say.\n", encoding="utf-8")
    outcome = ingested.run("check", thesis)
    assert outcome.code == 4
    assert f"{chapters / 'one.tex'}:1:" in outcome.out
    assert f"{thesis}:4:1: not checked: the included file two was not read" in outcome.out
    assert "1 included file that was not read" in outcome.out.splitlines()[-1]
    first, _ = ingested.run("check", thesis, "--json").json["coverage"]
    assert first["unread_files"] == [{"line": 4, "column": 1, "name": "two"}]
    (chapters / "one.tex").write_text("Nothing to be said.\n", encoding="utf-8")
    (tmp_path / "two.tex").write_text("Nor here.\n", encoding="utf-8")
    assert ingested.must("check", thesis).out.startswith("passed")


def test_drafts_beside_a_missing_one_are_checked(ingested: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("So they say [@nobody1999, p. 900].\n", encoding="utf-8")
    (tmp_path / "b.pdf").write_bytes(b"%PDF")
    outcome = ingested.run("check", *(tmp_path / name for name in ("a.md", "no.md", "b.pdf")))
    assert outcome.code == 3
    assert f"{tmp_path / 'a.md'}:1:" in outcome.out
    assert "no.md cannot be read" in outcome.err
    assert "b.pdf" in outcome.err


def test_what_is_no_draft_says_so(ingested: Desk, tmp_path: Path) -> None:
    missing = ingested.run("check", tmp_path / "no.md")
    assert (missing.code, "cannot be read" in missing.err) == (1, True)
    stdin = ingested.run("check", "-", stdin="Nothing.\n")
    assert (stdin.code, "not read from stdin" in stdin.err) == (1, True)
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    other = ingested.run("check", tmp_path / "a.pdf")
    assert (other.code, "is no draft that can be read" in other.err) == (3, True)
    broken = tmp_path / "broken.docx"
    broken.write_bytes(b"PK")
    assert ingested.run("check", broken).code == 3
    assert ingested.run("check").code == 2


def test_nothing_ingested(make_desk: MakeDesk, draft: Path) -> None:
    desk = make_desk("empty")
    desk.configure('[project."lab/small"]\n')
    outcome = desk.run("check", draft)
    assert (outcome.code, "nothing has been ingested" in outcome.err) == (10, True)


def test_corrections_are_a_diff_first(ingested: Desk, draft: Path) -> None:
    diff = ingested.run("check", draft, "--fix")
    assert diff.code == 4
    changed = [line for line in diff.out.splitlines() if line.startswith(("+", "-"))][2:]
    assert len(changed) == 6
    assert (
        '+of the whole winter" [@okoro2019, p. 1]. Fuel "rose by a quarter, but the shops on'
        in (diff.out)
    )
    assert "+As @okoro2019 [p. 2] says" in diff.out
    assert "+> [@ruiz2021, p. 2]" in diff.out
    assert "3 corrections; 3 findings left to you" in diff.err
    assert draft.read_text(encoding="utf-8") == DRAFT
    written = ingested.run("check", draft, "--fix", "--write")
    copy = draft.with_name("thesis.corrected.md")
    assert written.out == f"{copy}\n"
    again = ingested.run("check", copy, "--json").json
    counts = again["counts"]
    assert (counts["exact"], counts["near"], counts["wrong_page"]) == (4, 1, 0)
    [near] = [one for one in again["checks"] if one["verdict"] == "near"]
    assert [change["work"] for change in near["difference"]] == ["of which no record exists"]
    assert ingested.run("check", draft, "--fix", "--write").code == 1
    assert ingested.run("check", draft, "--write").code == 2


def test_a_costly_draft_is_refused_by_name_and_the_others_are_checked(
    ingested: Desk, draft: Path
) -> None:
    costly = draft.with_name("items.md")
    costly.write_text(COSTLY[costly.name], encoding="utf-8")
    last = draft.with_name("last.md")
    last.write_text("# Nothing to check\n", encoding="utf-8")
    env = {"CITELOOM_DRAFTS__MEMORY_MB": "64"}
    outcome = ingested.run("check", costly, draft, last, "--json", env=env)
    assert outcome.code == 3
    assert outcome.err.startswith("error [UNREADABLE_DOCUMENT]: items.md takes Pandoc more")
    assert verdicts(outcome.json["checks"]) == VERDICTS
    [refused] = outcome.json["refused"]
    assert (refused["file"], refused["code"]) == (str(costly), "UNREADABLE_DOCUMENT")
    assert "memory_mb" in refused["hint"]
    junit = ElementTree.fromstring(
        ingested.run("check", costly, last, "--format", "junit", env=env).out
    )
    assert [suite.get("errors") for suite in junit] == ["1", None]
    sarif = ingested.run("check", costly, last, "--format", "sarif", env=env).json["runs"][0]
    [told] = sarif["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"] == refused["message"]
    failed = ingested.run("check", costly, last, env=env)
    assert failed.code == 3
    assert failed.out == "failed; 0 citations\ncoverage: 0 of 0 citations in the text read\n"


def test_what_was_not_read_is_a_finding(ingested: Desk, tmp_path: Path) -> None:
    path = tmp_path / "silent.md"
    text = "$$\n\\text{It is a promise [@okoro2019, p. 2]}\n$$\n\nSo “never closed @okoro2019.\n"
    path.write_text(text, encoding="utf-8")
    outcome = ingested.run("check", path)
    assert outcome.code == 4
    assert outcome.out.splitlines() == [
        f"{path}:2:25: not checked: @okoro2019 was not read as a citation",
        f"{path}:5:5: not checked: this quotation mark never closes",
        "failed; 1 citation",
        "coverage: 1 of 2 citations in the text read; 1 quotation mark that never closes",
    ]
    assert ingested.run("check", path, "--min-coverage", "0.5").code == 0
    [coverage] = ingested.run("check", path, "--json").json["coverage"]
    assert (coverage["written"], coverage["read"], coverage["share"]) == (2, 1, 0.5)
    assert coverage["unread"] == [{"line": 2, "column": 25, "citekey": "okoro2019"}]
    junit = ElementTree.fromstring(ingested.run("check", path, "--format", "junit").out)
    assert [failure.get("type") for failure in junit.iter("failure")] == ["coverage"]
    sarif = ingested.run("check", path, "--format", "sarif").json["runs"][0]
    assert [result["ruleId"] for result in sarif["results"]] == ["coverage", "coverage"]


def test_an_unreadable_draft_does_not_end_the_check_of_the_others(
    ingested: Desk, draft: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.docx"
    broken.write_bytes(b"no archive")
    with citeloom.open_library(ingested.folder) as library:
        first, second = library.project(SMALL).check_drafts([broken, draft])
    assert (first.passed, first.error is not None, len(second.checks)) == (False, True, 8)
