"""`citeloom validate` as a gate: silent on a sound project, exit 4 on each seeded fault."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from xml.etree import ElementTree

from citeloom.domain.validation import CHECKS
from tests.e2e.command import Desk, project_table
from tests.e2e.papers import CLAY, PAPERS, write_references

CLAY_PATH = f"library/{CLAY.file_name}"


def test_a_sound_project_passes_in_text_and_json(ingested: Desk) -> None:
    text = ingested.must("validate").out
    assert text.startswith("lab/small: passed; ")
    report = ingested.must("validate", "--format", "json").json
    assert report["passed"] is True
    assert [f for f in report["findings"] if f["severity"] != "info"] == []
    assert (report["documents"], report["chunks"]) == (6, len(ingested.chunks()))


def test_a_sound_project_passes_as_junit(ingested: Desk) -> None:
    suite = ElementTree.fromstring(ingested.must("validate", "--format", "junit").out)
    cases = [case.get("name") for case in suite.iter("testcase")]
    assert (suite.tag, suite.get("failures"), suite.get("tests")) == (
        "testsuite",
        "0",
        str(len(cases)),
    )
    assert cases == list(CHECKS)
    assert list(suite.iter("failure")) == []


def test_a_project_without_its_source_or_any_document_fails_in_every_form(desk: Desk) -> None:
    desk.configure(project_table("lab/small", sources=("nowhere/",)))
    assert desk.run("ingest").code == 3
    text = desk.run("validate")
    assert text.code == 4
    assert "error  sources: nowhere/: no such file or folder" in text.out
    assert "error  documents: no document has been ingested" in text.out
    report = desk.run("validate", "--format", "json")
    assert (report.code, report.json["passed"]) == (4, False)
    assert [found["check"] for found in report.json["findings"]] == ["sources", "documents"]
    junit = desk.run("validate", "--format", "junit")
    assert junit.code == 4
    suite = ElementTree.fromstring(junit.out)
    assert [failure.get("type") for failure in suite.iter("failure")] == ["sources", "documents"]


def test_an_empty_folder_that_was_ingested_fails(desk: Desk) -> None:
    desk.configure(project_table("lab/small"))
    desk.library.mkdir(exist_ok=True)
    desk.must("ingest")
    checked = desk.run("validate")
    assert checked.code == 4
    assert [line for line in checked.out.splitlines() if line.startswith("error")] == [
        "error  documents: no document has been ingested"
    ]


def test_chunks_of_a_document_the_catalogue_forgot_are_found(small: Desk) -> None:
    with closing(sqlite3.connect(small.data / "manifest.sqlite")) as manifest, manifest:
        manifest.execute("DELETE FROM documents WHERE path = ?", (CLAY_PATH,))
    checked = small.run("validate", "--format", "junit")
    assert checked.code == 4
    suite = ElementTree.fromstring(checked.out)
    failed = {case.get("name"): case.find("failure") for case in suite.iter("testcase")}
    [(name, failure)] = [(name, found) for name, found in failed.items() if found is not None]
    assert name == "orphans"
    assert failure.text is not None
    assert "belong to no document of the manifest" in failure.text


def test_a_missing_reference_fails_only_where_one_is_required(small: Desk) -> None:
    write_references(small.folder / "references.json", *(p for p in PAPERS if p is not CLAY))
    small.must("ingest")
    tolerant = small.must("validate")
    assert f"warning  citekey: {CLAY_PATH}: has no reference" in tolerant.out
    strict = small.run("validate", "--require-citekey", "--format", "json")
    assert strict.code == 4
    report = strict.json
    assert report["passed"] is False
    assert [(f["check"], f["subject"], f["severity"]) for f in report["findings"]] == [
        ("citekey", CLAY_PATH, "error")
    ]


def test_thresholds_come_from_the_configuration_and_below_it_from_options(small: Desk) -> None:
    small.configure(
        project_table("lab/small", references="references.json"),
        tables="[validate]\nmin_chunks_per_document = 3\n",
    )
    checked = small.run("validate")
    assert checked.code == 4
    assert checked.out.count("fewer than 3") == 6
    assert "failed; " in checked.out.splitlines()[-1]


def test_checks_are_chosen_left_out_and_graded(small: Desk) -> None:
    with closing(sqlite3.connect(small.data / "manifest.sqlite")) as manifest, manifest:
        manifest.execute("UPDATE documents SET citekey = NULL WHERE path = ?", (CLAY_PATH,))
    assert small.run("validate", "--check", "citekey").code == 0
    strict = small.run("validate", "--check", "citekey", "--strict", "--format", "junit")
    assert strict.code == 4
    [case] = ElementTree.fromstring(strict.out).iter("testcase")
    failure = case.find("failure")
    assert failure is not None
    assert failure.text is not None
    assert f"{CLAY_PATH}: has no reference" in failure.text
    assert small.run("validate", "--skip", "citekey").code == 4  # chunks carry another reference
    small.must("validate", "--skip", "citekey", "--skip", "citation", "--strict")
    small.configure(
        project_table("lab/small", references="references.json"),
        tables='[validate]\nseverity = ["citation=off", "citekey=info"]\n',
    )
    assert "info  citekey: " in small.must("validate", "--strict").out


def test_a_check_that_does_not_exist_is_refused_with_those_that_do(ingested: Desk) -> None:
    refused = ingested.run("validate", "--check", "catalog")
    assert refused.code == 2
    assert "'catalog' is not one of 'models', 'store', " in refused.err


def test_documents_are_summed_up(small: Desk) -> None:
    with closing(sqlite3.connect(small.data / "manifest.sqlite")) as manifest, manifest:
        manifest.execute("UPDATE documents SET pages = 0, chunks = 9 WHERE path = ?", (CLAY_PATH,))
    checked = small.run("validate", "--format", "json")
    assert checked.code == 4
    errors = {one["path"]: one["errors"] for one in checked.json["by_document"]}
    assert len(errors) == 6
    assert {path for path, count in errors.items() if count} == {CLAY_PATH}
    assert any(line.endswith(CLAY_PATH) for line in small.run("validate").out.splitlines())
