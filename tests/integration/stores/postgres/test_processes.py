"""Many processes at one database, and their sudden ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("psycopg", reason="psycopg is not installed: citeloom[postgres]")

from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.infrastructure.leases import FileWriteLease
from citeloom.testing.chunks import EVERYTHING, collection, library
from citeloom_postgres.connections import Database, DatabaseLease
from citeloom_postgres.index import PostgresIndex
from tests.fakes.postgres import connected

NAME = "tides"
PROGRAM = """
import sys
from pathlib import Path
from citeloom.infrastructure.leases import FileWriteLease
from citeloom_postgres.connections import Database
from citeloom_postgres.index import PostgresIndex
from citeloom_postgres.connections import DatabaseLease
from citeloom.testing.chunks import EVERYTHING, collection, library

url, task, name, folder = sys.argv[1:]
index = PostgresIndex(Database(url))
chunks = library(600, seed=7)
if task == "write":
    index.create(collection(name))
    for start in range(0, len(chunks), 20):
        index.upsert(name, chunks[start : start + 20])
        print(start, flush=True)
elif task == "read":
    last = 0
    for _ in range(60):
        now = index.count(name, EVERYTHING)
        assert now >= last, (now, last)
        assert len(list(index.scroll(name, EVERYTHING))) >= now
        last = now
elif task == "hold":
    with DatabaseLease(FileWriteLease(Path(folder)), Database(url)).hold("lab/rye"):
        print("held", flush=True)
        sys.stdin.read()
"""


def started(url: str, task: str, folder: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, url, task, NAME, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def index(url: str) -> Iterator[PostgresIndex]:
    made = PostgresIndex(Database(url))
    made.create(collection(NAME))
    yield made
    made.close()


def state(url: str) -> tuple[object, ...]:
    """Everything that is stored: the chunks, their number, and the terms with theirs."""
    with connected(url) as connection:
        queries = (
            "SELECT chunk_id, fields::text, body::text, dense::text FROM citeloom.chunks_1 "
            "ORDER BY chunk_id",
            "SELECT chunks FROM citeloom.collections",
            "SELECT term, chunks FROM citeloom.terms_1 WHERE chunks > 0 ORDER BY term",
        )
        return tuple(connection.execute(query.encode()).fetchall() for query in queries)


@pytest.mark.slow
def test_a_writer_killed_at_any_moment_leaves_neither_gaps_nor_doubles(
    url: str, index: PostgresIndex
) -> None:
    random = Random(3)
    for _ in range(6):
        writer = started(url, "write")
        assert writer.stdout is not None
        for _ in range(random.randint(1, 12)):
            said = writer.stdout.readline()
        time.sleep(random.uniform(0, 0.03))
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        assert index.count(NAME, EVERYTHING) >= int(said) + 20
    index.upsert(NAME, library(600, seed=7))
    killed = state(url)
    index.drop(NAME)
    again = PostgresIndex(Database(url))
    again.create(collection(NAME))
    again.upsert(NAME, library(600, seed=7))
    with connected(url) as connection:  # the new collection has other tables
        number = connection.execute("SELECT number FROM citeloom.collections").fetchone()
        for table in ("chunks", "terms"):
            rename = f"ALTER TABLE citeloom.{table}_{number and number[0]} RENAME TO {table}_1"
            connection.execute(rename.encode())
    assert state(url) == killed
    again.close()


@pytest.mark.slow
def test_writers_and_readers_work_at_once(url: str, index: PostgresIndex) -> None:
    processes = [started(url, task) for task in ("write", "read", "write", "read")]
    for process in processes:
        process.communicate(timeout=120)
    assert [process.returncode for process in processes] == [0] * 4
    assert index.count(NAME, EVERYTHING) == 600
    [_, chunks, terms] = state(url)
    assert chunks == [(600,)]
    expected: dict[int, int] = {}
    for chunk in library(600, seed=7):
        for term in chunk.sparse.indices if chunk.sparse else ():
            expected[term] = expected.get(term, 0) + 1
    assert terms == sorted(expected.items())


def test_another_machine_is_refused_until_the_holder_dies(url: str, tmp_path: Path) -> None:
    holder = started(url, "hold", f"{tmp_path}/there")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    mine = DatabaseLease(FileWriteLease(tmp_path / "here"), Database(url))
    with (
        pytest.raises(IndexLocked, match=rf"process {holder.pid} on"),
        mine.hold("lab/rye"),
    ):
        pass
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    told: list[str] = []
    with mine.hold("lab/rye", waiting=told.append):
        pass


def test_nothing_is_written_once_the_lease_is_lost_with_its_connection(
    url: str, tmp_path: Path
) -> None:
    database = Database(url)
    index = PostgresIndex(database)
    chunks = library(4, seed=7)
    with DatabaseLease(FileWriteLease(tmp_path), database).hold("lab/rye"):
        index.create(collection(NAME))
        index.upsert(NAME, chunks[:2])
        cut_off_the_lease(url)
        with pytest.raises(IndexUnavailable, match="held the write lease was lost"):
            index.upsert(NAME, chunks[2:])
        assert index.count(NAME, EVERYTHING) == 2
    with DatabaseLease(FileWriteLease(tmp_path), database).hold("lab/rye"):
        index.upsert(NAME, chunks[2:])


def cut_off_the_lease(url: str) -> None:
    """End the session that holds a lease, as a network or a server that restarts does."""
    with connected(url) as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks AS lock "
            "JOIN pg_database ON oid = database "
            "WHERE locktype = 'advisory' AND datname = current_database()"
        ).fetchall()
    assert ended == [(True,)]
