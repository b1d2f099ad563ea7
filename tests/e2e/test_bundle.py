"""`bundle` and `bundle verify`: the evidence for citations, and what has changed since."""

from __future__ import annotations

import hashlib
import json
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from PIL import Image
from pydantic import TypeAdapter

import citeloom
from citeloom.domain.manuscript.evidence_bundle import EvidenceBundle
from citeloom.infrastructure.answers.ro_crate import BundleReplayAnswer
from tests.described import assert_described
from tests.e2e.command import SMALL, Desk

DRAFT = """Passengers came early: "The fear of missing it was more expensive to the islanders than
the fares of the whole winter" [@okoro2019, p. 1].

Walls have been dated [@ruiz2021, p. 2; @tanaka2017]. Others disagree [@ruiz2012].
"""


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "thesis.md"
    path.write_text(DRAFT, encoding="utf-8")
    return path


@pytest.fixture
def bundle(ingested: Desk, draft: Path, tmp_path: Path) -> Path:
    path = tmp_path / "evidence.zip"
    ingested.must("bundle", draft, "--out", path)
    return path


def files_of(bundle: Path) -> dict[str, bytes]:
    with ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_each_citation_has_its_words_page_and_source(ingested: Desk, bundle: Path) -> None:
    files = files_of(bundle)
    assert list(files) == sorted(files)
    evidence = json.loads(files["passages.json"])
    TypeAdapter(EvidenceBundle).validate_python(evidence)
    first, second, third, fourth = evidence["evidence"]
    assert (first["verdict"], first["page_span"], first["no_picture"]) == ("exact", [1, 1], None)
    assert first["words"].startswith("The fear of missing it was more expensive")
    assert first["words"] in " ".join(first["passage"].split())
    assert second["quote"] is None
    assert [(one["page"], one["marked"]) for one in second["pictures"]] == [(2, False)]
    assert (third["words"], third["no_picture"]) == (None, "no_passage")
    assert (fourth["reason"], fourth["doc_id"]) == ("unknown_citekey", None)
    [marked] = [files[one["file"]] for one in first["pictures"]]
    assert Image.open(BytesIO(marked)).format == "PNG"
    papers = {one["citekey"]: one for one in evidence["sources"]}
    paper = next(ingested.library.rglob("okoro2019.pdf"))
    assert papers["okoro2019"]["sha256"] == hashlib.sha256(paper.read_bytes()).hexdigest()
    assert {*evidence["versions"]} >= {"citeloom", "conversion", "dense model", "pandoc"}
    assert str(ingested.folder).encode() not in files["passages.json"]


def test_the_metadata_are_those_of_an_ro_crate(bundle: Path) -> None:
    files = files_of(bundle)
    graph: dict[str, Any] = {
        one["@id"]: one for one in json.loads(files["ro-crate-metadata.json"])["@graph"]
    }
    assert graph["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    parts = [one["@id"] for one in graph["./"]["hasPart"]]
    assert parts == [name for name in files if name.startswith("pa")]
    assert all(graph[part]["contentSize"] == str(len(files[part])) for part in parts)
    named = {one["@id"] for one in graph["./"]["mentions"]} | {graph["./"]["license"]["@id"]}
    assert named <= {*graph}
    listed = dict(line.split("  ")[::-1] for line in files["sha256sums.txt"].decode().splitlines())
    assert listed == {
        name: hashlib.sha256(content).hexdigest()
        for name, content in files.items()
        if name != "sha256sums.txt"
    }


def test_the_same_drafts_make_the_same_bytes(
    ingested: Desk, draft: Path, bundle: Path, tmp_path: Path
) -> None:
    again, dated = tmp_path / "again.zip", tmp_path / "dated.zip"
    ingested.must("bundle", "make", "--out", again, draft)
    assert again.read_bytes() == bundle.read_bytes()
    ingested.must("bundle", draft, "--out", dated, "--date", "86400", "--no-pictures")
    files = files_of(dated)
    evidence = json.loads(files["passages.json"])
    assert evidence["date"] == "1970-01-02T00:00:00Z"
    assert evidence["evidence"][0]["no_picture"] == "left_out"
    assert not [name for name in files if name.startswith("pages/")]
    with ZipFile(again) as archive:
        assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_making_counts_evidence_as_verifying_does(
    ingested: Desk, draft: Path, tmp_path: Path
) -> None:
    made = ingested.must("bundle", draft, "--out", tmp_path / "e.zip", "--no-pictures").out
    assert made.startswith(
        "4 citations: 2 with a passage, 1 with its source alone, 1 without evidence; "
    )


def test_an_unchanged_library_passes(ingested: Desk, bundle: Path) -> None:
    outcome = ingested.must("bundle", "verify", bundle)
    assert outcome.out == "passed; 4 citations: 3 unchanged, 1 without evidence\n"
    assert_described(ingested.must("bundle", "verify", bundle, "--json").json, BundleReplayAnswer)
    assert "[@ruiz2012]: without evidence" in ingested.must("bundle", "verify", bundle, "--all").out
    with citeloom.open_library(ingested.folder) as library:
        assert library.project(SMALL).verify_bundle(bundle).passed


def test_files_and_works_that_are_gone_are_named(small: Desk, draft: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "evidence.zip"
    small.must("bundle", draft, "--out", bundle)
    paper = next(small.library.rglob("okoro2019.pdf"))
    paper.write_bytes(paper.read_bytes() + b"\n")
    next(small.library.rglob("ruiz2021.pdf")).unlink()
    small.must("delete", "--citekey", "@tanaka2017", "--yes")
    outcome = small.run("bundle", "verify", bundle, "--json")
    assert outcome.code == 4
    assert [one["changes"] for one in outcome.json["citations"]] == [
        ["file_changed"],
        ["file_gone"],
        ["gone"],
        [],
    ]
    later = tmp_path / "later.zip"
    small.must("bundle", draft, "--out", later)
    first, second = json.loads(files_of(later)["passages.json"])["evidence"][:2]
    assert (first["no_picture"], second["no_picture"]) == ("file_changed", "file_gone")
    assert "unchanged" in small.must("bundle", "verify", later).out


def test_a_damaged_archive_is_found_and_others_are_refused(
    ingested: Desk, bundle: Path, tmp_path: Path
) -> None:
    files = files_of(bundle)
    damaged = tmp_path / "damaged.zip"
    with ZipFile(damaged, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content + b" " if name.endswith(".png") else content)
    outcome = ingested.run("bundle", "verify", damaged)
    assert (outcome.code, "pages/00001.png: damaged" in outcome.out) == (4, True)
    (tmp_path / "text.zip").write_text("no archive", encoding="utf-8")
    refused = ingested.run("bundle", "verify", tmp_path / "text.zip")
    assert (refused.code, "is no readable ZIP archive" in refused.err) == (3, True)
    missing = ingested.run("bundle", "verify", tmp_path / "missing.zip")
    assert missing.code == 1
    other = ingested.run("bundle", tmp_path / "thesis.md", "--out", tmp_path / "a.tar")
    assert (other.code, "does not end in .zip" in other.err) == (2, True)
