"""No write of the embedded index begins without the room for it, whoever asks for it."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom.application.disk_space import no_room_for
from citeloom.application.ports.vector_index import CitationUpdate, MetadataUpdate
from citeloom.domain.errors import DiskFull
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.qdrant.edge.folder import read_owner
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
from citeloom.infrastructure.stores.qdrant.edge.owner_index import SharedIndex
from citeloom.infrastructure.stores.qdrant.edge.read_only_copy import open_copy
from citeloom.testing.chunks import EVERYTHING, collection, embedded
from tests.fakes.disk_space import SetDiskSpace

NAME = "papers"
MEGABYTE = 1 << 20
CITATION = MetadataUpdate(citation=CitationUpdate(citation=None))
WRITES: dict[str, Callable[[QdrantEdgeIndex], object]] = {
    "upsert": lambda index: index.upsert(NAME, [embedded("new")]),
    "delete": lambda index: index.delete(NAME, EVERYTHING),
    "update_metadata": lambda index: index.update_metadata(NAME, EVERYTHING, CITATION),
    "create": lambda index: index.create(collection("another")),
    "stage": lambda index: index.stage(collection(NAME)),
    "optimize": lambda index: index.optimize(NAME),
}


@pytest.fixture
def root(memory_folder: Path) -> Path:
    """A root with one collection of some chunks."""
    index = QdrantEdgeIndex(memory_folder)
    index.create(collection(NAME))
    index.upsert(NAME, [embedded(f"old{n}") for n in range(20)])
    index.close()
    return memory_folder


def files(root: Path) -> set[Path]:
    return {path.relative_to(root) for path in root.rglob("shard-*")}


@pytest.mark.parametrize("write", WRITES)
def test_a_write_without_room_changes_nothing_and_says_how_much_it_needs(
    root: Path, write: str
) -> None:
    before = files(root)
    index = QdrantEdgeIndex(root, space=SetDiskSpace(63 * MEGABYTE), optimize_from=1)
    with pytest.raises(DiskFull, match=r"63 MB left .* needs \d+ MB"):
        WRITES[write](index)
    assert (files(root), index.count(NAME, EVERYTHING)) == (before, 20)
    index.close()


@pytest.mark.parametrize("write", WRITES)
def test_with_room_the_same_write_is_done(root: Path, write: str) -> None:
    index = QdrantEdgeIndex(root, space=SetDiskSpace(1 << 40), optimize_from=1)
    WRITES[write](index)
    assert index.count(NAME, EVERYTHING) == {"upsert": 21, "delete": 0}.get(write, 20)
    index.close()


def test_a_new_collection_and_a_copy_to_optimise_need_more_room(root: Path) -> None:
    index = QdrantEdgeIndex(root, space=SetDiskSpace(70 * MEGABYTE), optimize_from=1)
    index.upsert(NAME, [embedded("new")])
    for needs_more in ("create", "stage", "optimize"):
        with pytest.raises(DiskFull):
            WRITES[needs_more](index)
    index.close()


def test_dropping_a_collection_makes_room_and_needs_none(root: Path) -> None:
    index = QdrantEdgeIndex(root, space=SetDiskSpace(0))
    index.drop(NAME)
    assert files(root) == set()


def test_a_shared_index_looks_too(tmp_path: Path) -> None:
    index = SharedIndex(tmp_path, space=SetDiskSpace(MEGABYTE))
    with pytest.raises(DiskFull, match="1 MB left"):
        index.create(collection(NAME))
    index.close()


def test_an_optimiser_that_is_killed_for_want_of_room_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = root / "optimiser.py"
    program.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGBUS)\n")
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.syspath_prepend(str(root))
    monkeypatch.setattr(
        "citeloom.infrastructure.stores.qdrant.edge.optimizer._PROGRAM", "optimiser"
    )
    index = QdrantEdgeIndex(root, optimize_from=1)
    with pytest.raises(DiskFull, match=f"optimising {NAME}; going on needs 64 MB"):
        index.optimize(NAME)
    assert index.count(NAME, EVERYTHING) == 20
    index.close()


def test_a_copy_that_finds_the_disk_full_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    index = QdrantEdgeIndex(root, optimize_from=1)
    index.count(NAME, EVERYTHING)
    monkeypatch.setattr("shutil.copytree", full)
    with pytest.raises(DiskFull, match="going on needs 64 MB"):
        index.optimize(NAME)
    index.close()


@pytest.fixture
def no_room_to_open(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root whose disk has room for a lock, and none for what the engine fills when it opens;
    then it is full.
    """

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def check(shard: Path, _: Collection) -> None:
        if shard.is_relative_to(root):
            monkeypatch.setattr(
                "citeloom.infrastructure.stores.qdrant.edge.owner_server.write_owner", full
            )
            raise no_room_for(f"the index in {shard}")

    monkeypatch.setattr("citeloom.infrastructure.stores.qdrant.edge.points.check_shard", check)
    for note in root.glob("*/closed-*"):
        note.unlink()
    return root


def test_an_owner_without_room_to_open_its_shard_locks_nobody_out(no_room_to_open: Path) -> None:
    owner, client = SharedIndex(no_room_to_open), SharedIndex(no_room_to_open)
    assert owner.acquire(NAME)
    assert client.count(NAME, EVERYTHING) == 20
    assert owner.count(NAME, EVERYTHING) == 20
    owner.close()
    client.close()


def test_an_owner_without_room_is_it_again_once_there_is_some(
    no_room_to_open: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = SharedIndex(no_room_to_open)
    assert owner.count(NAME, EVERYTHING) == 20
    monkeypatch.undo()
    owner.upsert(NAME, [embedded("new")])
    assert owner.count(NAME, EVERYTHING) == 21
    assert read_owner(no_room_to_open / NAME) is not None
    owner.close()


def test_a_take_over_that_has_no_room_for_the_writes_before_locks_nobody_out(root: Path) -> None:
    space = SetDiskSpace(1 << 40)
    before, client = SharedIndex(root), SharedIndex(root, space=space)
    assert before.acquire(NAME)
    for chunk in ("a", "b"):
        client.upsert(NAME, [embedded(chunk)])
    before.close()
    space.per_look = 1 << 40
    with pytest.raises(DiskFull, match="0 MB left"):
        client.upsert(NAME, [embedded("c")])
    assert read_owner(root / NAME) is None
    after = SharedIndex(root)
    assert after.acquire(NAME)
    after.close()
    space.free, space.per_look = 1 << 40, 0
    assert client.count(NAME, EVERYTHING) == 22
    client.close()


def test_the_socket_that_a_killed_owner_left_is_not_copied(root: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(root / NAME / "socket"))
    left.close()
    copy = open_copy(root)
    assert copy.count(NAME, EVERYTHING) == 20
    copy.close()
