"""The manifest's file: made late, durable, shared between processes, and refused when unfit."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from citeloom.domain.documents.manifest import ManifestEntry, Status, Tombstone
from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.domain.references.citation import ZoteroOrigin
from citeloom.infrastructure import sqlite_manifest as schema
from citeloom.infrastructure.sqlite_manifest import SqliteManifest

ENTRY = ManifestEntry(project_id="lab/rye", path="a.pdf", status=Status.INDEXED, chunks=3)
WRITER = """
import sys
from pathlib import Path
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.infrastructure.sqlite_manifest import SqliteManifest

manifest = SqliteManifest(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    path = f"{sys.argv[2]}-{number}"
    manifest.put(ManifestEntry(project_id="lab/rye", path=path, status=Status.INDEXED))
    print(path, flush=True)
"""


def writer(path: Path, name: str, number: int) -> subprocess.Popen[str]:
    source = Path(schema.__file__).parents[3]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(number)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "manifest.sqlite"


def test_reading_makes_no_file(path: Path) -> None:
    manifest = SqliteManifest(path)
    assert manifest.entries("lab/rye") == []
    assert manifest.get("lab/rye", "a.pdf") is None
    manifest.remove("lab/rye", "a.pdf")
    manifest.close()
    assert not path.parent.exists()


def test_entries_outlive_the_store(path: Path) -> None:
    cest = timezone(timedelta(hours=2))
    entry = replace(ENTRY, updated_at=datetime(2026, 6, 1, 14, 30, 5, 123, tzinfo=cest))
    first = SqliteManifest(path)
    first.put(entry)
    first.close()
    second = SqliteManifest(path)
    assert second.get("lab/rye", "a.pdf") == entry
    second.close()


def test_the_schema_has_a_column_for_every_field() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(connection)
    columns = {row[1] for row in connection.execute("PRAGMA table_info(documents)")}
    connection.close()
    assert columns >= {field.name for field in fields(ManifestEntry)}


def test_writes_wait_for_the_disk(path: Path) -> None:
    manifest = SqliteManifest(path)
    manifest.put(ENTRY)
    with manifest._file.opened() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    manifest.close()


def test_what_put_returned_from_survives_a_kill(path: Path) -> None:
    with writer(path, "paper", 100_000) as process:
        assert process.stdout is not None
        acknowledged = [process.stdout.readline().strip() for _ in range(50)]
        process.send_signal(signal.SIGKILL)
        acknowledged += process.stdout.read().split()
    manifest = SqliteManifest(path)
    stored = {entry.path for entry in manifest.entries("lab/rye")}
    manifest.close()
    assert set(acknowledged) <= stored
    assert len(stored) <= len(acknowledged) + 1


def test_processes_that_begin_at_once_lose_nothing(path: Path) -> None:
    processes = [writer(path, name, 40) for name in "abcd"]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    manifest = SqliteManifest(path)
    assert len(manifest.entries("lab/rye")) == 160
    manifest.close()


def test_threads_may_share_a_store(path: Path) -> None:
    manifest = SqliteManifest(path)

    def put(name: str) -> None:
        for number in range(20):
            manifest.put(replace(ENTRY, path=f"{name}-{number}"))

    threads = [threading.Thread(target=put, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(manifest.entries("lab/rye")) == 60
    manifest.close()


def test_a_busy_file_is_locked_in_plain_words(path: Path) -> None:
    manifest = SqliteManifest(path, busy_seconds=0.05)
    manifest.put(ENTRY)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(IndexLocked, match="another process"):
        manifest.put(replace(ENTRY, chunks=4))
    other.execute("ROLLBACK")
    other.close()
    manifest.put(replace(ENTRY, chunks=5))
    assert manifest.entries("lab/rye") == [replace(ENTRY, chunks=5)]
    manifest.close()


def test_a_damaged_file_is_unavailable_with_a_way_out(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database, " * 100)
    manifest = SqliteManifest(path)
    with pytest.raises(IndexUnavailable, match="not a database") as raised:
        manifest.entries("lab/rye")
    assert "citeloom repair" in raised.value.hint
    assert path.read_bytes().startswith(b"this is no database")


def filled(path: Path) -> SqliteManifest:
    """A manifest of many entries, with a document that was deleted."""
    manifest = SqliteManifest(path)
    manifest.put(*(replace(ENTRY, path=f"{number:03}.pdf") for number in range(300)))
    manifest.put_tombstones(Tombstone(project_id="lab/rye", doc_id="d", path="d.pdf"))
    manifest.close()
    return manifest


def flip(path: Path, *places: int) -> None:
    content = bytearray(path.read_bytes())
    for place in places:
        content[place] ^= 0xFF
    path.write_bytes(content)


@pytest.mark.parametrize("seed", range(6))
def test_flipped_bytes_are_damage_and_no_fault_of_the_program(path: Path, seed: int) -> None:
    manifest = filled(path)
    chance = random.Random(seed)
    flip(path, *(chance.randrange(100, path.stat().st_size) for _ in range(300)))
    assert manifest.damage()
    with suppress(IndexUnavailable):
        manifest.entries("lab/rye")
    manifest.close()


@pytest.mark.parametrize("damage", ["garbage", "half of it", "text that is no UTF-8"])
def test_a_damaged_file_is_set_aside_and_a_new_one_begun(path: Path, damage: str) -> None:
    manifest = filled(path)
    whole = path.read_bytes()
    if damage == "garbage":
        path.write_bytes(b"this is no database, " * 100)
    elif damage == "half of it":
        path.write_bytes(whole[: len(whole) // 2])
    else:
        path.write_bytes(whole.replace(b"150.pdf", b"\xff50.pdf"))
        with pytest.raises(IndexUnavailable, match="damaged") as raised:
            manifest.entries("lab/rye")
        assert "citeloom repair" in raised.value.hint
    damaged = path.read_bytes()
    assert manifest.damage()
    aside = Path(manifest.set_aside())
    assert aside.read_bytes() == damaged
    assert (manifest.damage(), manifest.entries("lab/rye")) == ("", [])
    manifest.put(ENTRY)
    assert manifest.entries("lab/rye") == [ENTRY]
    manifest.close()


def test_a_folder_in_the_place_of_the_file_is_set_aside(path: Path) -> None:
    (path / "notes").mkdir(parents=True)
    manifest = SqliteManifest(path)
    assert "a folder stands in its place" in manifest.damage()
    with pytest.raises(IndexUnavailable, match="damaged") as raised:
        manifest.entries("lab/rye")
    assert "citeloom repair" in raised.value.hint
    assert (Path(manifest.set_aside()) / "notes").is_dir()
    manifest.put(ENTRY)
    assert manifest.entries("lab/rye") == [ENTRY]
    manifest.close()


def test_what_was_deleted_is_known_after_a_damage_elsewhere(path: Path) -> None:
    manifest = filled(path)
    path.write_bytes(path.read_bytes().replace(b"150.pdf", b"\xff50.pdf"))
    manifest.set_aside()
    assert [one.doc_id for one in manifest.tombstones("lab/rye")] == ["d"]
    manifest.close()


def test_a_whole_manifest_and_one_that_is_not_there_are_not_damaged(path: Path) -> None:
    assert SqliteManifest(path).damage() == ""
    manifest = filled(path)
    assert manifest.damage() == ""
    manifest.close()


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    with pytest.raises(IndexUnavailable, match=r"manifest\.sqlite"):
        SqliteManifest(tmp_path / "data" / "manifest.sqlite").put(ENTRY)


def test_a_newer_schema_is_left_alone(path: Path) -> None:
    manifest = SqliteManifest(path)
    manifest.put(ENTRY)
    manifest.close()
    newer = sqlite3.connect(path, isolation_level=None)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(IndexUnavailable, match="schema 99") as raised:
        manifest.get("lab/rye", "a.pdf")
    assert "update citeloom" in raised.value.hint


def test_an_older_schema_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = SqliteManifest(path)
    manifest.put(ENTRY)
    manifest.close()
    step = ("ALTER TABLE documents ADD COLUMN shelf TEXT DEFAULT 'top'",)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
    assert manifest.get("lab/rye", "a.pdf") == ENTRY
    manifest.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT shelf FROM documents").fetchall() == [("top",)]
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)
    connection.close()


def test_a_manifest_of_before_zotero_keeps_its_documents(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path, isolation_level=None) as older:
        for statement in schema.MIGRATIONS[0]:
            older.execute(statement)
        older.execute("PRAGMA user_version = 1")
        older.execute(
            "INSERT INTO documents VALUES ('lab/rye', 'a.pdf', 'indexed', '', '', 0, 0, '', '', '',"
            " NULL, '', 3, 0, 1.0, NULL, NULL, NULL)"
        )
    older.close()
    manifest = SqliteManifest(path)
    assert manifest.entries("lab/rye") == [ENTRY]
    assert manifest.selection("lab/rye") is None
    manifest.put(replace(ENTRY, attachment_key="ABCD2345", zotero_library="library"))
    assert manifest.entries("lab/rye")[0].origin == ZoteroOrigin(
        library="library", attachment_key="ABCD2345"
    )
    manifest.close()


def test_what_is_put_together_is_put_whole_or_not_at_all(path: Path) -> None:
    manifest = SqliteManifest(path)
    nameless = replace(ENTRY, path="b.pdf", doc_id=None)  # type: ignore[arg-type]
    with pytest.raises(IndexUnavailable, match="NOT NULL"):
        manifest.put(ENTRY, nameless)
    assert manifest.entries("lab/rye") == []
    manifest.close()


def test_a_step_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = SqliteManifest(path)
    manifest.put(ENTRY)
    manifest.close()
    step = ("ALTER TABLE documents ADD COLUMN shelf TEXT", "ALTER TABLE nowhere ADD COLUMN x")
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
        with pytest.raises(IndexUnavailable, match="no such table"):
            manifest.entries("lab/rye")
    assert manifest.entries("lab/rye") == [ENTRY]
    manifest.close()
