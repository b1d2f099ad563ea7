"""The embedded index among processes: who holds it, and what is left when one is killed."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from citeloom.domain.errors import IndexLocked
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
from citeloom.testing.chunks import EVERYTHING, collection, embedded, library
from tests.fakes.holding import python

WRITER = """
import sys
from pathlib import Path
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
from citeloom.testing.chunks import collection, library
index = QdrantEdgeIndex(Path(sys.argv[1]))
index.create(collection("papers"))
chunks = library(300, seed=1)
for start in range(0, 200, 20):
    index.upsert("papers", chunks[start : start + 20])
    index.flush("papers")
index.upsert("papers", chunks[200:])
print("ready", flush=True)
sys.stdin.read()
"""

HEAVY = """
import sys
import citeloom.infrastructure.stores.qdrant.edge.index
print(*(name for name in ("qdrant_client", "pydantic", "numpy") if name in sys.modules))
"""


@contextmanager
def writer(root: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has stored 300 chunks, flushed 200 of them, and still holds the index."""
    process = python(WRITER, str(root))
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_what_was_flushed_survives_a_kill(memory_folder: Path) -> None:
    with writer(memory_folder) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        index = QdrantEdgeIndex(memory_folder)
        flushed = {chunk.stored.chunk.id for chunk in library(300, seed=1)[:200]}
        assert flushed <= index.chunk_ids("papers", EVERYTHING)
        index.upsert("papers", library(300, seed=1))
        assert index.count("papers", EVERYTHING) == 300
        index.close()


def test_the_holder_of_a_lock_is_named(memory_folder: Path) -> None:
    with writer(memory_folder) as process:
        index = QdrantEdgeIndex(memory_folder, lock_timeout=0.1)
        with pytest.raises(IndexLocked, match=f"'papers' is in use by process {process.pid}"):
            index.count("papers", EVERYTHING)
        assert index.binding("papers") == collection("papers")


def test_a_lock_goes_with_its_holder(memory_folder: Path) -> None:
    with writer(memory_folder) as process:
        process.communicate("")
    index = QdrantEdgeIndex(memory_folder, lock_timeout=0.1)
    assert index.count("papers", EVERYTHING) == 300
    index.close()


def test_one_process_locks_itself_out_until_it_closes(memory_folder: Path) -> None:
    first = QdrantEdgeIndex(memory_folder)
    first.create(collection("papers"))
    first.upsert("papers", [embedded("a")])
    second = QdrantEdgeIndex(memory_folder, lock_timeout=0.1)
    with pytest.raises(IndexLocked, match=str(os.getpid())):
        second.count("papers", EVERYTHING)
    first.close()
    assert second.count("papers", EVERYTHING) == 1
    second.close()
    assert first.count("papers", EVERYTHING) == 1
    first.close()


def test_collections_are_locked_one_by_one(memory_folder: Path) -> None:
    first, second = QdrantEdgeIndex(memory_folder), QdrantEdgeIndex(memory_folder, lock_timeout=0.1)
    first.create(collection("papers"))
    second.create(collection("books"))
    assert second.count("books", EVERYTHING) == 0
    first.close()
    second.close()


def test_the_embedded_index_loads_nothing_heavy() -> None:
    assert python(HEAVY).communicate()[0].strip() == ""
