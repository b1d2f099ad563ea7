"""What the index holds is the truth: a lost manifest, a lost shard, another process at work."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom.infrastructure.leases import FileWriteLease
from tests.e2e.command import SMALL, Desk
from tests.e2e.papers import CLAY, OVENS

QUESTION = "how lichens age a surface"
Damage = Callable[[Path], object]


def garbage_at(part: float) -> Damage:
    """Overwrites up to 4 KB from there on, from 0 for the head of a file to 1 for its tail."""

    def damage(file: Path) -> None:
        content = bytearray(file.read_bytes())
        length = min(4096, len(content))
        start = int(part * (len(content) - length))
        content[start : start + length] = random.Random(0).randbytes(length)
        file.write_bytes(content)

    return damage


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for place in random.Random(0).sample(range(100, len(content)), 300):
        content[place] ^= 0xFF
    file.write_bytes(content)


def put_a_folder_there(file: Path) -> None:
    file.unlink()
    file.mkdir()


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {str(one): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_without_its_manifest_an_ingest_erases_nothing(small: Desk) -> None:
    before = small.chunks()
    (small.data / "manifest.sqlite").unlink()
    small.must("ingest", small.library / CLAY.file_name)
    assert small.chunks() == before


def test_a_lost_manifest_is_repaired_and_nothing_is_converted_again(small: Desk) -> None:
    before = small.chunks()
    (small.data / "manifest.sqlite").unlink()
    assert len(small.must("repair", "--json").json["relisted"]) == 6
    listed = small.must("list", "--json").json
    assert [one["state"] for one in listed] == ["indexed"] * 6
    assert small.must("ingest", "--json").json["seconds"]["convert"] < 1
    assert small.chunks() == before
    assert "6 unchanged" in small.must("ingest").out
    assert "0 findings" in small.must("repair").out


def test_what_a_repair_leaves_is_told_and_ends_with_4(small: Desk) -> None:
    (small.library / OVENS.file_name).unlink()
    outcome = small.run("repair")
    assert outcome.code == 4
    assert f"gone: library/{OVENS.file_name}" in outcome.out


def test_a_destroyed_shard_is_an_error_and_can_be_rebuilt(small: Desk) -> None:
    before = small.chunks()
    [shard] = (small.data / "projects").glob("*/shard-*")
    shutil.rmtree(shard)
    refused = small.run("ingest")
    assert (refused.code, refused.out) == (13, "")
    assert f"{shard.name} is gone" in refused.err
    assert "citeloom ingest --rebuild" in refused.err
    assert "runtime error" not in refused.err
    small.must("ingest", "--rebuild")
    assert small.chunks() == before


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("wal/open-1", garbage_at(0)),
        ("tracker.dat", garbage_at(1)),
        ("segment.json", lambda file: file.write_bytes(b"")),
        ("edge_config.json", put_a_folder_there),
    ],
)
def test_a_rebuild_over_garbage_leaves_the_old_files_until_the_new_index_is_whole(
    small: Desk, name: str, damage: Damage, capfd: pytest.CaptureFixture[str]
) -> None:
    before = small.chunks()
    [shard] = (small.data / "projects").glob("*/shard-*")
    damage(next(one for one in sorted(shard.rglob("*")) if one.as_posix().endswith(name)))
    damaged = bytes_below(shard)
    assert small.run("ingest", "--rebuild", "--limit", "3").code == 3  # half of it is to do
    assert bytes_below(shard) == damaged
    assert "Traceback" not in small.must("ingest", "--rebuild").err
    assert "panicked" not in capfd.readouterr().err, "what the engine itself says"
    assert not shard.exists()
    assert small.chunks() == before
    assert small.must("query", QUESTION, "--format", "json").json["items"] != []


@pytest.mark.parametrize(
    "damage",
    [garbage_at(0), garbage_at(1), lambda file: file.write_bytes(file.read_bytes()[:9000]), flip],
    ids=["head", "tail", "cut", "flipped"],
)
def test_a_repair_keeps_a_damaged_manifest_aside(small: Desk, damage: Damage) -> None:
    before = small.chunks()
    manifest = small.data / "manifest.sqlite"
    damage(manifest)
    damaged = manifest.read_bytes()
    report = small.must("repair", "--json").json
    assert len(report["relisted"]) == 6
    assert Path(report["set_aside"]).read_bytes() == damaged
    assert [one["state"] for one in small.must("list", "--json").json] == ["indexed"] * 6
    assert small.chunks() == before


def test_a_folder_in_the_place_of_the_manifest_is_kept_aside(small: Desk) -> None:
    put_a_folder_there(small.data / "manifest.sqlite")
    refused = small.run("list")
    assert refused.code == 13
    assert "citeloom repair" in refused.err
    report = small.must("repair", "--json").json
    assert len(report["relisted"]) == 6
    assert Path(report["set_aside"]).is_dir()


def test_another_process_at_work_is_told_at_once(small: Desk) -> None:
    with FileWriteLease(small.data / "leases").hold(SMALL):
        for refused in (
            small.spawn("ingest", "--force"),
            small.run("delete", "--all", "--yes"),
            small.run("repair"),
        ):
            assert (refused.code, refused.out) == (11, "")
            assert f"'{SMALL}' is being changed by process" in refused.err
            assert "--wait" in refused.err
    assert "6 unchanged" in small.must("ingest").out


def test_a_command_that_waits_goes_on_when_the_other_has_finished(small: Desk) -> None:
    with FileWriteLease(small.data / "leases").hold(SMALL):
        waiting = small.start("ingest", "--wait")
        deadline = time.monotonic() + 60
        while "waiting for process" not in small.stderr_file.read_text(encoding="utf-8"):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert waiting.poll() is None
    stdout, _ = waiting.communicate(timeout=60)
    assert (waiting.returncode, "6 unchanged" in stdout) == (0, True)


def test_the_library_is_listed(ingested: Desk) -> None:
    lines = ingested.must("list").out.splitlines()
    assert lines[0].split() == ["citekey", "pages", "chunks", "state", "title"]
    assert len(lines) == 7
    [clay] = ingested.must("list", "--citekey", f"@{CLAY.citekey}", "--json").json
    assert (clay["title"], clay["state"]) == (CLAY.title, "indexed")
    nothing = ingested.must("list", "--status", "failed")
    assert (nothing.out, nothing.err) == ("", "no documents\n")


def test_a_collection_of_another_project_is_refused(small: Desk) -> None:
    [folder] = (small.data / "projects").iterdir()
    small.config.write_text(
        f'[project."lab/other"]\nsources = ["library/"]\ncollection = "{folder.name}"\n',
        encoding="utf-8",
    )
    for command in (("ingest",), ("query", "clay"), ("delete", "--all", "--yes")):
        refused = small.run(*command)
        assert refused.code == 10
        assert f"'{SMALL}', not to 'lab/other'" in refused.err
