"""From a Zotero data directory to passages, and on with what changes there."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from random import Random

import pytest

from citeloom.domain.retrieval.passage import StoredChunk
from citeloom.infrastructure.answers.ingests import IngestAnswer
from tests.described import assert_described
from tests.e2e.command import SMALL, Desk, MakeDesk
from tests.e2e.papers import BRIDGES, CLAY, FERRIES, LICHENS, PAPERS
from tests.e2e.processes import wait_until
from tests.e2e.zotero_papers import ZoteroDesk, zotero_desk
from tests.fakes.zotero_contents import key


@pytest.fixture
def zotero(desk: Desk) -> ZoteroDesk:
    """Three papers in Zotero, none of them ingested."""
    made = zotero_desk(desk, BRIDGES, CLAY, FERRIES)
    made.configure(SMALL)
    return made


def every_byte(folder: Path) -> dict[Path, tuple[bytes, int]]:
    """The files of a folder: their bytes and the times of their last change."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def citekeys(chunks: list[StoredChunk]) -> set[str]:
    return {stored.citation.citekey for stored in chunks if stored.citation}


def test_a_selection_is_ingested_found_and_followed(zotero: ZoteroDesk) -> None:
    desk = zotero.desk
    output = desk.must("ingest", "--zotero").out
    assert output.startswith(f"{SMALL}: 3 found, 3 indexed")
    assert "references: 3 matched (3 by item), 0 unmatched" in output
    (hit,) = desk.must("query", "rounded corners of tiles", "-k", "1", "--format", "json").json[
        "items"
    ]
    assert (hit["citekey"], hit["item_key"]) == (CLAY.citekey, key("ART", PAPERS.index(CLAY)))
    before = {stored.chunk.id: stored.chunk for stored in desk.chunks()}

    del zotero.papers[BRIDGES.citekey]
    zotero.papers[LICHENS.citekey] = LICHENS
    zotero.tags[CLAY.citekey] = ("read later",)
    zotero.write()
    zotero.lose(FERRIES)
    disk = every_byte(zotero.data_dir)
    report = desk.must("sync", "--json").json
    assert every_byte(zotero.data_dir) == disk
    assert_described(report, IngestAnswer)
    assert [len(report[name]) for name in ("indexed", "updated", "pruned", "left")] == [1, 1, 1, 0]
    assert [one["citekey"] for one in report["zotero"]["missing"]] == [FERRIES.citekey]
    chunks = desk.chunks()
    assert citekeys(chunks) == {CLAY.citekey, FERRIES.citekey, LICHENS.citekey}
    tagged = [s for s in chunks if s.citation and "read later" in s.citation.tags]
    assert [s.chunk for s in tagged] == [before[s.chunk.id] for s in tagged]
    assert citekeys(tagged) == {CLAY.citekey}
    assert desk.must("validate").code == 0


def test_a_saved_search_is_ingested_and_followed(zotero: ZoteroDesk) -> None:
    desk = zotero.desk
    zotero.searches["Unread"] = (("tag", "is", "to read"), ("noChildren", "true", ""))
    zotero.searches["Anywhere"] = (("fulltextContent", "contains", "clay"),)
    zotero.tags[CLAY.citekey] = ("to read",)
    zotero.write()
    listed = desk.must("zotero", "items", "--saved-search", "unread", "--json").json
    assert [item["citekey"] for item in listed] == [CLAY.citekey]
    desk.must("ingest", "--zotero", "--saved-search", "Unread")
    assert citekeys(desk.chunks()) == {CLAY.citekey}

    zotero.tags[BRIDGES.citekey] = ("to read",)
    zotero.searches = {"Later": zotero.searches["Unread"], "Anywhere": zotero.searches["Anywhere"]}
    zotero.write()
    desk.must("sync")
    assert citekeys(desk.chunks()) == {CLAY.citekey, BRIDGES.citekey}

    refused = desk.run("zotero", "export", "--saved-search", "Anywhere")
    assert refused.code != 0
    assert "fulltextContent contains 'clay'" in refused.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_watch_follows_zotero_and_ends_when_it_is_told_to(zotero: ZoteroDesk) -> None:
    desk = zotero.desk
    desk.must("ingest", "--zotero")
    with desk.start("sync", "--watch", "--settle", "0.2") as running:
        try:
            wait_until(lambda: "following Zotero" in desk.stderr_file.read_text(), running)
            del zotero.papers[BRIDGES.citekey]
            zotero.papers[LICHENS.citekey] = LICHENS
            zotero.tags[CLAY.citekey] = ("read later",)
            zotero.write()
            expected = {CLAY.citekey, FERRIES.citekey, LICHENS.citekey}
            wait_until(lambda: citekeys(desk.chunks()) == expected, running)
            running.send_signal(signal.SIGTERM)
            output, _ = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == 0
    assert desk.stderr_file.read_text().endswith("stopped\n")
    changes = output[output.index("added:") :].splitlines()
    assert changes[:6:2] == ["added:", "changed:", "removed:"]
    assert [line.split()[0] for line in changes[1:6:2]] == [
        f"@{paper.citekey}" for paper in (LICHENS, CLAY, BRIDGES)
    ]


def test_wrong_ways_to_ask_are_told_in_plain_words(zotero: ZoteroDesk) -> None:
    desk = zotero.desk
    for command, code, words in (
        (["sync"], 14, "citeloom ingest --project lab/small --zotero"),
        (["sync", "--watch"], 14, "citeloom ingest --project lab/small --zotero"),
        (["sync", "--watch", "--dry-run"], 2, "--dry-run has no meaning with --watch"),
        (["sync", "--settle", "1"], 2, "need --watch"),
        (["ingest", "--collection", "Tides"], 2, "need --zotero"),
        (["ingest", "--zotero", "--collection", "Tides"], 1, "citeloom zotero collections"),
    ):
        outcome = desk.run(*command)
        assert (outcome.code, words in outcome.err) == (code, True), command
    (zotero.data_dir / "zotero.sqlite").unlink()
    assert desk.run("ingest", "--zotero").code == 13


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("seed", range(2))
def test_a_killed_ingest_or_sync_is_made_whole_by_the_next(
    seed: int, desk: Desk, make_desk: MakeDesk
) -> None:
    random = Random(seed)
    zotero = zotero_desk(desk, *PAPERS[:5])
    zotero.configure(SMALL, zotero={})
    killed = []
    for command, indexed in ((["ingest", "--zotero"], random.randint(0, 2)), (["sync"], 1)):
        desk.stderr_file.unlink(missing_ok=True)
        killed.append(_kill(desk, *command, after=indexed))
        del zotero.papers[random.choice(sorted(zotero.papers))]
        zotero.tags[min(zotero.papers)] = ("read later",)
        zotero.write()
    assert killed[0]
    desk.must("sync")
    expected = zotero_desk(make_desk("expected"), *zotero.papers.values())
    expected.tags.update(zotero.tags)
    expected.write()
    expected.configure(SMALL)
    expected.desk.must("ingest", "--zotero")
    assert desk.chunks() == expected.desk.chunks()
    assert desk.must("validate").code == 0


def _kill(desk: Desk, *command: str, after: int) -> bool:
    """Kill a run once so many documents are indexed; whether it was still running."""
    with desk.start(*command) as running:
        wait_until(lambda: _indexed(desk) >= after, running)
        running.kill()
        running.communicate()
    return running.returncode == -signal.SIGKILL


def _indexed(desk: Desk) -> int:
    stderr = desk.stderr_file.read_text(encoding="utf-8") if desk.stderr_file.exists() else ""
    return stderr.count("  indexed: ")
