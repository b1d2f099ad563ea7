"""The file of sessions: private, durable, shared between processes, and refused when unfit."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from citeloom.domain.answers.session import begun_with
from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.infrastructure import sessions as schema
from citeloom.infrastructure.sessions import SqliteSessions
from tests.fakes.turns import turn

WRITER = """
import sys
from pathlib import Path
from citeloom.infrastructure.sessions import SqliteSessions
from tests.fakes.turns import turn

store = SqliteSessions(Path(sys.argv[1]))
for number in range(2, int(sys.argv[3])):
    one = turn(sys.argv[2], number=number)
    store.append("lab/rye", one)
    print(one.question, number, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "sessions.sqlite"


@pytest.fixture
def store(path: Path) -> SqliteSessions:
    """A store with one session of one turn."""
    made = SqliteSessions(path, busy_seconds=0.05)
    made.begin(begun_with("lab/rye", turn(number=1)))
    return made


def writer(path: Path, name: str, number: int) -> subprocess.Popen[str]:
    root = Path(__file__).parents[3]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(number)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"},
    )


def test_reading_makes_no_file(path: Path) -> None:
    empty = SqliteSessions(path)
    assert empty.get("lab/rye", "s1") is None
    assert empty.sessions("lab/rye") == []
    assert not empty.delete("lab/rye", "s1")
    assert not path.parent.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_only_this_user_may_read_what_was_asked(store: SqliteSessions, path: Path) -> None:
    assert store.sessions("lab/rye")
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_several_processes_append_and_a_kill_loses_nothing(
    store: SqliteSessions, path: Path
) -> None:
    processes = [
        writer(path, name, 2 + count) for name, count in (("a", 15), ("b", 15), ("c", 9_999))
    ]
    acknowledged: list[str] = []
    killed = processes[-1]
    assert killed.stdout is not None
    acknowledged += [killed.stdout.readline().rsplit(" ", 1)[0] for _ in range(15)]
    killed.send_signal(signal.SIGKILL)
    acknowledged += [line.rsplit(" ", 1)[0] for line in killed.stdout.read().splitlines()]
    killed.wait()
    for process in processes[:-1]:
        said, _ = process.communicate()
        acknowledged += [line.rsplit(" ", 1)[0] for line in said.splitlines()]
        assert process.returncode == 0
    found = store.get("lab/rye", "s1")
    assert found is not None
    kept = [one.question for one in found.turns][1:]
    for name in "abc":
        surplus = kept.count(name) - acknowledged.count(name)
        assert surplus in ((0, 1) if name == "c" else (0,))
    assert found.session.asked == len(found.turns)


def test_a_busy_file_is_locked_in_plain_words(store: SqliteSessions, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(IndexLocked, match="another process has locked the file of sessions"):
        store.append("lab/rye", turn(number=2))
    other.execute("ROLLBACK")
    other.close()
    store.append("lab/rye", turn(number=2))


def test_what_is_deleted_is_overwritten(store: SqliteSessions, path: Path) -> None:
    store.append("lab/rye", turn("Where is the zyzzyva?", number=2))
    assert store.delete("lab/rye", "s1")
    store.close()
    assert b"zyzzyva" not in path.read_bytes()


def test_a_turn_that_is_no_json_is_a_damaged_session(store: SqliteSessions, path: Path) -> None:
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE turns SET turn = '{\"question\": '")
    connection.close()
    with pytest.raises(IndexUnavailable, match="damaged: it is no JSON") as told:
        store.get("lab/rye", "s1")
    assert "citeloom chat delete" in told.value.hint


def test_a_damaged_file_and_a_newer_one_are_unavailable(store: SqliteSessions, path: Path) -> None:
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE turns SET turn = '{}'")
    connection.close()
    with pytest.raises(IndexUnavailable, match="a turn of a session cannot be read"):
        store.get("lab/rye", "s1")
    store.close()
    newer = sqlite3.connect(path, isolation_level=None)
    newer.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
    newer.close()
    with pytest.raises(IndexUnavailable, match="the file of sessions has schema 2"):
        store.sessions("lab/rye")
    path.write_bytes(b"this is no database, " * 100)
    with pytest.raises(IndexUnavailable, match="not a database") as raised:
        store.sessions("lab/rye")
    assert "the library itself is not in it" in raised.value.hint
