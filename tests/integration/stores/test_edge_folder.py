"""The embedded index on disk: what it keeps, and what a crash at each step leaves."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.domain.retrieval.filters import SCOPE_KEYS
from citeloom.infrastructure.stores.qdrant.edge.folder import CollectionFolder
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
from citeloom.infrastructure.stores.qdrant.edge.open_shards import OpenShards
from citeloom.infrastructure.stores.records.queries import selecting
from citeloom.testing.chunks import EVERYTHING, collection, embedded, library, rich
from tests.copies import copy_folder
from tests.fakes.holding import python

NAME = "papers"


class Crash(Exception):
    """The process stops here."""


@pytest.fixture
def root(memory_folder: Path) -> Path:
    """A root with one collection of one chunk."""
    index = QdrantEdgeIndex(memory_folder)
    index.create(collection(NAME))
    index.upsert(NAME, [embedded("old")])
    index.close()
    return memory_folder


def shards(root: Path) -> list[Path]:
    return list((root / NAME).glob("shard-*"))


@contextmanager
def crash_at(step: str) -> Iterator[None]:
    """The process stops where it would take this step."""

    def stop(*_: object, **__: object) -> None:
        raise Crash

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(CollectionFolder, step, stop)
        with pytest.raises(Crash):
            yield


def test_everything_is_there_after_reopening(root: Path) -> None:
    index = QdrantEdgeIndex(root)
    index.upsert(NAME, [rich("rich")])
    index.close()
    assert index.fetch(NAME, EVERYTHING, ["rich", "old"]) == [
        rich("rich").stored,
        embedded("old").stored,
    ]
    index.close()


def test_a_description_knows_the_indexes_and_the_size(root: Path) -> None:
    index = QdrantEdgeIndex(root)
    description = index.describe(NAME)
    index.close()
    assert description.indexed_fields == {
        **dict.fromkeys(SCOPE_KEYS, "keyword"),
        "added_day": "float",
        "attachment_key": "keyword",
        "citekey": "keyword",
        "doc_id": "keyword",
        "item_key": "keyword",
        "kind": "keyword",
        "project_id": "keyword",
        "section_keys": "keyword",
        "source_path": "keyword",
        "tags": "keyword",
        "year": "integer",
    }
    assert {"chunk_text", "doc_id", "page_start"} <= set(description.payload_keys)
    assert description.storage == str(root / NAME)
    assert description.disk_bytes > 0


def test_metadata_is_indexed_once_it_is_stored(memory_folder: Path) -> None:
    index = QdrantEdgeIndex(memory_folder)
    index.create(collection(NAME))
    index.upsert(NAME, [embedded("old"), rich("rich")])
    index.upsert(NAME, [rich("rich")])
    index.close()
    indexed = index.describe(NAME).indexed_fields
    index.close()
    assert {key: kind for key, kind in indexed.items() if key.startswith(("meta", "number"))} == {
        "metadata_module": "keyword",
        "metadata_topics": "keyword",
        "number_draft": "float",
        "number_hours": "float",
        "number_published": "float",
        "number_tier": "float",
    }


def test_a_large_ingest_is_optimised_on_the_way(memory_folder: Path) -> None:
    index = QdrantEdgeIndex(memory_folder, optimize_every=1000, optimize_from=1000)
    index.create(replace(collection(NAME), dimension=512))
    chunks = [replace(chunk, dense=(*chunk.dense, *[0.0] * 504)) for chunk in library(1200, seed=1)]
    index.upsert(NAME, chunks[:900])
    assert index.describe(NAME).details["segments"] == "1"
    index.upsert(NAME, chunks[900:])
    give_up = time.monotonic() + 120
    while index.describe(NAME).details["segments"] == "1" and time.monotonic() < give_up:
        time.sleep(0.05)
    assert index.describe(NAME).details["segments"] == "2"
    assert index.count(NAME, EVERYTHING) == 1200
    index.close()


def test_chunks_that_replace_others_are_optimised_as_new_ones(memory_folder: Path) -> None:
    index = QdrantEdgeIndex(memory_folder, optimize_from=1000)
    index.create(replace(collection(NAME), dimension=512))
    chunks = [replace(chunk, dense=(*chunk.dense, *[0.0] * 504)) for chunk in library(1200, seed=1)]
    index.upsert(NAME, chunks)
    index.optimize(NAME)
    optimised = index.describe(NAME).details
    for _ in range(2):
        before = shards(memory_folder)
        index.upsert(NAME, chunks)
        assert index.describe(NAME).details != optimised
        index.optimize(NAME)
        assert shards(memory_folder) != before
        assert index.describe(NAME).details == optimised
        index.optimize(NAME)
        index.close()
    assert index.count(NAME, EVERYTHING) == 1200
    index.close()


def test_few_new_chunks_are_not_worth_optimising(memory_folder: Path) -> None:
    index = QdrantEdgeIndex(memory_folder, optimize_from=1000)
    index.create(collection(NAME))
    index.upsert(NAME, library(999, seed=1))
    before = shards(memory_folder)
    index.optimize(NAME)
    assert shards(memory_folder) == before
    index.close()


def test_collections_on_disk_answer_too(memory_folder: Path) -> None:
    index = QdrantEdgeIndex(memory_folder)
    index.create(replace(collection(NAME), on_disk_vectors=True, on_disk_hnsw=True))
    index.upsert(NAME, [embedded("a")])
    index.close()
    assert index.fetch(NAME, EVERYTHING, ["a"]) == [embedded("a").stored]
    index.close()


def test_scrolling_does_not_hold_the_collection(memory_folder: Path) -> None:
    index = QdrantEdgeIndex(memory_folder)
    index.create(collection(NAME))
    index.upsert(NAME, [embedded(str(number), text="w " * 5000) for number in range(1500)])
    tracemalloc.start()
    seen = sum(1 for _ in index.scroll(NAME, EVERYTHING))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    index.close()
    assert seen == 1500
    assert peak < 1500 * 10_000 / 2


# --- crashes -------------------------------------------------------------------------------------


def test_a_collection_half_made_is_made_anew(memory_folder: Path) -> None:
    index = QdrantEdgeIndex(memory_folder)
    with crash_at("bind"):
        index.create(collection(NAME))
    assert index.binding(NAME) is None
    assert len(shards(memory_folder)) == 1
    index.close()
    index.create(collection(NAME))
    assert len(shards(memory_folder)) == 1
    assert index.count(NAME, EVERYTHING) == 0
    index.close()


def test_a_successor_half_made_is_forgotten(root: Path) -> None:
    index = QdrantEdgeIndex(root)
    with crash_at("bind_successor"):
        index.stage(collection(NAME))
    index.close()
    assert index.staged(NAME) is None
    assert len(shards(root)) == 2
    assert index.chunk_ids(NAME, EVERYTHING) == {"old"}
    assert len(shards(root)) == 1
    index.close()


def test_a_filled_successor_waits_for_the_next_run(root: Path) -> None:
    index = QdrantEdgeIndex(root)
    successor = collection(NAME, generation="second")
    index.upsert(index.stage(successor), [embedded("new")])
    index.close()
    again = QdrantEdgeIndex(root)
    assert again.staged(NAME) == successor
    assert again.chunk_ids(again.stage(successor), EVERYTHING) == {"new"}
    assert again.chunk_ids(NAME, EVERYTHING) == {"old"}
    again.close()


def test_a_successor_not_yet_promoted_can_be_promoted_again(root: Path) -> None:
    index = QdrantEdgeIndex(root)
    index.upsert(index.stage(collection(NAME, generation="second")), [embedded("new")])
    with crash_at("promote"):
        index.promote(NAME)
    index.close()
    assert index.chunk_ids(NAME, EVERYTHING) == {"old"}
    index.promote(NAME)
    assert index.chunk_ids(NAME, EVERYTHING) == {"new"}
    index.close()


def test_the_old_shard_goes_even_after_a_crash(root: Path) -> None:
    index = QdrantEdgeIndex(root)
    index.upsert(index.stage(collection(NAME, generation="second")), [embedded("new")])
    with crash_at("delete_orphans"):
        index.promote(NAME)
    index.close()
    assert len(shards(root)) == 2
    assert index.chunk_ids(NAME, EVERYTHING) == {"new"}
    assert index.staged(NAME) is None
    assert len(shards(root)) == 1
    index.close()


def test_a_collection_half_dropped_is_gone(root: Path) -> None:
    index = QdrantEdgeIndex(root)
    index.stage(collection(NAME))
    with crash_at("delete_orphans"):
        index.drop(NAME)
    index.close()
    assert index.binding(NAME) is None
    assert len(shards(root)) == 2
    index.create(collection(NAME))
    assert index.count(NAME, EVERYTHING) == 0
    assert len(shards(root)) == 1
    index.close()


def test_a_binding_half_written_does_not_count(root: Path) -> None:
    (root / NAME / "collection.json.part").write_text('{"coll')
    index = QdrantEdgeIndex(root)
    assert index.chunk_ids(NAME, EVERYTHING) == {"old"}
    assert not (root / NAME / "collection.json.part").exists()
    index.close()


# --- damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"collection": {}, "shard": "shard-1"}'])
def test_a_damaged_binding_is_named(root: Path, text: str) -> None:
    for file in ("collection.json", "collection.json.copy"):
        (root / NAME / file).write_text(text)
    index = QdrantEdgeIndex(root)
    with pytest.raises(IndexUnavailable, match=r"collection\.json cannot be read"):
        index.binding(NAME)
    with pytest.raises(IndexUnavailable):
        index.count(NAME, EVERYTHING)
    assert len(shards(root)) == 1
    index.close()


@pytest.mark.parametrize("garbage", [b"", b"\x8d\x00garbage", b"{}"])
def test_a_damaged_binding_is_restored_from_its_copy(root: Path, garbage: bytes) -> None:
    file = root / NAME / "collection.json"
    stored = file.read_bytes()
    file.write_bytes(garbage)
    index = QdrantEdgeIndex(root)
    assert index.binding(NAME) == collection(NAME)
    assert index.chunk_ids(NAME, EVERYTHING) == {"old"}
    assert file.read_bytes() == stored
    index.close()


def test_the_copy_of_a_binding_follows_a_successor_and_goes_with_the_collection(root: Path) -> None:
    index = QdrantEdgeIndex(root)
    index.stage(collection(NAME))
    index.promote(NAME)
    copy = root / NAME / "collection.json.copy"
    assert copy.read_bytes() == (root / NAME / "collection.json").read_bytes()
    index.drop(NAME)
    assert not copy.exists()
    index.close()


def test_a_binding_without_a_copy_gets_one_when_the_collection_is_opened(root: Path) -> None:
    copy = root / NAME / "collection.json.copy"
    copy.unlink()
    index = QdrantEdgeIndex(root)
    index.count(NAME, EVERYTHING)
    assert copy.exists()
    index.close()


def test_an_unfinished_rebuild_whose_binding_is_damaged_begins_anew(root: Path) -> None:
    index = QdrantEdgeIndex(root)
    index.stage(collection(NAME))
    index.close()
    (root / NAME / "rebuild.json").write_bytes(b"\x8d garbage")
    index = QdrantEdgeIndex(root)
    assert index.staged(NAME) is None
    index.stage(collection(NAME))
    index.promote(NAME)
    assert index.chunk_ids(NAME, EVERYTHING) == frozenset()
    index.close()


def test_garbage_in_the_passages_that_changed_no_file_time_is_damage(root: Path) -> None:
    (stored,) = root.glob(f"{NAME}/shard-*/segments/*/payload_storage/page_0.dat")
    known = stored.stat()
    with stored.open("r+b") as file:
        file.write(bytes(range(255, 0, -1)) * 64)
    os.utime(stored, ns=(known.st_atime_ns, known.st_mtime_ns))
    index = QdrantEdgeIndex(root)
    for where in (EVERYTHING, replace(EVERYTHING, chunks=(0, 0))):  # the engine reports, or panics
        with pytest.raises(IndexUnavailable) as damaged:
            [*index.scroll(NAME, where)]
        assert "--rebuild" in damaged.value.hint
    index.close()


def test_a_folder_in_the_place_of_a_binding_is_an_error_with_a_hint(root: Path) -> None:
    (root / NAME / "collection.json").unlink()
    (root / NAME / "collection.json").mkdir()
    (root / NAME / "collection.json.copy").unlink()
    with pytest.raises(IndexUnavailable, match=r"collection\.json cannot be read") as refused:
        QdrantEdgeIndex(root).binding(NAME)
    assert str(root / NAME) in refused.value.hint


def test_a_lost_shard_is_named_with_a_way_out(root: Path) -> None:
    path = root / NAME / "collection.json"
    values = json.loads(path.read_text())
    path.write_text(json.dumps(values | {"shard": "shard-lost"}))
    index = QdrantEdgeIndex(root)
    with pytest.raises(IndexUnavailable, match=r"shard-lost is gone$") as lost:
        index.count(NAME, EVERYTHING)
    assert "--rebuild" in lost.value.hint
    index.close()


@pytest.mark.parametrize("lost", ["segments/*/segment.json", "[sw]*"])
def test_a_shard_without_its_segments_is_damaged_in_plain_words(root: Path, lost: str) -> None:
    for path in [*root.glob(f"{NAME}/shard-*/{lost}")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    index = QdrantEdgeIndex(root)
    with pytest.raises(IndexUnavailable, match=r"shard-\w+ is damaged$") as damaged:
        index.count(NAME, EVERYTHING)
    assert "--rebuild" in damaged.value.hint
    index.close()


def test_a_file_where_the_root_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("")
    with pytest.raises(IndexUnavailable, match="cannot be written"):
        QdrantEdgeIndex(tmp_path / "index").create(collection(NAME))


def test_a_point_that_cannot_be_read_is_named(root: Path) -> None:
    index = QdrantEdgeIndex(root)
    index.upsert(NAME, [embedded("odd")])
    index.points(NAME).set_payload(selecting(EVERYTHING), {"page_start": "first"})
    with pytest.raises(IndexUnavailable, match="'page_start' is not a whole number"):
        index.fetch(NAME, EVERYTHING, ["odd"])
    index.close()


READ = """
import sys
from pathlib import Path
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
from citeloom.testing.chunks import EVERYTHING
try:
    print(len(list(QdrantEdgeIndex(Path(sys.argv[1])).scroll("papers", EVERYTHING))))
except CiteloomError as error:
    print(error.code)
"""


@pytest.mark.parametrize("name", ["wal/open-1", "payload_storage/tracker.dat", "segment.json"])
def test_garbage_in_a_file_of_the_index_aborts_no_process(memory_folder: Path, name: str) -> None:
    index = QdrantEdgeIndex(memory_folder)
    index.create(collection("papers"))
    index.upsert("papers", library(300, seed=1))
    index.close()
    file = next(one for one in memory_folder.rglob("*") if one.as_posix().endswith(name))
    content = file.read_bytes()
    file.write_bytes(random.Random(0).randbytes(min(4096, len(content))) + content[4096:])
    reader = python(READ, str(memory_folder))
    said, _ = reader.communicate(timeout=60)
    assert (reader.returncode, said.strip() in {"300", "INDEX_UNAVAILABLE"}) == (0, True), said


def test_a_shard_that_was_closed_in_order_is_not_read_by_another_process_first(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    monkeypatch.setattr(
        "citeloom.infrastructure.stores.qdrant.edge.points.check_shard",
        lambda shard, _collection: read.append(shard),
    )
    for _ in range(2):
        index = QdrantEdgeIndex(memory_folder)
        index.create(collection("papers"))
        index.upsert("papers", library(10, seed=1))
        index.close()
    assert read == []
    (note,) = memory_folder.rglob("closed-*")
    note.unlink()
    index = QdrantEdgeIndex(memory_folder)
    assert index.count("papers", EVERYTHING) == 10
    index.close()
    assert len(read) == 1


def bounded(root: Path, most: int = 1) -> QdrantEdgeIndex:
    """An index of which so many shards stay open."""
    return QdrantEdgeIndex(root, open_shards=OpenShards(most=most, idle_seconds=0))


def is_open(index: QdrantEdgeIndex, name: str) -> bool:
    return index.points(name).is_open


def test_a_shard_beyond_the_bound_is_closed_and_opened_by_its_next_call(root: Path) -> None:
    index = bounded(root)
    assert index.count(NAME, EVERYTHING) == 1
    index.create(collection("second"))
    assert not is_open(index, NAME)
    assert is_open(index, "second")
    assert index.fetch(NAME, EVERYTHING, ["old"]) == [embedded("old").stored]
    assert is_open(index, NAME)
    assert not is_open(index, "second")
    with pytest.raises(IndexLocked):
        QdrantEdgeIndex(root, lock_timeout=0).acquire("second")
    index.close()


def test_writes_without_a_flush_keep_a_shard_open(root: Path) -> None:
    index = bounded(root)
    index.upsert(NAME, [embedded("new")])
    index.create(collection("second"))
    assert is_open(index, NAME)
    index.flush(NAME)
    index.create(collection("third"))
    assert not is_open(index, NAME)
    assert index.count(NAME, EVERYTHING) == 2
    index.close()


def test_an_idle_shard_is_flushed_before_it_is_closed(root: Path, tmp_path: Path) -> None:
    index = bounded(root)
    index.upsert(NAME, [embedded("new")])
    points = index.points(NAME)
    assert not points.release(unflushed=False)
    assert points.release(unflushed=True)
    assert not points.release(unflushed=True)
    copy_folder(root, tmp_path / "copy", ignore=shutil.ignore_patterns("lock", "holder*"))
    copy = QdrantEdgeIndex(tmp_path / "copy")
    assert copy.count(NAME, EVERYTHING) == 2
    copy.close()
    assert index.count(NAME, EVERYTHING) == 2
    index.close()


def test_a_shard_whose_copy_is_being_optimised_stays_open(root: Path) -> None:
    index = bounded(root)
    points = index.points(NAME)
    points.copy_to(root / "copy")
    assert not points.release(unflushed=True)
    points.stop_recording()
    assert points.release(unflushed=True)
    index.close()


def test_a_shard_in_use_stays_open_and_threads_share_a_bounded_index(memory_folder: Path) -> None:
    names = [f"papers-{number}" for number in range(3)]
    index = bounded(memory_folder)
    for name in names:
        index.create(collection(name))
        index.upsert(name, [embedded(name)])
        index.flush(name)
    with ThreadPoolExecutor(6) as threads:
        found = [
            threads.submit(index.fetch, name, EVERYTHING, [name])
            for _ in range(10)
            for name in names
        ]
    assert [one.result() for one in found] == [[embedded(name).stored] for name in names] * 10
    index.close()


def test_a_closed_index_opens_no_shard_that_a_thread_still_has(root: Path) -> None:
    index = bounded(root)
    points = index.points(NAME)
    points.release(unflushed=True)
    index.close()
    with pytest.raises(IndexUnavailable, match="closed"):
        points.flush()
