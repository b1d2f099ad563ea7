"""`citeloom eval pages`: a sound project is exact; what cannot be compared is named."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from xml.etree import ElementTree

from citeloom.domain.retrieval.passage import EmbeddedChunk, StoredChunk
from tests.e2e.command import SMALL, Desk
from tests.e2e.papers import CLAY, PAPERS


def test_every_chunk_of_a_sound_project_stands_on_its_page(ingested: Desk) -> None:
    report = ingested.must("eval", "pages", "--format", "json").json
    assert report["share"] == 1.0
    assert report["totals"]["exact"] == len(ingested.chunks())
    assert [document["path"] for document in report["documents"]] == sorted(
        f"library/{paper.file_name}" for paper in PAPERS
    )
    assert (report["skipped"], report["documents"][0]["examples"]) == ([], [])


def test_the_table_ends_with_the_share(ingested: Desk) -> None:
    lines = ingested.must("eval", "pages").out.splitlines()
    assert lines[0].split() == "exact near wrong page not found no text document".split()
    assert lines[-1] == "lab/small: 100.00% exact or near"
    assert lines[-2].startswith("lab/small: 100.00% of ")
    assert lines[-2].endswith(" words in chunks, 0 pages without 20 or more")
    assert lines[-3].startswith("lab/small: 0 of ")
    assert "0.00% of lines; 0 glued and 0 broken of " in lines[-3]


def test_lines_stand_in_their_order(ingested: Desk) -> None:
    report = ingested.must("eval", "pages", "--format", "json").json
    lines = report["lines"]
    assert lines["pages"] > 0 < lines["lines"]
    assert (lines["doubtful_pages"], lines["moved"], lines["torn"]) == (0, 0, 0)
    assert report["documents"][0]["doubtful_pages"] == []


def test_junit_has_a_case_for_pages_order_and_words(small: Desk) -> None:
    misplaced(small)
    suite = ElementTree.fromstring(small.must("eval", "pages", "--format", "junit").out)
    cases = suite.findall("testcase")
    assert {case.get("name") for case in cases} == {"pages", "order", "words", "recall"}
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    assert failed == ["pages", "recall"]
    assert suite.get("failures") == "2"


def test_another_file_in_the_place_of_a_paper_is_told_and_not_compared(small: Desk) -> None:
    path = small.library / CLAY.file_name
    path.write_bytes((small.library / PAPERS[0].file_name).read_bytes())
    outcome = small.run("eval", "pages")
    assert outcome.code == 3
    assert f"not compared: library/{CLAY.file_name}: the file has changed" in outcome.out
    assert "100.00% exact or near" in outcome.out


def test_a_chunk_with_another_page_is_reported_as_an_example(small: Desk) -> None:
    wrong = misplaced(small)
    outcome = small.must("eval", "pages", "--examples", "1")
    assert f"wrong page: {wrong.chunk.id}  " in outcome.out
    assert ", p. 2: " in outcome.out
    assert outcome.out.splitlines()[-1] != "lab/small: 100.00% exact or near"


def misplaced(desk: Desk) -> StoredChunk:
    """A chunk of a first page that is made to claim the second."""
    stored = next(s for s in desk.chunks() if s.chunk.page_span == (1, 1))
    wrong = replace(stored, chunk=replace(stored.chunk, page_span=(2, 2), boxes=()))
    app = desk.open(SMALL)
    with closing(app.parts):
        assert app.opened.sparse is not None
        text = wrong.chunk.embedding_text
        embedded = EmbeddedChunk(
            stored=wrong,
            dense=app.opened.dense.embed_query(text),
            sparse=app.opened.sparse.embed_query(text),
        )
        app.parts.index.upsert(app.project.collection, [embedded])
    return wrong
