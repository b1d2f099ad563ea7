"""`citeloom delete` takes out what is named, and asks before it does."""

from __future__ import annotations

import pytest

from tests.e2e.command import Desk
from tests.e2e.papers import CLAY, OVENS


def test_a_work_is_deleted_by_its_citekey(small: Desk) -> None:
    before = small.chunks()
    report = small.must("delete", "--citekey", f"@{CLAY.citekey}", "--yes", "--json").json
    assert report["documents"] == [f"library/{CLAY.file_name}"]
    left = small.chunks()
    assert len(left) == len(before) - report["chunks"] < len(before)
    assert left == [s for s in before if s.citation and s.citation.citekey != CLAY.citekey]
    assert (small.library / CLAY.file_name).exists()
    again = small.must("ingest").out
    assert "5 unchanged" in again
    assert "citeloom ingest --restore restores them" in again
    assert small.chunks() == left
    assert "1 indexed, 5 unchanged" in small.must("ingest", "--restore").out
    assert small.chunks() == before


def test_a_document_is_deleted_by_its_id(small: Desk) -> None:
    [doc_id] = {s.chunk.doc_id for s in small.chunks() if OVENS.file_name in s.source_path}
    outcome = small.must("delete", "--doc", doc_id, "--yes")
    assert outcome.out == "1 document and 2 chunks deleted\n"
    assert doc_id not in {s.chunk.doc_id for s in small.chunks()}


def test_a_project_is_deleted_whole_once_that_is_confirmed(small: Desk) -> None:
    number = len(small.chunks())
    refused = small.run("delete", "--all", stdin="n\n")
    assert (refused.code, refused.out) == (1, "")
    assert "Delete everything from lab/small? [y/N]" in refused.err
    assert len(small.chunks()) == number
    agreed = small.run("delete", "--all", stdin="y\n")
    assert agreed.out == f"6 documents and {number} chunks deleted\n"
    assert small.run("inspect").code == 10
    assert small.must("projects", "--json").json[0]["documents"] == 0


def test_a_stream_that_ends_is_no_consent(small: Desk) -> None:
    refused = small.run("delete", "--all", stdin="")
    assert refused.code == 1
    assert len(small.chunks()) > 0


def test_what_is_not_there_is_an_error_with_what_is_near(ingested: Desk) -> None:
    far = ingested.run("delete", "--citekey", "nobody1999", "--yes")
    assert (far.code, far.out) == (1, "")
    assert "no work 'nobody1999'" in far.err
    near = ingested.run("delete", "--citekey", f"{CLAY.citekey}x", "--yes")
    assert near.code == 1
    assert f"Did you mean {CLAY.citekey}" in near.err


@pytest.mark.parametrize("options", [(), ("--all", "--citekey", "x")])
def test_exactly_one_thing_must_be_named(ingested: Desk, options: tuple[str, ...]) -> None:
    refused = ingested.run("delete", "--yes", *options)
    assert refused.code == 2
    assert "name one of --doc, --citekey and --all" in refused.err
