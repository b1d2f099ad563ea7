"""Copies of a database that another program keeps open, locks, changes or has damaged."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from citeloom.domain.errors import LibraryLocked, SourceUnavailable
from citeloom.infrastructure.zotero.local import Copies, copied, opened, state_of
from tests.fakes.zotero_database import as_it_is

WAL = "pragma locking_mode=exclusive; pragma journal_mode=wal; pragma wal_autocheckpoint=0;"
HOLDER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.executescript(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database with ten words in it."""
    path = tmp_path / "source" / "zotero.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db:
        db.execute("create table words (word text)")
        db.executemany("insert into words values (?)", [(f"word {n}",) for n in range(10)])
        db.commit()
    return path


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """Where copies go."""
    folder = tmp_path / "private"
    folder.mkdir()
    return folder


@contextmanager
def held(database: Path, script: str) -> Iterator[None]:
    """The database while another process has run `script` on it and keeps it open."""
    command = [sys.executable, "-c", HOLDER, str(database), script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"held"
        yield
        assert process.poll() is None
        process.communicate()


def read_in_place(database: Path) -> None:
    with closing(sqlite3.connect(database, timeout=0)) as db:
        db.execute("select * from words")


def words(copy: Path) -> list[str]:
    with closing(opened(copy)) as db:
        return [word for (word,) in db.execute("select word from words order by rowid")]


def test_what_stands_only_in_the_write_ahead_log_is_copied(database: Path, private: Path) -> None:
    with held(database, WAL + "insert into words values ('late')"):
        before = as_it_is(database.parent)
        assert before[f"{database}-wal"][0]
        assert f"{database}-shm" not in before  # under an exclusive lock SQLite makes none
        assert words(copied(database, private))[-1] == "late"
        assert as_it_is(database.parent) == before


def test_an_exclusive_lock_is_no_hindrance(database: Path, private: Path) -> None:
    with held(database, "begin exclusive"):
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            read_in_place(database)
        assert len(words(copied(database, private))) == 10


def test_what_is_not_committed_is_rolled_back_in_the_copy(database: Path, private: Path) -> None:
    spilled = "pragma cache_size=2; begin; update words set word = hex(zeroblob(3000)) || word"
    with held(database, spilled):
        before = as_it_is(database.parent)
        assert b"0000" in before[str(database)][0]
        assert before[f"{database}-journal"][0]
        assert words(copied(database, private))[0] == "word 0"
        assert as_it_is(database.parent) == before


def test_a_copy_that_was_overtaken_is_made_again(
    database: Path, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    copy = shutil.copyfile

    def overtaken(source: Path, target: Path) -> None:
        copy(source, target)
        if len(pauses) < 3:
            with closing(sqlite3.connect(database)) as db:
                db.execute("insert into words values ('newer')")
                db.commit()

    monkeypatch.setattr(shutil, "copyfile", overtaken)
    assert len(words(copied(database, private, sleep=pauses.append))) == 12
    assert pauses == [0, 0.1, 0.2]


def test_a_database_that_keeps_changing_is_locked(
    database: Path, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, waited = shutil.copyfile, list[float]()

    def overtaken(source: Path, target: Path) -> None:
        copy(source, target)
        with database.open("ab") as file:
            file.write(b"\0")

    monkeypatch.setattr(shutil, "copyfile", overtaken)
    with pytest.raises(LibraryLocked, match="kept changing") as raised:
        copied(database, private, sleep=waited.append)
    assert "close it" in raised.value.hint
    assert sum(waited) > 3


def test_a_journal_that_vanishes_during_the_copy_makes_it_start_again(
    database: Path, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = database.with_name("zotero.sqlite-journal")
    journal.write_bytes(b"")
    copy, pauses = shutil.copyfile, list[float]()

    def vanishing(source: Path, target: Path) -> None:
        journal.unlink(missing_ok=True)
        copy(source, target)

    monkeypatch.setattr(shutil, "copyfile", vanishing)
    assert len(words(copied(database, private, sleep=pauses.append))) == 10
    assert pauses == [0, 0.1]


def test_a_damaged_database_is_told_from_one_that_changes(database: Path, private: Path) -> None:
    database.write_bytes(b"SQLite format 3\0" + b"\x07" * 4000)
    pauses: list[float] = []
    with pytest.raises(SourceUnavailable, match="damaged"):
        copied(database, private, sleep=pauses.append)
    assert pauses == [0, 0.1]


def test_a_copy_that_cannot_be_written_says_where(database: Path, private: Path) -> None:
    (private / "zotero.sqlite").mkdir()
    with pytest.raises(SourceUnavailable, match="cannot be copied into") as raised:
        copied(database, private)
    assert "TMPDIR" in raised.value.hint


def test_a_database_that_is_not_there_says_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="no Zotero database") as raised:
        state_of(tmp_path / "zotero.sqlite")
    assert "data_dir" in raised.value.hint


def test_a_write_that_leaves_size_and_time_as_they_were_is_noticed(database: Path) -> None:
    before, stat = state_of(database), database.stat()
    with closing(sqlite3.connect(database)) as db:
        db.execute("update words set word = 'other' where rowid = 1")
        db.commit()
    os.utime(database, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert state_of(database) != before


def words_in(db: sqlite3.Connection) -> list[str]:
    return [word for (word,) in db.execute("select word from words order by rowid")]


def where_read(db: sqlite3.Connection) -> Path:
    files = {name: file for _, name, file in db.execute("pragma database_list")}
    return Path(files["zotero"])


def add(database: Path, word: str) -> None:
    with closing(sqlite3.connect(database)) as db:
        db.execute("insert into words values (?)", (word,))
        db.commit()


def test_a_database_in_one_file_is_read_where_it_is(database: Path) -> None:
    before = as_it_is(database.parent)
    assert Copies(database).read(where_read) == database
    assert as_it_is(database.parent) == before


def test_one_that_another_program_has_locked_is_read_where_it_is(database: Path) -> None:
    with held(database, "pragma locking_mode=exclusive; begin exclusive; commit"):
        before = as_it_is(database.parent)
        assert Copies(database).read(where_read) == database
        assert as_it_is(database.parent) == before


@pytest.mark.parametrize(
    "script",
    [
        WAL + "insert into words values ('late')",
        "pragma cache_size=2; begin; update words set word = hex(zeroblob(3000)) || word",
    ],
    ids=["log", "journal"],
)
def test_one_with_a_log_or_a_journal_is_read_from_one_copy(database: Path, script: str) -> None:
    copies = Copies(database)
    with held(database, script):
        copy = copies.read(where_read)
        assert copy.parent != database.parent
        assert copies.read(where_read) == copy
        assert copies.read(words_in)[:10] == [f"word {n}" for n in range(10)]
    add(database, "newer")
    assert copies.read(words_in)[-1] == "newer"
    assert copies.read(where_read) == database
    del copies
    gc.collect()
    assert not copy.parent.exists()


@pytest.mark.parametrize("fails", [False, True])
def test_what_changes_while_it_is_read_in_place_is_read_again(database: Path, fails: bool) -> None:
    seen: list[list[str]] = []

    def read(db: sqlite3.Connection) -> list[str]:
        seen.append(words_in(db))
        if len(seen) == 1:
            add(database, "newer")
            if fails:
                db.execute("select nothing")
        return seen[-1]

    assert Copies(database).read(read)[-1] == "newer"
    assert [len(words) for words in seen] == [10, 11]


def test_a_damaged_database_that_can_be_opened_is_called_damaged(database: Path) -> None:
    with pytest.raises(SourceUnavailable, match="unknown structure: no such table"):
        Copies(database).read(lambda db: db.execute("select * from zotero.items"))
