"""`citeloom ingest`: what it does to new, changed, missing and unchanged documents."""

from __future__ import annotations

import json

import pytest

from citeloom.infrastructure.conversion.workers import processes
from citeloom.infrastructure.conversion.workers.worker_process import cannot_start
from citeloom.infrastructure.wiring import conversion
from tests.e2e.command import SMALL, Desk, project_table
from tests.e2e.papers import (
    CLAY,
    LICHENS,
    OVENS,
    PAPERS,
    write_papers,
    write_references,
)

NOTHING = (
    "nothing to ingest: no file of a supported kind in {}; "
    "PDF, Word, PowerPoint, EPUB, HTML, Markdown and plain text in UTF-8 are read."
)
NAMES = sorted(f"library/{paper.file_name}" for paper in PAPERS)
CLAY_PATH, OVENS_PATH, LICHENS_PATH = (
    f"library/{paper.file_name}" for paper in (CLAY, OVENS, LICHENS)
)


@pytest.fixture
def fresh(desk: Desk) -> Desk:
    """Two papers that were never ingested, one of them without a reference."""
    write_papers(desk.library, LICHENS, OVENS)
    write_references(desk.folder / "references.json", LICHENS, CLAY)
    desk.configure(project_table(SMALL, references="references.json"))
    return desk


def texts_of(desk: Desk, path: str) -> str:
    return "\n".join(s.chunk.text for s in desk.chunks() if s.source_path == path)


def test_the_json_report_of_a_first_run_adds_up(fresh: Desk) -> None:
    (fresh.library / "notes.odt").write_text("no document", encoding="utf-8")
    report = fresh.must("ingest", "--json").json
    assert (report["project"], report["collection"]) == (SMALL, "proj-lab-small")
    assert report["indexed"] == [OVENS_PATH, LICHENS_PATH]
    assert (report["found"], report["ignored"], report["pages"]) == (2, 1, 4)
    assert report["failed"] == report["unchanged"] == report["pending"] == report["gone"] == []
    assert report["matched"] == {"doi": 1}
    assert [unmatched["path"] for unmatched in report["unmatched"]] == [OVENS_PATH]
    counts = report["chunks"]
    assert counts["added"] == len(fresh.chunks()) > 0
    assert counts["rewritten"] == counts["removed"] == 0
    assert 0 < counts["kept_characters"] <= counts["body_characters"]
    assert {"convert", "chunk", "match", "embed", "store", "total"} <= report["seconds"].keys()
    assert (report["interrupted"], report["dry_run"], report["promoted"]) == (False, False, False)


def test_a_limit_leaves_the_rest_to_the_next_run(fresh: Desk) -> None:
    first = fresh.must("ingest", "--limit", "1", "--json").json
    assert (first["indexed"], first["pending"]) == ([OVENS_PATH], [LICHENS_PATH])
    second = fresh.must("ingest", "--limit", "1", "--json").json
    assert (second["indexed"], second["unchanged"]) == ([LICHENS_PATH], [OVENS_PATH])
    logs = (fresh.data / "audit").rglob("*.jsonl")
    lines = [line for log in logs for line in log.read_text(encoding="utf-8").splitlines()]
    logged = [json.loads(line) for line in lines]
    assert first.pop("not_indexed") == second.pop("not_indexed") == []
    assert [{key: line[key] for key in first} for line in logged] == [first, second]


def test_several_workers_store_what_one_does(desk: Desk, ingested: Desk) -> None:
    write_papers(desk.library, *PAPERS)
    write_references(desk.folder / "references.json", *PAPERS)
    desk.configure(project_table(SMALL, references="references.json"))
    desk.must("ingest", "--workers", "3")
    assert desk.chunks() == ingested.chunks()


def test_a_dry_run_of_a_new_project_makes_no_index(fresh: Desk) -> None:
    outcome = fresh.must("ingest", "--dry-run")
    assert outcome.out == f"{SMALL}: 2 found, 0 indexed, 0 unchanged, 0 failed, 2 to do\n"
    assert [path.name for path in fresh.data.iterdir()] == ["cache"]


def test_the_text_report_begins_with_the_counts(small: Desk) -> None:
    before = small.chunks()
    outcome = small.must("ingest", "--force")
    lines = outcome.out.splitlines()
    assert lines[0] == f"{SMALL}: 6 found, 6 indexed, 0 unchanged, 0 failed"
    assert lines[1].startswith(f"chunks: 0 added, {len(before)} rewritten, 0 removed; ")
    assert "references: 6 matched (6 by doi), 0 unmatched" in lines
    done = [line for line in outcome.err.splitlines() if "  indexed: " in line]
    numbers, names = zip(*(line.split()[:2] for line in done))
    assert list(numbers) == [f"[{number}/6]" for number in range(1, 7)]
    assert sorted(names) == NAMES
    assert [line.endswith("@tanaka2017") for line in done].count(True) == 1
    assert small.chunks() == before


def test_a_second_run_finds_everything_unchanged(small: Desk) -> None:
    before = small.chunks()
    report = small.must("ingest", "--json").json
    assert (report["unchanged"], report["indexed"]) == (NAMES, [])
    assert (report["chunks"]["added"], report["chunks"]["rewritten"]) == (0, 0)
    assert small.chunks() == before


def test_what_is_cached_and_short_is_prepared_without_workers(
    small: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise cannot_start("none may start here")

    before = small.chunks()
    monkeypatch.setattr(processes, "WorkerProcess", refuse)
    assert small.must("ingest", "--rebuild", "--json").json["indexed"] == NAMES
    assert small.chunks() == before
    monkeypatch.setattr(conversion, "SHORT", 100)
    refused = small.run("ingest", "--rebuild", "--workers", "2")
    assert (refused.code, "none may start here" in refused.err) == (1, True)
    monkeypatch.undo()
    assert small.must("ingest", "--rebuild", "--force", "--json").json["indexed"] == NAMES


def test_a_changed_file_takes_the_place_of_its_earlier_content(small: Desk) -> None:
    before = texts_of(small, CLAY_PATH)
    CLAY.write(small.library, note="The wire was replaced by a blade in the third summer.")
    planned = small.must("ingest", "--dry-run", "--json").json
    assert (planned["dry_run"], planned["pending"]) == (True, [CLAY_PATH])
    assert texts_of(small, CLAY_PATH) == before
    report = small.must("ingest", "--json").json
    assert (report["indexed"], len(report["unchanged"])) == ([CLAY_PATH], 5)
    assert report["chunks"]["removed"] > 0
    assert "replaced by a blade" in texts_of(small, CLAY_PATH)
    assert len({s.chunk.doc_id for s in small.chunks() if s.source_path == CLAY_PATH}) == 1


def test_a_missing_file_stays_until_it_is_pruned(small: Desk) -> None:
    (small.library / OVENS.file_name).unlink()
    kept = small.must("ingest")
    assert "without a file: 1 document; --prune removes them" in kept.out
    assert texts_of(small, OVENS_PATH)
    report = small.must("ingest", "--prune", "--json").json
    assert (report["pruned"], report["gone"]) == ([OVENS_PATH], [])
    assert report["chunks"]["removed"] > 0
    assert {s.source_path for s in small.chunks()} == set(NAMES) - {OVENS_PATH}


def test_a_moved_file_keeps_its_chunks(small: Desk) -> None:
    before = [s.chunk.id for s in small.chunks()]
    (small.library / "old").mkdir()
    (small.library / OVENS.file_name).rename(small.library / "old" / OVENS.file_name)
    report = small.must("ingest", "--json").json
    assert report["moved"] == [f"library/old/{OVENS.file_name}"]
    assert (report["indexed"], report["gone"]) == ([], [])
    assert [s.chunk.id for s in small.chunks()] == before
    assert texts_of(small, f"library/old/{OVENS.file_name}")


def test_other_references_for_one_run_are_matched_without_new_chunks(small: Desk) -> None:
    others = [paper for paper in PAPERS if paper is not CLAY]
    other = write_references(small.folder / "other.json", *others)
    report = small.must("ingest", "--references", other, "--json").json
    assert (report["updated"], report["indexed"]) == ([CLAY_PATH], [])
    assert report["chunks"]["added"] == 0
    uncited = {s.source_path for s in small.chunks() if s.citation is None}
    assert uncited == {CLAY_PATH}


def test_a_folder_without_documents_is_no_error(small: Desk) -> None:
    (small.folder / "empty").mkdir()
    nothing = NOTHING.format(small.folder / "empty")
    outcome = small.must("ingest", "empty")
    assert outcome.out == f"{SMALL}: 0 found, 0 indexed, 0 unchanged, 0 failed\n{nothing}\n"
    (small.folder / "empty" / "a.odt").touch()
    (small.folder / "empty" / "b.ODT").touch()
    (small.folder / "empty" / "LICENCE").touch()
    assert small.must("ingest", "empty").out.splitlines() == [
        f"{SMALL}: 0 found, 0 indexed, 0 unchanged, 0 failed, 3 of other kinds",
        "of unsupported kinds: 2 .odt, 1 without a suffix",
        nothing,
    ]


def test_an_empty_source_is_not_this_folder(small: Desk) -> None:
    for args in (("",), (" ",), ("--references", "")):
        refused = small.run("ingest", *args)
        assert refused.code == 2
        assert "the path is empty" in refused.err


def test_a_folder_that_is_not_there_fails_alone(small: Desk) -> None:
    outcome = small.run("ingest", "nowhere", CLAY_PATH)
    assert outcome.code == 3
    assert outcome.out.startswith(f"{SMALL}: 1 found, 0 indexed, 1 unchanged, 1 failed")
    assert "nowhere  SOURCE_UNAVAILABLE: no such file or folder" in outcome.out


def test_no_sources_at_all_are_an_error(desk: Desk) -> None:
    desk.configure(f'[project."{SMALL}"]\n')
    refused = desk.run("ingest")
    assert refused.code == 14
    assert "nothing to ingest" in refused.err
    assert "sources in citeloom.toml" in refused.err
