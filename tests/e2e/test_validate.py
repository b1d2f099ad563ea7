"""`citeloom validate` as a gate: silent on a sound project, exit 4 on each seeded fault."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from xml.etree import ElementTree

from tests.e2e.command import Desk, project_table
from tests.e2e.papers import CLAY, PAPERS, write_references

CLAY_PATH = f"library/{CLAY.file_name}"


def test_a_sound_project_passes_in_text_and_json(ingested: Desk) -> None:
    text = ingested.must("validate").out
    assert text.startswith("lab/small: passed; ")
    report = ingested.must("validate", "--format", "json").json
    assert (report["passed"], report["findings"]) == (True, [])
    assert (report["documents"], report["chunks"]) == (6, len(ingested.chunks()))


def test_a_sound_project_passes_as_junit(ingested: Desk) -> None:
    suite = ElementTree.fromstring(ingested.must("validate", "--format", "junit").out)
    cases = [case.get("name") for case in suite.iter("testcase")]
    assert (suite.tag, suite.get("failures"), suite.get("tests")) == (
        "testsuite",
        "0",
        str(len(cases)),
    )
    assert {"models", "store", "catalogue", "references", "window"} <= set(cases)
    assert list(suite.iter("failure")) == []


def test_chunks_of_a_document_the_catalogue_forgot_are_found(small: Desk) -> None:
    with closing(sqlite3.connect(small.data / "manifest.sqlite")) as manifest, manifest:
        manifest.execute("DELETE FROM documents WHERE path = ?", (CLAY_PATH,))
    checked = small.run("validate", "--format", "junit")
    assert checked.code == 4
    suite = ElementTree.fromstring(checked.out)
    failed = {case.get("name"): case.find("failure") for case in suite.iter("testcase")}
    [(name, failure)] = [(name, found) for name, found in failed.items() if found is not None]
    assert name == "catalogue"
    assert failure.text is not None
    assert "belong to no document of the catalogue" in failure.text


def test_a_missing_reference_fails_only_where_one_is_required(small: Desk) -> None:
    write_references(small.folder / "references.json", *(p for p in PAPERS if p is not CLAY))
    small.must("ingest")
    tolerant = small.must("validate")
    assert f"warning  references: {CLAY_PATH}: has no reference" in tolerant.out
    strict = small.run("validate", "--require-citekey", "--format", "json")
    assert strict.code == 4
    report = strict.json
    assert report["passed"] is False
    assert [(f["check"], f["subject"], f["severity"]) for f in report["findings"]] == [
        ("references", CLAY_PATH, "error")
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
