"""Killed at any moment, an ingest leaves nothing broken, and the next run makes it whole."""

from __future__ import annotations

import shutil
import signal
import sys
import time
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from citeloom.domain.documents.manifest import Status
from citeloom.domain.retrieval.passage import StoredChunk
from tests.copies import copy_folder
from tests.e2e.command import SMALL, Desk, MakeDesk, project_table
from tests.e2e.papers import PAPERS, write_papers, write_references
from tests.e2e.processes import processes_in, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals and /proc"),
]

_KILLS = 3
"""And more until one hit: whoever comes too late comes in half the time next."""
_LONGEST_PAUSE = 0.8
"""Seconds, as long as the papers take to be embedded and stored."""
_STEPS_BEFORE_PAPERS = 2
"""The index is made, and the manifest."""


def steps(desk: Desk) -> int:
    """How far a run has come, counted by what it leaves behind and by what it tells."""
    made = (desk.data / "manifest.sqlite", *desk.data.glob("projects/*/collection.json"))
    converted = list(desk.conversions.rglob("*.json.gz"))
    stderr = desk.stderr_file.read_text(encoding="utf-8") if desk.stderr_file.exists() else ""
    return sum(path.exists() for path in made) + len(converted) + stderr.count("  indexed: ")


def kill(desk: Desk, *args: str, after: int, pause: float = 0.0) -> bool:
    """Start an ingest, kill it a pause after so many steps; whether it was still running."""
    desk.stderr_file.unlink(missing_ok=True)
    begun = steps(desk)
    with desk.start("ingest", *args) as running:
        wait_until(lambda: steps(desk) - begun >= after, running)
        time.sleep(pause)
        running.kill()
        running.communicate()
    wait_until(lambda: processes_in(desk.folder) == [])
    return running.returncode == -signal.SIGKILL


def by_document(chunks: list[StoredChunk]) -> Counter[str]:
    return Counter(stored.chunk.doc_id for stored in chunks)


def check_what_is_recorded(desk: Desk, expected: list[StoredChunk]) -> None:
    """What the catalogue calls indexed is all there. Looked at in a copy, so that the next run
    finds the folder as the killed one left it.
    """
    if not list(desk.data.glob("projects/*/collection.json")):
        return
    copy = replace(desk, folder=desk.folder.with_name(f"{desk.folder.name}-copy"))
    copy_folder(desk.folder, copy.folder, ignore=shutil.ignore_patterns("socket"))
    app = copy.open(SMALL)
    try:
        inspection = app.inspect(sample=1000)
    finally:
        app.parts.close()
        shutil.rmtree(copy.folder)
    whole = by_document(expected)
    stored = by_document(list(inspection.sample))
    indexed = {e.doc_id: e.chunks for e in inspection.documents if e.status is Status.INDEXED}
    assert indexed == {doc_id: whole[doc_id] for doc_id in indexed}
    assert {doc_id: stored[doc_id] for doc_id in indexed} == indexed


def check_whole(desk: Desk, expected: list[StoredChunk]) -> None:
    """The index equals that of an undisturbed run, and validation has nothing to say."""
    assert desk.chunks() == expected
    app = desk.open(SMALL)
    try:
        report = app.validate()
    finally:
        app.parts.close()
    assert report.findings == ()
    assert len(list(desk.data.glob("projects/*/shard-*"))) == 1


@pytest.fixture(scope="module")
def expected(ingested: Desk) -> list[StoredChunk]:
    """What an undisturbed run stores."""
    return ingested.chunks()


@pytest.fixture
def papers(make_desk: MakeDesk) -> Desk:
    """The small papers, never ingested."""
    desk = make_desk("papers")
    write_papers(desk.library, *PAPERS)
    write_references(desk.folder / "references.json", *PAPERS)
    desk.configure(project_table(SMALL, references="references.json"))
    return desk


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_ingest_is_made_whole_by_the_next(
    seed: int, papers: Desk, ingested: Desk, expected: list[StoredChunk]
) -> None:
    random = Random(seed)
    with_conversions = seed != 0
    if with_conversions:
        copy_folder(ingested.conversions, papers.conversions)
    most = _STEPS_BEFORE_PAPERS + (0 if with_conversions else len(PAPERS)) + 1
    killed: list[bool] = []
    while len(killed) < _KILLS or not any(killed):
        times_too_late = killed.count(False)
        after = random.randint(0, most // 2**times_too_late)
        pause = random.uniform(0, _LONGEST_PAUSE) / 2**times_too_late
        too_late = killed and not killed[-1]
        killed.append(kill(papers, *(["--force"] if too_late else []), after=after, pause=pause))
        check_what_is_recorded(papers, expected)
    assert papers.must("ingest").out.startswith(f"{SMALL}: 6 found")
    check_whole(papers, expected)


@pytest.mark.parametrize("after", [1, 3])
def test_a_killed_rebuild_leaves_the_old_collection_in_service(
    after: int, small: Desk, expected: list[StoredChunk]
) -> None:
    assert kill(small, "--rebuild", after=after)
    assert small.chunks() == expected
    assert "the new collection is in place" in small.must("ingest", "--rebuild").out
    check_whole(small, expected)


def test_a_killed_update_never_leaves_a_document_without_its_chunks(
    small: Desk, expected: list[StoredChunk]
) -> None:
    assert kill(small, "--force", after=1)
    assert small.chunks() == expected
    small.must("ingest")
    check_whole(small, expected)
